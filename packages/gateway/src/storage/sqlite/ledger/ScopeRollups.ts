/** The SQL of the rollups of scopes beyond keys and teams, and of the ledger's rows that are not in them yet. */
import type { DatabaseSync } from "node:sqlite"
import { commonSums, rare, sums } from "../../records/Columns.ts"

/** The columns that identify a row. */
export const scopeCell = ["scope", "slot", "key_id", "team", "provider", "model", "tags"]

const inMark = (mark: string, path: string) => `(SELECT value ->> '$.${path}' FROM meta WHERE name = '${mark}')`

const openAt = (mark: string) =>
  `(SELECT open.value FROM meta, json_each(meta.value, '$.open') AS open WHERE meta.name = '${mark}')`

/**
 * Closed rows that are not in `scope_rollup`, once for each of their scopes. All rows are that were closed at the mark `scopes_summed`:
 * up to `to`, but for those that were `open`. While sums are written, `scopes_next` is the mark that comes after it; up to the scope
 * `after` all are written.
 */
const unsummed = `SELECT booked.*, subject.value AS scope, booked.at / 900000 AS slot
  FROM booked, json_each(iif(booked.subjects = '', '[]', booked.subjects)) AS subject
  WHERE (booked.id > ${inMark("scopes_summed", "to")} OR booked.id IN ${openAt("scopes_summed")})
    AND NOT (booked.id <= coalesce(${inMark("scopes_next", "to")}, 0) AND booked.id NOT IN ${openAt("scopes_next")}
      AND subject.value <= coalesce(${inMark("scopes_next", "after")}, ''))`

/** What was spent under scopes, with what is not in `scope_rollup` yet: several rows may have one cell. */
export const scopeSums = `SELECT ${[...scopeCell, "last_at", ...sums].join(", ")} FROM scope_rollup
  UNION ALL SELECT ${[...scopeCell, "last_at", ...sums].join(", ")} FROM (${unsummed})`

/** Adds to an existing row. */
export const onConflictAdd = (names: ReadonlyArray<string>) =>
  `ON CONFLICT DO UPDATE SET ${names.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")},
  last_at = max(last_at, excluded.last_at)`

const now = (after: string) => `json_object('to', (SELECT coalesce(max(id), 0) FROM ledger), ${after} 'open',
  (SELECT json_group_array(id) FROM ledger WHERE status = 'reserved'
    AND id >= coalesce((SELECT value FROM meta WHERE name = 'open_from'), 0)))`

export type ScopeStatements = ReturnType<typeof prepareScopes>

export const prepareScopes = (db: DatabaseSync) => {
  const columns = [...scopeCell, "last_at", ...commonSums]
  const cost = db.prepare(
    "SELECT sum(cost) AS cost FROM scope_rollup WHERE scope = :scope AND slot >= :first AND slot < :last"
  )
  // Sums may exceed the safe integers.
  cost.setReadBigInts(true)
  return {
    add: db.prepare(
      `INSERT INTO scope_rollup (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")}) ${onConflictAdd(commonSums)}`
    ),
    /** Adds rare error classes to an existing row. */
    addRare: db.prepare(
      `UPDATE scope_rollup SET ${rare.map((name) => `${name} = ${name} + CAST(? AS INTEGER)`).join(", ")}
      WHERE ${scopeCell.map((name) => `${name} = ?`).join(" AND ")}`
    ),
    /** Of a scope, from the slot `first` up to but not including `last`. */
    cost,
    addUnsummed: db.prepare(
      `INSERT INTO scope_rollup (${[...scopeCell, "last_at", ...sums].join(", ")})
      SELECT ${scopeCell.join(", ")}, max(last_at), ${sums.map((name) => `sum(${name})`).join(", ")} FROM (${unsummed})
      GROUP BY ${scopeCell.join(", ")} ${onConflictAdd(sums)}`
    ),
    /** Sets the mark, and returns its last row. */
    summed: db.prepare(
      `INSERT OR REPLACE INTO meta VALUES ('scopes_summed', ${now("")}) RETURNING value ->> '$.to' AS last`
    ),
    begin: db.prepare(`INSERT OR REPLACE INTO meta VALUES ('scopes_next', ${now("'after', '',")})
      RETURNING value ->> '$.to' AS last`),
    reached: db.prepare("UPDATE meta SET value = json_set(value, '$.after', ?) WHERE name = 'scopes_next'"),
    end: db.prepare(
      "UPDATE meta SET value = (SELECT value FROM meta WHERE name = 'scopes_next') WHERE name = 'scopes_summed'"
    ),
    forget: db.prepare("DELETE FROM meta WHERE name = 'scopes_next'"),
    /** A row up to the marks is inserted after them. */
    opened: db.prepare(
      `UPDATE meta SET value = json_insert(value, '$.open[#]', CAST(? AS INTEGER)) WHERE name IN ('scopes_summed', 'scopes_next')`
    )
  }
}
