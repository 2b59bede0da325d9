/** The SQL of the ledger's hot path, prepared once. */
import type { DatabaseSync, StatementSync } from "node:sqlite"

const tokens = [
  "input",
  "cached_input",
  "cache_write",
  "cache_write_1h",
  "output",
  "reasoning",
  "audio_input",
  "audio_output"
]
const identity =
  "id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, price_source, price_version"
const outcome = ["status", "settled_at", "cost", "estimated", "counts", ...tokens]
const dimensions = "hour, key_id, team, provider, model, tags"
const sums = ["requests", "failed_requests", "cost", "estimated_cost", ...tokens]

const holes = (count: number) => Array(count).fill("?").join(", ")

/** Adds the values of a row that is there already. */
const onConflictAdd = `ON CONFLICT DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")},
  last_at = max(last_at, excluded.last_at), last_id = max(last_id, excluded.last_id)`

export interface LedgerStatements {
  readonly insertReserved: StatementSync
  readonly settleReserved: StatementSync
  readonly insertSettled: StatementSync
  readonly addRollup: StatementSync
  readonly addWindow: StatementSync
  readonly putWindow: StatementSync
  readonly readWindow: StatementSync
  readonly lastOfScope: PerScope
  readonly sumRollup: PerScope
  readonly sumRows: PerScope
  readonly abandonRollups: StatementSync
  readonly abandonWindows: StatementSync
  readonly abandonRows: StatementSync
}

interface PerScope {
  readonly key_id: StatementSync
  readonly team: StatementSync
}

export const prepare = (db: DatabaseSync): LedgerStatements => {
  /** Sums may be larger than the safe integers. */
  const exact = (sql: string): StatementSync => {
    const statement = db.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const perScope = (sql: (column: string) => string): PerScope => ({
    key_id: exact(sql("key_id")),
    team: exact(sql("team"))
  })

  return {
    insertReserved: db.prepare(`INSERT INTO ledger (${identity}, status) VALUES (${holes(13)}, 'reserved')`),
    settleReserved: db.prepare(
      `UPDATE ledger SET ${outcome.map((name) => `${name} = ?`).join(", ")} WHERE id = ? AND status = 'reserved'`
    ),
    insertSettled: db.prepare(
      `INSERT INTO ledger (${identity}, ${outcome.join(", ")}) VALUES (${holes(13 + outcome.length)}) ON CONFLICT DO NOTHING`
    ),
    addRollup: db.prepare(
      `INSERT INTO rollup (${dimensions}, ${sums.join(", ")}, last_at, last_id) VALUES (${holes(8 + sums.length)}) ${onConflictAdd}`
    ),
    addWindow: db.prepare(
      `UPDATE budget_windows SET spent = spent + CAST(? AS INTEGER), last_id = max(last_id, CAST(? AS INTEGER)) WHERE scope = ? AND "window" = ? AND start = ?`
    ),
    putWindow: db.prepare(
      `INSERT INTO budget_windows (scope, "window", start, spent, last_id) VALUES (${holes(5)})
      ON CONFLICT DO UPDATE SET spent = excluded.spent, last_id = excluded.last_id`
    ),
    readWindow: exact(`SELECT spent, last_id FROM budget_windows WHERE scope = ? AND "window" = ? AND start = ?`),
    lastOfScope: perScope(
      (column) => `SELECT max(last_id) AS last_id FROM rollup
      WHERE ${column} = ? AND hour = (SELECT hour FROM rollup WHERE ${column} = ? AND last_id > 0 ORDER BY hour DESC LIMIT 1)`
    ),
    sumRollup: perScope(
      (column) => `SELECT sum(cost) AS cost FROM rollup WHERE ${column} = ? AND hour >= ? AND hour < ?`
    ),
    // The unary plus keeps SQLite on the index by time, of which this is a part of an hour.
    sumRows: perScope((column) => `SELECT sum(cost) AS cost FROM booked WHERE +${column} = ? AND at >= ? AND at < ?`),
    abandonRollups: db.prepare(
      `INSERT INTO rollup (${dimensions}, ${sums.join(", ")}, last_at, last_id)
      SELECT at / 3600000, key_id, team, provider, model, tags, count(*), count(*), sum(reserved), sum(reserved),
        ${tokens.map(() => "0").join(", ")}, max(at), max(iif(reserved = 0, 0, id))
      FROM ledger WHERE status = 'reserved' AND id <= ? GROUP BY 1, 2, 3, 4, 5, 6 ${onConflictAdd}`
    ),
    abandonWindows: db.prepare(
      `DELETE FROM budget_windows WHERE
        scope IN (SELECT 'key:' || key_id FROM ledger WHERE status = 'reserved' AND id <= ?)
        OR scope IN (SELECT 'team:' || team FROM ledger WHERE status = 'reserved' AND id <= ? AND team <> '')`
    ),
    abandonRows: db.prepare(
      `UPDATE ledger SET status = 'abandoned', settled_at = ?, cost = reserved, estimated = 1, counts = 2
      WHERE status = 'reserved' AND id <= ?`
    )
  }
}
