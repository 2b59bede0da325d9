/** Cached responses in Postgres, in a table without a log: it is empty after a crash of the server, which loses nothing but hits. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import type { Statement } from "effect/sql"
import type { Quota } from "../../../core/domain/Quota.ts"
import { StoreUnavailable } from "../../../core/domain/Errors.ts"
import {
  bytesOf,
  CachedResponses,
  CacheVitals,
  type Claimed,
  ERASED_MS,
  type Erasure,
  type KeptAnswer,
  type NewRecord
} from "../../../core/kept/KeptResponses.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { keptTable } from "./KeptTable.ts"

/** The part of a quota that this process may store before all entries are summed up. */
const UNCHECKED = 100

/** Milliseconds that a request waits for the cache. */
const PATIENCE_MS = 50

interface CachedRow {
  readonly at: string
  readonly request: string | null
  readonly kind: KeptAnswer["kind"]
  readonly headers: string
  readonly body: Uint8Array
}

/** The id of the row that says when records of a key were erased; "": of any key. */
const erased = (keyId: string): string => `erased ${storable(keyId)}`

export const layer = Layer.effect(
  CachedResponses,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const vitals = new CacheVitals()
    let unchecked = 0
    const { erase, held, makeRoom } = keptTable(sql, "cached_responses", vitals)
    const now = sql`(extract(epoch FROM clock_timestamp()) * 1000)::int8`
    const nowUs = sql`(extract(epoch FROM clock_timestamp()) * 1000000)::int8`
    const lock = (name: string) => sql`hashtextextended(${name}, 0)`

    const deleteExpired = (before: Statement.Fragment) =>
      Effect.map(
        sql<{ count: number }>`WITH expired AS (DELETE FROM cached_responses WHERE kept_at < ${before} RETURNING 1)
          SELECT count(*)::int AS count FROM expired`,
        ([row]) => void (vitals.expired += row!.count)
      )

    const claim = Effect.fnUntraced(function* (id: string, _: string, since: number) {
      const [row] = yield* sql<CachedRow>`SELECT ${now}::text AS at, k.* FROM (VALUES (1)) AS one
        LEFT JOIN (SELECT request, kind, headers, body FROM cached_responses
          WHERE id = ${id} AND kept_at >= ${since}::int8) AS k ON true`.pipe(
        orUnavailable,
        Effect.timeoutOrElse({ duration: PATIENCE_MS, orElse: () => Effect.fail(slow) })
      )
      const { at, body, headers, kind, request } = row!
      const claimed: Claimed =
        request === null
          ? { kind: "first", at: Number(at) }
          : { kind: "kept", at: Number(at), record: { request, answer: { kind, headers: JSON.parse(headers), body } } }
      return claimed
    })

    const keep = Effect.fnUntraced(function* (id: string, record: NewRecord, at: number, quota: Quota) {
      const { answer, began = 0, madeBy = "", request } = record
      const keyId = storable(record.keyId)
      const bytes = bytesOf(record)
      if (bytes > Math.min(quota.all, quota.perKey)) return false
      unchecked += bytes
      if (unchecked > Math.min(quota.all, quota.perKey) / UNCHECKED) {
        yield* deleteExpired(now)
        yield* makeRoom(quota, keyId, unchecked)
        unchecked = 0
      }
      const marks = [erased(keyId), erased(madeBy), erased("")]
      const put = sql`INSERT INTO cached_responses (id, request, kept_at, kind, headers, body, key_id, bytes, used_at)
        SELECT ${id}, ${request}, ${at}::int8, ${answer.kind}, ${JSON.stringify(answer.headers)}, ${answer.body}::bytea,
          ${keyId}, ${bytes}::int8, ${nowUs}
        WHERE NOT EXISTS (SELECT FROM cached_responses WHERE id IN ${sql.in(marks)} AND kept_at >= ${began + ERASED_MS}::int8)
        ON CONFLICT (id) DO NOTHING RETURNING 1`
      // An erasure waits for what is being kept, and what is kept after it sees its mark.
      return yield* sql.withTransaction(
        Effect.gen(function* () {
          for (const mark of marks) yield* sql`SELECT pg_advisory_xact_lock_shared(${lock(mark)})`
          yield* sql`DELETE FROM cached_responses WHERE id = ${id}`
          return (yield* put).length > 0
        })
      )
    }, orUnavailable)

    const eraseAll = (what: Erasure) => {
      const mark = erased(what.keyId ?? "")
      return sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT pg_advisory_xact_lock(${lock(mark)})`
          yield* sql`DELETE FROM cached_responses WHERE id = ${mark}`
          yield* sql`INSERT INTO cached_responses (id, request, kept_at, kind, headers, body, key_id, bytes)
            VALUES (${mark}, '', ${now} + ${ERASED_MS}::int8, 'erased', '{}', '', '', 0)`
          yield* erase(what)
        })
      )
    }

    return {
      claim,
      vitals,
      release: () => Effect.void,
      keep,
      // A row that another gateway is changing is skipped, so that no two wait for each other.
      touch: (ids: ReadonlyArray<string>) =>
        orUnavailable(sql`UPDATE cached_responses SET used_at = ${nowUs}
          WHERE id IN (SELECT id FROM cached_responses WHERE ${sql.in("id", ids)} FOR UPDATE SKIP LOCKED)`),
      erase: Effect.fn("CachedResponses.erase")((what: Erasure) => orUnavailable(eraseAll(what))),
      prune: Effect.fn("CachedResponses.prune")((before: number) =>
        Effect.gen(function* () {
          yield* deleteExpired(sql`${before}::int8`)
          return (yield* sql`SELECT 1 FROM cached_responses LIMIT 1`).length > 0
        }).pipe(orUnavailable)
      ),
      held: orUnavailable(held)
    }
  })
)

const slow = new StoreUnavailable({ message: `The cache did not respond within ${PATIENCE_MS} ms.` })
