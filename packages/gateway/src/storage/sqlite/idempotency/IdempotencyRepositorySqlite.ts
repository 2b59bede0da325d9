/** The answers that are kept for repeated requests, in the store. */
import type { DatabaseSync } from "node:sqlite"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import {
  claimOfOne,
  IdempotencyRepository,
  type KeptAnswer,
  type KeptRecord
} from "../../../core/idempotency/IdempotencyRepository.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

/** Records that one transaction deletes: each may be 4 MiB. */
const PRUNED_AT_ONCE = 10

interface Row {
  readonly request: string
  readonly kind: KeptAnswer["kind"]
  readonly headers: string
  readonly body: Uint8Array
}

const recordOf = ({ body, headers, kind, request }: Row): KeptRecord => ({
  request,
  answer: { kind, headers: JSON.parse(headers) as KeptAnswer["headers"], body }
})

/** Zeros are written over what it deletes: room that is only marked as free would keep what people were answered. */
const prune = (before: number) => (db: DatabaseSync) => {
  db.exec("PRAGMA secure_delete = ON")
  try {
    const oldest = `SELECT rowid FROM kept_answers WHERE kept_at < ? ORDER BY kept_at LIMIT ${PRUNED_AT_ONCE}`
    return Number(db.prepare(`DELETE FROM kept_answers WHERE rowid IN (${oldest})`).run(before).changes)
  } finally {
    db.exec("PRAGMA secure_delete = OFF")
  }
}

export const layer = Layer.effect(
  IdempotencyRepository,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const put = writer.db.prepare(
      "INSERT OR REPLACE INTO kept_answers (id, request, kept_at, kind, headers, body) VALUES (?, ?, ?, ?, ?, ?)"
    )

    const claim = Effect.fn("IdempotencyRepository.claim")((id: string, _: string, since: number) =>
      sql<Row>`SELECT request, kind, headers, body FROM kept_answers WHERE id = ${id} AND kept_at >= ${since}`.pipe(
        Effect.map((rows) => claimOfOne(Option.map(Option.fromUndefinedOr(rows[0]), recordOf))),
        orUnavailable
      )
    )

    const keep = Effect.fn("IdempotencyRepository.keep")((id: string, { answer, request }: KeptRecord, at: number) =>
      writer.write(() => void put.run(id, request, at, answer.kind, JSON.stringify(answer.headers), answer.body))
    )

    const pruneAll = Effect.fn("IdempotencyRepository.prune")(function* (before: number) {
      while ((yield* writer.write(prune(before))) === PRUNED_AT_ONCE) yield* Effect.yieldNow
      const [row] = yield* orUnavailable(sql<{ isAny: number }>`SELECT EXISTS (SELECT 1 FROM kept_answers) AS "isAny"`)
      return row?.isAny === 1
    })

    return { claim, release: () => Effect.void, keep, prune: pruneAll }
  })
)
