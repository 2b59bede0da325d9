/** Raised alerts in the store. */
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AlertMarks, type RaisedAlert } from "../../../core/admin/AlertMarks.ts"
import { orUnavailable } from "../file/Reads.ts"
import { Writer } from "../writer/Writer.ts"

export const layer = Layer.effect(
  AlertMarks,
  Effect.gen(function* () {
    const writer = yield* Writer
    const sql = yield* SqlClient.SqlClient
    const raise = writer.db.prepare("INSERT OR IGNORE INTO alert_marks (id, raised_at, url, body) VALUES (?, ?, ?, ?)")
    const done = writer.db.prepare("UPDATE alert_marks SET done_at = ? WHERE id = ?")
    const prune = writer.db.prepare("DELETE FROM alert_marks WHERE raised_at < ?")
    return {
      raise: ({ alert, body, id, raisedAt }) =>
        writer.write(() => Number(raise.run(id, raisedAt, alert, body).changes) === 1),
      pending: orUnavailable(
        sql<RaisedAlert>`SELECT id, raised_at AS "raisedAt", url AS alert, body FROM alert_marks
          WHERE done_at IS NULL ORDER BY raised_at, id`
      ),
      done: (id, at) => writer.write(() => void done.run(at, id)),
      prune: (before) => writer.write(() => void prune.run(before))
    }
  })
)
