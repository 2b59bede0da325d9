/** The SQL that sums rollups into blocks, a range of keys at a time, so that no step takes long. */
import type { DatabaseSync, StatementSync } from "node:sqlite"
import { sums } from "../../records/Columns.ts"

const cells = ["team", "provider", "model", "tags"]
const columns = ["start", "hours", "key_id", ...cells, ...sums, "last_at"].join(", ")
const summed = [...sums.map((name) => `sum(${name})`), "max(last_at)"].join(", ")

/** Days are summed from hours, months from days. `slot` is the start of an hour or a day. */
const sources = {
  hours: { table: "rollup", slot: "hour" },
  days: { table: "block_rollup", slot: "hours = 24 AND start" }
} as const

export type CompactionSource = keyof typeof sources

/** Reads the rows of a block for the keys after `:after`, up to and including `:edge`. */
interface FromSource {
  /** The last key of a part in which no slot has more than `:step` rows; null for the last part. */
  readonly edge: StatementSync
  readonly sum: StatementSync
}

export type BlockStatements = ReturnType<typeof prepareBlocks>

export const prepareBlocks = (db: DatabaseSync) => {
  const range = "start = :start AND hours = :hours AND key_id > :after AND key_id <= :edge"

  // Slots come first: with keys first, SQLite would read all hours in the store.
  const from = ({ slot, table }: (typeof sources)[CompactionSource]): FromSource => ({
    edge: db.prepare(`SELECT min(edge) AS edge FROM (SELECT (SELECT key_id FROM ${table}
      WHERE ${slot} = slots.value AND key_id > :after ORDER BY key_id LIMIT 1 OFFSET :step) AS edge FROM json_each(:slots) AS slots)`),
    sum: db.prepare(`INSERT OR REPLACE INTO block_rollup (${columns})
      SELECT :start, :hours, key_id, ${cells.join(", ")}, ${summed} FROM json_each(:slots) AS slots CROSS JOIN ${table}
      WHERE ${slot} = slots.value AND key_id > :after AND key_id <= :edge GROUP BY key_id, ${cells.join(", ")}`)
  })

  return {
    hours: from(sources.hours),
    days: from(sources.days),
    deleteTotals: db.prepare("DELETE FROM block_rollup WHERE start = :start AND hours = :hours AND key_id = ''"),
    addTotals: db.prepare(`INSERT INTO block_rollup (${columns})
      SELECT start, hours, '', ${cells.join(", ")}, ${summed} FROM block_rollup WHERE ${range} GROUP BY ${cells.join(", ")}
      ON CONFLICT DO UPDATE SET ${sums.map((name) => `${name} = ${name} + excluded.${name}`).join(", ")},
        last_at = max(last_at, excluded.last_at)`),
    deleteRange: db.prepare(`DELETE FROM block_rollup WHERE ${range}`),

    lastDay: db.prepare(
      "SELECT start, hours FROM blocks WHERE listed AND hours <= 24 ORDER BY start DESC, hours DESC LIMIT 1"
    ),
    find: db.prepare("SELECT listed FROM blocks WHERE start = :start AND hours = :hours"),
    /** Blocks of the same kind and start that are no longer read. */
    retired: db.prepare(`SELECT hours FROM blocks
      WHERE start = :start AND hours <> :hours AND (hours <= 24) = (:hours <= 24) AND NOT listed`),
    begin: db.prepare("INSERT INTO blocks VALUES (:start, :hours, 0) ON CONFLICT DO UPDATE SET listed = 0"),
    forget: db.prepare("DELETE FROM blocks WHERE start = :start AND hours = :hours"),
    list: db.prepare(
      `UPDATE blocks SET listed = (hours = :hours) WHERE start = :start AND (hours <= 24) = (:hours <= 24)`
    ),
    unlistAfter: db.prepare("UPDATE blocks SET listed = 0 WHERE start + hours > :hour"),
    firstHour: db.prepare("SELECT min(hour) AS hour FROM rollup WHERE hour >= :hour"),
    lastHour: db.prepare("SELECT max(hour) AS hour FROM rollup")
  }
}
