/**
 * Blocks: rollups of days and months in UTC, of the rollups of node 0, so that a yearly report reads few rows. A listed month
 * has blocks, to which a trigger adds what is merged.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { sums } from "../../records/Columns.ts"
import { DAY_HOURS, monthOf } from "../../records/SpendSlices.ts"

const cells = ["team", "provider", "model", "tags"]
const cell = ["start", "hours", "key_id", ...cells].join(", ")
const LONGEST_MONTH = 31 * DAY_HOURS

/** Rollups as the rows of their blocks: by key, and under the key '' over all keys. */
export const blocksOf = (rollups: string) => {
  const others = ["b.start", "b.hours", ...cells.map((name) => `o.${name}`)].join(", ")
  return `SELECT b.start, b.hours, CASE grouping(o.key_id) WHEN 0 THEN o.key_id ELSE '' END AS key_id,
    ${cells.map((name) => `o.${name}`).join(", ")}, max(o.last_at) AS last_at, ${sums.map((name) => `sum(o.${name}) AS ${name}`).join(", ")}
  FROM ${rollups} AS o
  JOIN blocks AS b ON b.start <= o.hour AND b.start > o.hour - ${LONGEST_MONTH} AND b.start + b.hours > o.hour
  GROUP BY GROUPING SETS ((${others}, o.key_id), (${others}))`
}

const added = (
  rollups: string
) => `INSERT INTO block_rollup AS r (${cell}, last_at, ${sums.join(", ")}) ${blocksOf(rollups)}
  ON CONFLICT (${cell}) DO UPDATE SET last_at = greatest(r.last_at, excluded.last_at),
    ${sums.map((name) => `${name} = r.${name} + excluded.${name}`).join(", ")}`

/** The Janitor of any version deletes what it merges into node 0. */
export const followMerges = [
  `CREATE OR REPLACE FUNCTION add_to_blocks() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN
  ${added("(SELECT * FROM merged WHERE node <> 0)")};
  RETURN NULL;
END $$`,
  `CREATE OR REPLACE TRIGGER merged AFTER DELETE ON rollup REFERENCING OLD TABLE AS merged
    FOR EACH STATEMENT EXECUTE FUNCTION add_to_blocks()`
]

/** Lists the newest month that is not, in a transaction in which nothing is merged. False: there is none. */
export const listMonth = Effect.fnUntraced(function* (sql: PgClient) {
  const [known] = yield* sql<{ first: number | null; last: number | null }>`SELECT
    (SELECT min(hour) FROM rollup) AS first, (SELECT max(hour) FROM rollup) AS last`
  if (known === undefined || known.first === null || known.last === null) return false
  const listed = yield* sql<{ start: number }>`SELECT start FROM blocks WHERE hours > ${DAY_HOURS}`
  const starts = new Set(listed.map(({ start }) => start))
  let start = monthOf(known.last)
  while (starts.has(start)) start = monthOf(start - 1)
  const end = monthOf(start, 1)
  if (end <= known.first) return false
  yield* sql`INSERT INTO blocks SELECT ${start}::int, ${end - start}::int
    UNION ALL SELECT day, ${DAY_HOURS} FROM generate_series(${start}::int, ${end - DAY_HOURS}::int, ${DAY_HOURS}) AS day`
  yield* sql.unsafe(added("(SELECT * FROM rollup WHERE node = 0 AND hour >= $1 AND hour < $2)"), [start, end])
  return true
})
