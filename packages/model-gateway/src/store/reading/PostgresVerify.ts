/** The books in Postgres compared with each other: every hour's sums and what every budget has spent against the ledger's rows. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { StoreUnavailable } from "@model-gateway/gateway/internal/core/domain/Errors"
import type { Difference, Totals } from "./Books.ts"
import { sums } from "@model-gateway/gateway/internal/storage/records/Columns"
import { blocksOf } from "@model-gateway/gateway/internal/storage/postgres/ledger/PostgresBlocks"
import { HOUR_MS, QUARTER_MS } from "@model-gateway/gateway/internal/storage/records/Scopes"
import { orUnavailable } from "@model-gateway/gateway/internal/storage/postgres/connection/PostgresErrors"

/** More would only be more of the same. */
const MOST = 1_000

const names = ["key_id", "team", "provider", "model", "tags"] as const
const dimensions = ["hour", ...names].join(", ")
const blockDimensions = ["start", "hours", ...names].join(", ")
const scopeDimensions = ["scope", "slot", ...names].join(", ")

/** Rows of the ledger once for each of their scopes beyond key and team. */
const scoped = `(SELECT booked.*, subject COLLATE "C" AS scope, (at / ${QUARTER_MS})::int AS slot
  FROM booked, json_array_elements_text(nullif(subjects, '')::json) AS subject) AS b`

const summed = (table: string, by: string): string =>
  `SELECT ${by}, ${sums.map((name) => `sum(${name}) AS ${name}`).join(", ")} FROM ${table} GROUP BY ${by}`

const isOther = sums.map((name) => `coalesce(l.${name}, 0) <> coalesce(r.${name}, 0)`).join(" OR ")

const compared = (booked: string, rollup: string, by: string) => `SELECT ${by}, ${sums
  .map((name) => `coalesce(l.${name}, 0)::text AS expected_${name}, coalesce(r.${name}, 0)::text AS found_${name}`)
  .join(", ")}
FROM (${summed(booked, by)}) AS l FULL JOIN (${summed(rollup, by)}) AS r USING (${by})
WHERE ${isOther} ORDER BY ${by} LIMIT ${MOST}`

const rollups = compared("booked", "rollup", dimensions)
const scopes = compared(scoped, "scope_rollup", scopeDimensions)

/** Every block from the rollups of node 0. */
const blocks = compared(`(${blocksOf("(SELECT * FROM rollup WHERE node = 0)")}) AS b`, "block_rollup", blockDimensions)

const spend = `SELECT scope, slot, coalesce(l.cost, 0)::text AS expected, coalesce(s.cost, 0)::text AS found
FROM (SELECT scope, slot, sum(cost) AS cost FROM (
    SELECT 'key:' || key_id AS scope, (at / ${QUARTER_MS})::int AS slot, cost FROM ledger WHERE cost > 0
    UNION ALL SELECT 'team:' || team, (at / ${QUARTER_MS})::int, cost FROM ledger WHERE cost > 0 AND team <> ''
    UNION ALL SELECT subject COLLATE "C", (at / ${QUARTER_MS})::int, cost
      FROM ledger, json_array_elements_text(nullif(subjects, '')::json) AS subject WHERE cost > 0
  ) AS costs GROUP BY scope, slot) AS l
FULL JOIN (SELECT scope, slot, sum(cost) AS cost FROM spend GROUP BY scope, slot) AS s USING (scope, slot)
WHERE coalesce(l.cost, 0) <> coalesce(s.cost, 0) ORDER BY scope, slot LIMIT ${MOST}`

interface RollupRow {
  readonly [column: string]: string | number
}

interface VerifiedSumRow {
  readonly scope: string
  readonly slot: number
  readonly expected: string
  readonly found: string
}

type TotalsRow = { readonly [Name in keyof Totals]: string }

/** What the ledger holds and all differences, at one moment. */
export const inspection: Effect.Effect<
  { readonly totals: Totals; readonly differences: ReadonlyArray<Difference> },
  StoreUnavailable,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.gen(function* () {
    yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`
    const [row] = yield* sql<TotalsRow>`SELECT count(*)::text AS closed, coalesce(sum(cost), 0)::text AS cost,
      coalesce(sum(cost) FILTER (WHERE estimated), 0)::text AS "estimatedCost",
      (SELECT count(*) FROM attempts_open)::text AS open,
      (SELECT coalesce(sum(reserved), 0) FROM attempts_open)::text AS reserved,
      (SELECT count(*) FROM rollup)::text AS rollups,
      (SELECT count(*) FROM spend)::text AS windows FROM ledger`
    const count = (name: keyof Totals) => BigInt(row?.[name] ?? 0)
    const totals: Totals = {
      closed: count("closed"),
      cost: count("cost"),
      estimatedCost: count("estimatedCost"),
      open: count("open"),
      reserved: count("reserved"),
      rollups: count("rollups"),
      windows: count("windows")
    }
    const hours = yield* sql.unsafe<RollupRow>(rollups)
    const scoped = yield* sql.unsafe<RollupRow>(scopes)
    const days = yield* sql.unsafe<RollupRow>(blocks)
    const spent = yield* sql.unsafe<VerifiedSumRow>(spend)
    return { totals, differences: [...[...hours, ...scoped, ...days].flatMap(inRollup), ...spent.map(inSpend)] }
  }).pipe(sql.withTransaction)
}).pipe(orUnavailable, Effect.withSpan("LedgerJournal.verify"))

const inRollup = (row: RollupRow): ReadonlyArray<Difference> => {
  const iso = (ms: number) => new Date(ms).toISOString()
  const isBlock = row["start"] !== undefined
  const time = isBlock
    ? `${row["hours"]} hours from ${iso(Number(row["start"]) * HOUR_MS)}`
    : row["hour"] === undefined
      ? `scope=${row["scope"]} quarter=${iso(Number(row["slot"]) * QUARTER_MS)}`
      : `hour=${iso(Number(row["hour"]) * HOUR_MS)}`
  const of = [time, ...names.map((name) => `${name}=${row[name]}`)].join(" ")
  return sums.flatMap((sum) => {
    const expected = BigInt(row[`expected_${sum}`] ?? 0)
    const found = BigInt(row[`found_${sum}`] ?? 0)
    return expected === found
      ? []
      : [{ kind: isBlock ? ("block" as const) : ("rollup" as const), of, sum, expected, found }]
  })
}

const inSpend = ({ expected, found, scope, slot }: VerifiedSumRow): Difference => ({
  kind: "window",
  of: `${scope} quarter of an hour from ${new Date(slot * QUARTER_MS).toISOString()}`,
  sum: "spent",
  expected: BigInt(expected),
  found: BigInt(found)
})
