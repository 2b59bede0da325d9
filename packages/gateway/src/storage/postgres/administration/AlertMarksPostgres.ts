/** Raised alerts in Postgres. */
import { PgClient } from "@effect/sql-pg/PgClient"
import { Effect, Layer } from "effect"
import { AlertMarks, type RaisedAlert } from "../../../core/admin/AlertMarks.ts"
import { orUnavailable } from "../connection/PostgresErrors.ts"
import { storable } from "../connection/Texts.ts"

export const layer = Layer.effect(
  AlertMarks,
  Effect.gen(function* () {
    const sql = yield* PgClient
    return {
      raise: ({ alert, body, id, raisedAt }) =>
        sql`INSERT INTO alert_marks (id, raised_at, url, body)
          VALUES (${storable(id)}, ${raisedAt}, ${storable(alert)}, ${storable(body)})
          ON CONFLICT DO NOTHING RETURNING id`.pipe(
          Effect.map((rows) => rows.length === 1),
          orUnavailable
        ),
      pending: orUnavailable(
        sql<RaisedAlert>`SELECT id, raised_at AS "raisedAt", url AS alert, body FROM alert_marks
          WHERE done_at IS NULL ORDER BY raised_at, id`
      ),
      done: (id, at) =>
        orUnavailable(Effect.asVoid(sql`UPDATE alert_marks SET done_at = ${at} WHERE id = ${storable(id)}`)),
      prune: (before) => orUnavailable(Effect.asVoid(sql`DELETE FROM alert_marks WHERE raised_at < ${before}`))
    }
  })
)
