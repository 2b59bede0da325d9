/** Kept responses in Postgres, and which gateway runs which request. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Exit, Latch, Layer } from "effect"
import {
  bytesOf,
  type Claimed,
  type Erasure,
  KeptResponses,
  type KeptAnswer,
  type NewRecord
} from "../../../core/kept/KeptResponses.ts"
import type { Quota } from "../../../core/domain/Quota.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"
import { fenced, Node } from "../nodes/Node.ts"
import { keptTable } from "./KeptTable.ts"

interface PostgresClaimRow {
  readonly found: "kept" | "running" | "first"
  readonly request: string
  readonly kind: KeptAnswer["kind"]
  readonly headers: string
  readonly body: Uint8Array
}

const claimedOf = ({ body, found, headers, kind, request }: PostgresClaimRow): Claimed => {
  if (found === "first") return { kind: "first", at: 0 }
  if (found === "running") return { kind: "running", request }
  return { kind: "kept", record: { request, answer: { kind, headers: JSON.parse(headers), body } } }
}

/** Until the next attempt to release a claim. */
const AGAIN = "500 millis"

export const layer = Layer.effect(
  KeptResponses,
  Effect.gen(function* () {
    const sql = yield* PgClient
    const node = yield* Node
    /** This gateway's claims by request: the number, and the time in epoch milliseconds from which on a kept response counts. */
    const claims = new Map<string, { readonly number: number; readonly since: number }>()
    /** Claims to release, by number. */
    const owed = new Map<number, string>()
    const isOwing = Latch.makeUnsafe(false)
    let last = 0

    const giveUp = (id: string, claim: number) =>
      sql`DELETE FROM running_requests WHERE id = ${id} AND node = ${node.id} AND claim = ${claim}`.pipe(
        Effect.andThen(Effect.sync(() => owed.delete(claim))),
        Effect.ignore
      )
    const payOwed = Effect.suspend(() =>
      Effect.forEach([...owed], ([claim, id]) => giveUp(id, claim), { discard: true })
    )
    const keepPaying = isOwing.await.pipe(
      Effect.andThen(payOwed),
      Effect.andThen(
        Effect.sync(() => {
          if (owed.size === 0) isOwing.closeUnsafe()
        })
      ),
      Effect.andThen(Effect.sleep(AGAIN))
    )
    yield* Effect.forkScoped(Effect.forever(keepPaying))
    const owe = (id: string, claim: number) => {
      owed.set(claim, id)
      isOwing.openUnsafe()
    }

    const claim = Effect.fn("KeptResponses.claim")(function* (id: string, request: string, since: number) {
      const number = ++last
      const [row] =
        yield* sql<PostgresClaimRow>`SELECT * FROM claim_request(${id}, ${node.id}, ${number}, ${request}, ${since})`.pipe(
          orUnavailable,
          // The statement may have succeeded all the same.
          Effect.onExit((exit) => Effect.sync(() => Exit.isFailure(exit) && owe(id, number)))
        )
      if (row === undefined) return yield* fenced
      if (row.found === "first") claims.set(id, { number, since })
      return claimedOf(row)
    })

    const release = Effect.fn("KeptResponses.release")(function* (id: string) {
      const claim = claims.get(id)
      if (claim === undefined) return
      const { number } = claim
      claims.delete(id)
      owed.set(number, id)
      yield* giveUp(id, number)
      if (owed.has(number)) owe(id, number)
    }, Effect.uninterruptible)

    const { erase, held, makeRoom } = keptTable(sql, "kept_answers")

    /** Does nothing if another gateway has the claim by then: that gateway's response counts. */
    const keep = Effect.fn("KeptResponses.keep")(function* (id: string, record: NewRecord, at: number, quota: Quota) {
      const { answer, request } = record
      const keyId = storable(record.keyId)
      const headers = JSON.stringify(answer.headers)
      const bytes = bytesOf(record)
      const since = claims.get(id)?.since ?? at
      // A request may end after its key was revoked.
      const isLeft = (yield* sql`SELECT 1 FROM keys WHERE id = ${keyId} AND revoked_at IS NOT NULL`).length > 0
      if (isLeft || bytes > Math.min(quota.all, quota.perKey)) {
        yield* sql`DELETE FROM running_requests WHERE id = ${id} AND node = ${node.id}`
        claims.delete(id)
        return false
      }
      yield* makeRoom(quota, keyId, bytes)
      const replaced = sql`DELETE FROM kept_answers WHERE id = ${id} AND kept_at < ${since}::int8`
      const put = sql`WITH ended AS (DELETE FROM running_requests WHERE id = ${id} AND node = ${node.id})
        INSERT INTO kept_answers (id, request, kept_at, kind, headers, body, key_id, bytes)
          SELECT ${id}, ${request}, ${at}::int8, ${answer.kind}, ${headers}, ${answer.body}::bytea, ${keyId}, ${bytes}::int8
          WHERE NOT EXISTS (SELECT FROM running_requests WHERE id = ${id} AND node <> ${node.id})
          ON CONFLICT (id) DO NOTHING`
      yield* sql.withTransaction(Effect.andThen(replaced, put))
      claims.delete(id)
      return true
    }, orUnavailable)

    return {
      claim,
      release,
      keep,
      erase: Effect.fn("KeptResponses.erase")((what: Erasure) => orUnavailable(erase(what))),
      prune: Effect.fn("KeptResponses.prune")((before: number) =>
        Effect.gen(function* () {
          yield* sql`DELETE FROM kept_answers WHERE kept_at < ${before}
            OR key_id IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL)`
          return (yield* sql`SELECT 1 FROM kept_answers LIMIT 1`).length > 0
        }).pipe(orUnavailable)
      ),
      held: orUnavailable(held)
    }
  })
)
