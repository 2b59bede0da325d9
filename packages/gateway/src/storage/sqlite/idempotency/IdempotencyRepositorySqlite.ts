/** Responses kept for repeated requests, in the store. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { mostFreedFor, type Quota } from "../../../core/domain/Quota.ts"
import {
  bytesOf,
  type Claimed,
  headerOfResponse,
  IdempotencyRepository,
  type KeptAnswer,
  type KeptRecord,
  type NewRecord
} from "../../../core/idempotency/IdempotencyRepository.ts"
import { DiskReserve } from "../file/DiskReserve.ts"
import { orUnavailable } from "../file/Reads.ts"
import { holdings } from "../responses/SqliteHoldings.ts"
import { Writer } from "../writer/Writer.ts"

/** The most records that one transaction deletes: each may have 4 MiB. */
const PRUNED_AT_ONCE = 10

interface SqliteClaimRow {
  readonly request: string
  readonly kind: KeptAnswer["kind"]
  readonly headers: string
  readonly body: Uint8Array
}

const recordOf = ({ body, headers, kind, request }: SqliteClaimRow): KeptRecord => ({
  request,
  answer: { kind, headers: JSON.parse(headers) as KeptAnswer["headers"], body }
})

/** Overwrites what it deletes with zeros, because pages that are only marked as free would keep the responses. */
const withoutTraces = <A>(db: DatabaseSync, change: () => A): A => {
  db.exec("PRAGMA secure_delete = ON")
  try {
    return change()
  } finally {
    db.exec("PRAGMA secure_delete = OFF")
  }
}

const ofRevoked = "key_id IN (SELECT id FROM keys WHERE revoked_at IS NOT NULL)"

export const layer = Layer.effect(
  IdempotencyRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const hasRoom = yield* DiskReserve
    const { db } = writer
    const excess = holdings(db, "answer")
    const isRevoked = db.prepare("SELECT 1 FROM keys WHERE id = ? AND revoked_at IS NOT NULL")
    const oldestOf = db.prepare("SELECT rowid AS id, bytes FROM kept_answers WHERE key_id = ? ORDER BY kept_at LIMIT 1")
    const remove = db.prepare("DELETE FROM kept_answers WHERE rowid = ?")
    const replaced = db.prepare("DELETE FROM kept_answers WHERE id = ?")
    const put = db.prepare(
      "INSERT INTO kept_answers (id, request, kept_at, kind, headers, body, key_id, bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
    )
    /** Deletes some rows that match a condition. */
    const deleteSome = (condition: string, order = "") => {
      const some = `SELECT rowid FROM kept_answers WHERE ${condition} ${order} LIMIT ${PRUNED_AT_ONCE}`
      const statement = db.prepare(`DELETE FROM kept_answers WHERE rowid IN (${some})`)
      return (...given: ReadonlyArray<string | number>) =>
        withoutTraces(db, () => Number(statement.run(...given).changes))
    }
    const deleteBefore = deleteSome("kept_at < ?", "ORDER BY kept_at")
    const deleteRevoked = deleteSome(ofRevoked)
    const deleteOfKey = deleteSome("key_id = ?")
    const deleteOfResponse = deleteSome("key_id = ? AND instr(headers, ?) > 0")
    const repeatedly = Effect.fnUntraced(function* (some: () => number) {
      while ((yield* writer.write(some)) === PRUNED_AT_ONCE) yield* Effect.yieldNow
    })

    const claim = Effect.fn("IdempotencyRepository.claim")((id: string, _: string, since: number) =>
      sql<SqliteClaimRow>`SELECT request, kind, headers, body FROM kept_answers
        WHERE id = ${id} AND kept_at >= ${since}`.pipe(
        Effect.map(([row]): Claimed =>
          row === undefined ? { kind: "first" } : { kind: "kept", record: recordOf(row) }
        ),
        orUnavailable
      )
    )

    const keepNow = (id: string, record: NewRecord, at: number, quota: Quota): boolean => {
      const { answer, keyId, request } = record
      const bytes = bytesOf(record)
      replaced.run(id)
      const fits = bytes <= Math.min(quota.all, quota.perKey)
      // A request may end after its key was revoked.
      if (!fits || !hasRoom(bytes) || isRevoked.get(keyId) !== undefined) return false
      for (let left = mostFreedFor(bytes); left > 0;) {
        const more = excess(quota, keyId, bytes)
        if (more === undefined) break
        const oldest = oldestOf.get(more.keyId)!
        remove.run(oldest["id"]!)
        left -= Number(oldest["bytes"])
      }
      put.run(id, request, at, answer.kind, JSON.stringify(answer.headers), answer.body, keyId, bytes)
      return true
    }

    return {
      claim,
      release: () => Effect.void,
      keep: Effect.fn("IdempotencyRepository.keep")((id: string, record: NewRecord, at: number, quota: Quota) =>
        writer.write(() => withoutTraces(db, () => keepNow(id, record, at, quota)))
      ),
      erase: Effect.fn("IdempotencyRepository.erase")((keyId: string, responseId?: string) =>
        repeatedly(() =>
          responseId === undefined ? deleteOfKey(keyId) : deleteOfResponse(keyId, headerOfResponse(responseId))
        )
      ),
      prune: Effect.fn("IdempotencyRepository.prune")(function* (before: number) {
        yield* repeatedly(() => deleteBefore(before))
        yield* repeatedly(() => deleteRevoked())
        const [row] = yield* orUnavailable(
          sql<{ isAny: number }>`SELECT EXISTS (SELECT 1 FROM kept_answers) AS "isAny"`
        )
        return row?.isAny === 1
      })
    }
  })
)
