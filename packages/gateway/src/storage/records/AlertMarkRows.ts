/** Raised alerts in the store. */
import { Effect, Layer } from "effect"
import { AlertMarks, type RaisedAlert } from "../../core/admin/AlertMarks.ts"
import { Statements } from "./Statements.ts"

export const layer = Layer.effect(
  AlertMarks,
  Effect.map(Statements, ({ read, write }) => ({
    raise: ({ alert, body, id, raisedAt }) =>
      Effect.map(
        write([
          [
            "INSERT INTO alert_marks (id, raised_at, url, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            id,
            raisedAt,
            alert,
            body
          ]
        ]),
        (count) => count === 1
      ),
    pending: read<RaisedAlert>(`SELECT id, raised_at AS "raisedAt", url AS alert, body FROM alert_marks
      WHERE done_at IS NULL ORDER BY raised_at, id`),
    done: (id, at) => Effect.asVoid(write([["UPDATE alert_marks SET done_at = ? WHERE id = ?", at, id]])),
    prune: (before) => Effect.asVoid(write([["DELETE FROM alert_marks WHERE raised_at < ?", before]]))
  }))
)
