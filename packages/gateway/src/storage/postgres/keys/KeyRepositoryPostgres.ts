/** Virtual keys, teams and the pepper of the secrets, in Postgres. */
import { randomBytes } from "node:crypto"
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Latch, Layer, Option, Stream } from "effect"
import type { SqlError } from "effect/sql"
import type { NewAuditEntry } from "../../../core/domain/AuditRepository.ts"
import { type ChangeNotice, type KeyFilter, KeyRepository, type StoredKey } from "../../../core/keys/KeyRepository.ts"
import { FOLLOW_PERSON, makeKeyReads, OWN_KEYS } from "../../records/KeyReads.ts"
import { type KeyRow, toRow } from "../../records/KeyRows.ts"
import { Statements, type StoreChange } from "../../records/Statements.ts"
import { makeTeamReads } from "../../records/TeamRows.ts"
import { layer as statements, note } from "../administration/StatementsPostgres.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { placed, storable } from "../connection/Texts.ts"
import { Flusher } from "../ledger/Flusher.ts"
import { Changes } from "../nodes/Changes.ts"
import { type ChangePostgres, makeForgetWindows, makeTeams } from "./PostgresTeams.ts"

/** The longest delay until times of last use are written. */
const TOUCH_WAIT = "1 second"

/** All texts as Postgres can store them. */
const rowOf = (key: StoredKey) =>
  Object.fromEntries(
    Object.entries(toRow(key)).map(([name, value]) => [name, typeof value === "string" ? storable(value) : value])
  ) as ReturnType<typeof toRow>

const isAboutKeys = (change: StoreChange): change is ChangeNotice =>
  change.what !== "rotation" && change.what !== "reset"

const keyRepository = Layer.effect(
  KeyRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const changes = yield* Changes
    const records = yield* Statements
    const forgetWindows = makeForgetWindows(sql, yield* Flusher)

    /** Completes when the change is in force on every gateway. */
    const change: ChangePostgres = (notice, run) =>
      sql
        .withTransaction(
          Effect.flatMap(run, (value) => Effect.map(changes.note(sql, notice), (seq) => ({ seq, value })))
        )
        .pipe(
          orUnavailable,
          Effect.tap(({ seq }) => changes.inForce(seq)),
          Effect.map(({ value }) => value)
        )

    // Created when the store is first opened. If several gateways open it at the same time, the first value counts.
    yield* sql`INSERT INTO meta VALUES ('pepper', ${new Uint8Array(randomBytes(32))}) ON CONFLICT DO NOTHING`.pipe(
      orUnavailable
    )
    const [meta] = yield* orUnavailable(sql<{ value: Uint8Array }>`SELECT value FROM meta WHERE name = 'pepper'`)
    const pepper = meta?.value ?? new Uint8Array()

    const insert = Effect.fn("KeyRepository.insert")((key: StoredKey, entry?: NewAuditEntry, most?: number) =>
      change(
        { what: "key", id: key.id },
        Effect.gen(function* () {
          const row = rowOf(key)
          // Keys of one person are made one after another, and not while the person is disabled.
          if (row.owner !== null) yield* sql`SELECT 1 FROM people WHERE id = ${row.owner} FOR UPDATE`
          if (most !== undefined) {
            const [before] = yield* sql.unsafe<{ count: string }>(placed(OWN_KEYS), [row.owner, row.team])
            if (Number(before?.count ?? 0) >= most) return false
          }
          yield* sql`INSERT INTO keys ${sql.insert(row)}`
          if (row.owner !== null) yield* sql.unsafe(placed(FOLLOW_PERSON), [row.owner])
          yield* note(sql, entry)
          return true
        })
      )
    )

    const insertWorkload = Effect.fn("KeyRepository.insertWorkload")(function* (key: StoredKey, most: number) {
      const row = rowOf(key)
      const [made] = yield* sql<{ keys: number }>`SELECT count(*)::int AS keys FROM keys WHERE rule = ${row.rule}`
      if ((made?.keys ?? 0) >= most) return false
      yield* sql`INSERT INTO keys ${sql.insert(row)} ON CONFLICT (id) DO NOTHING`
      return true
    }, orUnavailable)

    /** Times of last use that are not written yet. No caller awaits them, and losing them does little harm. */
    const touched = new Map<string, number>()
    const isTouched = Latch.makeUnsafe(false)
    const writeTouched: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
      if (touched.size === 0) return Effect.void
      const rows = Array.from(touched, ([id, at]) => ({ id, at }))
      return Effect.andThen(
        sql`UPDATE keys SET last_used_at = greatest(last_used_at, x.at)
          FROM json_to_recordset(${JSON.stringify(rows)}::json) AS x(id text, at bigint) WHERE keys.id = x.id`,
        Effect.sync(() => {
          for (const { at, id } of rows) if (touched.get(id) === at) touched.delete(id)
        })
      )
    })
    const touch = (id: string, usedAt: number) =>
      Effect.sync(() => {
        const name = storable(id)
        touched.set(name, Math.max(usedAt, touched.get(name) ?? 0))
        isTouched.openUnsafe()
      })
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.timeout(writeTouched, "1 second")))
    yield* Effect.forkScoped(
      Effect.forever(
        isTouched.await.pipe(
          Effect.andThen(Effect.sleep(TOUCH_WAIT)),
          Effect.andThen(Effect.sync(() => isTouched.closeUnsafe())),
          Effect.andThen(Effect.ignore(writeTouched))
        )
      )
    )
    /** The key as it will be once that is written. */
    const asTouched = (key: StoredKey): StoredKey => {
      const at = touched.get(key.id)
      return at === undefined || at <= (key.lastUsedAt ?? 0) ? key : { ...key, lastUsedAt: at }
    }

    const update = Effect.fn("KeyRepository.update")((key: StoredKey, entry?: NewAuditEntry, readAt?: number) =>
      change(
        { what: "key", id: key.id },
        Effect.gen(function* () {
          const { created_at: _made, id, last_used_at: _used, suspended: _kept, ...row } = rowOf(key)
          const [before] = yield* sql<Pick<KeyRow, "budgets" | "updated_at">>`SELECT budgets, updated_at FROM keys
            WHERE id = ${id} FOR UPDATE`
          if (readAt !== undefined && before?.updated_at !== readAt) return false
          if (before?.budgets !== row.budgets) yield* forgetWindows(`key:${id}`, before?.budgets, key.budgets)
          yield* sql`UPDATE keys SET ${sql.update(row)} WHERE id = ${id}`
          yield* note(sql, entry)
          return true
        })
      )
    )

    const reads = makeKeyReads(records, (text) => Effect.succeed([records.contains("search", text)]))

    return {
      pepper: Effect.succeed(pepper),
      insert,
      insertWorkload,
      update,
      touch,
      ...reads,
      find: (id) => Effect.map(reads.find(id), Option.map(asTouched)),
      list: (filter: KeyFilter) =>
        Effect.map(
          reads.list(filter),
          Option.map((page) => ({ ...page, keys: page.keys.map(asTouched) }))
        ),
      ...makeTeams(sql, change, forgetWindows),
      ...makeTeamReads(records, "coalesce(search, lower(named.name))"),
      changes: Stream.filter(yield* changes.join, isAboutKeys)
    }
  })
)

export const layer = Layer.provide(keyRepository, statements)
