/** The prepared SQL of the ledger's hot path. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { commonSums, rare, tokens } from "../../records/Columns.ts"
import { onConflictAdd } from "./ScopeRollups.ts"

const identity =
  "id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, price_source, price_version, operation, subjects"
const outcome = ["status", "settled_at", "cost", "estimated", "counts", "baseline", ...tokens]
const rollup = ["hour", "key_id", "team", "provider", "model", "tags"]
const bounds = ["last_at", "first_id", "last_id", "last_cost_id"]
const rollupColumns = [...rollup, ...bounds, ...commonSums]

const holes = (count: number) => Array(count).fill("?").join(", ")

const addToRollup = `${onConflictAdd(commonSums)}, first_id = min(first_id, excluded.first_id),
  last_id = max(last_id, excluded.last_id), last_cost_id = max(last_cost_id, excluded.last_cost_id)`

/** Selects open rows up to an ID; none is below the mark. */
const open = `status = 'reserved' AND id <= :last
  AND id >= coalesce((SELECT value FROM meta WHERE name = 'open_from'), 0)`

/** In nano-USD, more than any row can cost, so that sums over many rows stay integers: the largest budget. */
const largest = 9_000_000_000_000_000n

/** `abandonedCost` of an open row. Node binds numbers as REAL; a product that overflows becomes REAL and exceeds `reserved`. */
const abandonedCost = `CASE :rule WHEN 'void' THEN 0 WHEN 'book' THEN min(reserved, ${largest})
  ELSE CAST(min(reserved, ${largest}, iif(CAST(:until AS INTEGER) >= at,
    coalesce(fixed + (per_second * (CAST(:until AS INTEGER) - at) + 999) / 1000, reserved), reserved)) AS INTEGER) END`

const abandonedSums = `count(*), count(*), sum(abandoned), sum(abandoned), count(baseline),
        coalesce(sum(abandoned) FILTER (WHERE baseline IS NOT NULL), 0),
        coalesce(sum(abandoned) FILTER (WHERE baseline IS NOT NULL), 0), ${tokens.map(() => "0").join(", ")}`

export type LedgerStatements = ReturnType<typeof prepare>

export const prepare = (db: DatabaseSync) => {
  /** Sums may exceed the safe integers. */
  const exact = (sql: string): StatementSync => {
    const statement = db.prepare(sql)
    statement.setReadBigInts(true)
    return statement
  }
  const perScope = (sql: (column: string) => string) => ({
    key_id: exact(sql("key_id")),
    team: exact(sql("team"))
  })

  return {
    insertReserved: db.prepare(
      `INSERT INTO ledger (baseline, fixed, per_second, ${identity}, status) VALUES (${holes(18)}, 'reserved') ON CONFLICT DO NOTHING`
    ),
    /** A row of the response cache. */
    insertHit: db.prepare(
      `INSERT INTO ledger (settled_at, details, ${identity}, counts, status) VALUES (${holes(17)}, 1, 'settled') ON CONFLICT DO NOTHING`
    ),
    /** The row's ID comes last, because Node 22.19 can't bind numbered parameters (`?1`). */
    settleReserved: db.prepare(
      `UPDATE ledger SET ${outcome.map((name) => `${name} = ?`).join(", ")}
      WHERE id = ? AND status = 'reserved'`
    ),
    addRollup: db.prepare(
      `INSERT INTO rollup (${rollupColumns.join(", ")}) VALUES (${holes(rollupColumns.length)}) ${addToRollup}`
    ),
    /** Details of a closed row: its JSON, and 1 where its price turned out to be unknown. */
    detail: db.prepare(
      `UPDATE ledger SET details = :details, price_source = iif(:unpriced, NULL, price_source),
        price_version = iif(:unpriced, NULL, coalesce(:priceVersion, price_version)) WHERE id = :id`
    ),
    /** Adds rare error classes to an existing rollup. */
    addRare: db.prepare(
      `UPDATE rollup SET ${rare.map((name) => `${name} = ${name} + CAST(? AS INTEGER)`).join(", ")}
      WHERE ${rollup.map((name) => `${name} = ?`).join(" AND ")}`
    ),
    addWindow: db.prepare(
      `UPDATE budget_windows SET spent = spent + CAST(? AS INTEGER), last_id = max(last_id, CAST(? AS INTEGER))
      WHERE scope = ? AND "window" = ? AND start = ?`
    ),
    putWindow: db.prepare(
      `INSERT INTO budget_windows (scope, "window", start, spent, last_id) VALUES (${holes(5)})
      ON CONFLICT DO UPDATE SET spent = excluded.spent, last_id = excluded.last_id`
    ),
    readWindow: exact(`SELECT spent, last_id FROM budget_windows WHERE scope = ? AND "window" = ? AND start = ?`),
    /** The newest row of `:subject` with a cost. */
    newestCost: perScope(
      (column) => `SELECT max(last_cost_id) AS id FROM rollup WHERE ${column} = :subject AND hour =
        (SELECT hour FROM rollup WHERE ${column} = :subject AND last_cost_id > 0 ORDER BY hour DESC LIMIT 1)`
    ),
    /** Cost of `:subject` in the hours from `:first` up to but not including `:last`. */
    sumRollups: perScope(
      (column) => `SELECT sum(cost) AS cost FROM rollup WHERE ${column} = :subject AND hour >= :first AND hour < :last`
    ),
    /** Cost of `:subject` from `:from` up to but not including `:to`; both are in the hours `:first` to `:last`. */
    sumRows: perScope(
      (column) => `SELECT sum(cost) AS cost FROM booked WHERE ${column} = :subject AND at >= :from AND at < :to
        AND id >= (SELECT min(first_id) FROM rollup WHERE ${column} = :subject AND hour BETWEEN :first AND :last)
        AND id <= (SELECT max(last_id) FROM rollup WHERE ${column} = :subject AND hour BETWEEN :first AND :last)`
    ),
    markOpen: db.prepare(
      `INSERT INTO meta VALUES ('open_from', CAST(? AS INTEGER)) ON CONFLICT DO UPDATE SET value = excluded.value`
    ),
    /** The last time, in epoch milliseconds, at which the process that owns the store was alive. */
    markAlive: db.prepare(
      `INSERT INTO meta VALUES ('alive_at', CAST(? AS INTEGER)) ON CONFLICT DO UPDATE SET value = excluded.value`
    ),
    lastAlive: db.prepare("SELECT value AS at FROM meta WHERE name = 'alive_at'"),
    /** The IDs of open rows up to `:last`. */
    listOpen: db.prepare(`SELECT id FROM ledger WHERE ${open}`),
    oldestOpen: db.prepare(`SELECT min(at) AS at FROM ledger WHERE ${open}`),
    /** These close open rows up to `:last`, in this order, at `abandonedCost` by `:rule`. `:until`: the latest time of death or null. */
    abandonWindows: db.prepare(
      `DELETE FROM budget_windows WHERE scope IN (SELECT 'key:' || key_id FROM ledger WHERE ${open})
        OR scope IN (SELECT 'team:' || team FROM ledger WHERE ${open} AND team <> '')`
    ),
    abandonRollups: db.prepare(
      `INSERT INTO rollup (${rollupColumns.join(", ")})
      SELECT at / 3600000, key_id, team, provider, model, tags,
        max(at), min(id), max(id), max(iif(abandoned = 0, 0, id)), ${abandonedSums}
      FROM (SELECT *, ${abandonedCost} AS abandoned FROM ledger WHERE ${open}) GROUP BY 1, 2, 3, 4, 5, 6 ${addToRollup}`
    ),
    abandonRows: db.prepare(
      `UPDATE ledger SET status = 'abandoned', settled_at = :at, cost = ${abandonedCost},
        baseline = iif(baseline IS NULL, NULL, ${abandonedCost}), estimated = 1, counts = 2 WHERE ${open}`
    )
  }
}
