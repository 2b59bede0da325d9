/** Kept answers in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer, Option } from "effect"
import {
  IdempotencyRepository,
  type KeptAnswer,
  type KeptRecord
} from "../../../core/idempotency/IdempotencyRepository.ts"
import { orUnavailable } from "../connection/Errors.ts"

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

export const layer = Layer.effect(
  IdempotencyRepository,
  Effect.gen(function* () {
    const sql = yield* PgClient
    return {
      find: Effect.fn("IdempotencyRepository.find")((id: string, since: number) =>
        sql<Row>`SELECT request, kind, headers, body FROM kept_answers WHERE id = ${id} AND kept_at >= ${since}`.pipe(
          Effect.map((rows) => Option.map(Option.fromUndefinedOr(rows[0]), recordOf)),
          orUnavailable
        )
      ),
      keep: Effect.fn("IdempotencyRepository.keep")((id: string, { answer, request }: KeptRecord, at: number) =>
        sql`INSERT INTO kept_answers (id, request, kept_at, kind, headers, body)
          VALUES (${id}, ${request}, ${at}, ${answer.kind}, ${JSON.stringify(answer.headers)}, ${answer.body})
          ON CONFLICT (id) DO UPDATE SET request = excluded.request, kept_at = excluded.kept_at, kind = excluded.kind,
            headers = excluded.headers, body = excluded.body`.pipe(Effect.asVoid, orUnavailable)
      ),
      prune: Effect.fn("IdempotencyRepository.prune")((before: number) =>
        Effect.gen(function* () {
          yield* sql`DELETE FROM kept_answers WHERE kept_at < ${before}`
          return (yield* sql`SELECT 1 FROM kept_answers LIMIT 1`).length > 0
        }).pipe(orUnavailable)
      )
    }
  })
)
