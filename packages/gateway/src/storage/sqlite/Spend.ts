/**
 * What was spent, by any combination of dimensions. It is read in slices of time with a pause after each, so that a year of a
 * busy store does not hold up the event loop.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { SpendDimension, SpendQuery, SpendRow, StoreUnavailable } from "../../core/Store.ts"
import { bookedIn, exactly, orUnavailable } from "./Reads.ts"
import { HOUR_MS } from "./Scopes.ts"
import { type Label, type Slice, slices } from "./SpendSlices.ts"

/** One group of one slice, as SQL gives it: exact sums, and the columns that were grouped by. */
interface Found {
  readonly [column: string]: bigint | string
}

/** The columns of rollups and booked rows that are dimensions; time is the slice's. */
const columns = { key: "key_id", team: "team", model: "model", provider: "provider", tag: "tags" } as const

/**
 * Sums as `core/Usage` defines them: input is everything read (cached and written to a cache too), output everything produced
 * (reasoning too), so cached and reasoning tokens are parts of them. A failed request is a request too.
 */
const sums = `sum(cost) AS cost, sum(estimated_cost) AS estimated, sum(requests) AS requests, sum(failed_requests) AS failed,
  sum(input + cached_input + cache_write + cache_write_1h + audio_input) AS input, sum(cached_input) AS cached,
  sum(output + reasoning + audio_output) AS output, sum(reasoning) AS reasoning, max(last_at) AS last_at`

/** A sum in the making; bigints, since a sum of safe integers may not be one. */
interface Sum {
  readonly group: ReadonlyArray<string | null>
  cost: bigint
  estimated: bigint
  requests: bigint
  failed: bigint
  input: bigint
  cached: bigint
  output: bigint
  reasoning: bigint
  lastAt: bigint
}

/**
 * Spend by the time at which attempts began, exact to the millisecond and in every time zone; dearest first, then by group. A row
 * with several tags counts in each of them, a row without one under null. `hour` is RFC 3339 with offset, `day` YYYY-MM-DD,
 * `month` YYYY-MM. Without `groupBy` it is one row, or none when nothing was booked. Amounts above 2^53 nano-USD are the nearest
 * double.
 */
export const makeSpend = (sql: SqlClient.SqlClient) => {
  /** Hours in which anything was booked: a query from the beginning of time need not visit those before. */
  const bounds = exactly(
    sql<{ first: bigint | null; last: bigint | null }>`SELECT
      (SELECT min(hour) FROM rollup) AS first, (SELECT max(hour) FROM rollup) AS last`
  )

  const read = (slice: Slice, query: SpendQuery, by: ReadonlyArray<string>) => {
    const time =
      slice.source === "rollup"
        ? sql`hour >= ${slice.from / HOUR_MS} AND hour < ${slice.to / HOUR_MS}`
        : bookedIn(sql, slice.from, slice.to)
    const conditions = [time]
    for (const name of ["key", "team", "model", "provider"] as const) {
      if (query[name] !== undefined) conditions.push(sql`${sql(columns[name])} = ${query[name]}`)
    }
    return exactly(
      sql<Found>`SELECT ${sql.literal([...by, sums].join(", "))} FROM ${sql(slice.source)}
        WHERE ${sql.and(conditions)} GROUP BY ${sql.literal(by.length === 0 ? "TRUE" : by.join(", "))}`
    )
  }

  return Effect.fn("LedgerJournal.spend")(
    function* (query: SpendQuery): Effect.fn.Return<ReadonlyArray<SpendRow>, SqlError.SqlError> {
      const [known] = yield* bounds
      if (known === undefined || known.first === null || known.last === null) return []
      const from = Math.max(query.from, Number(known.first) * HOUR_MS)
      const to = Math.min(query.to, (Number(known.last) + 1) * HOUR_MS)
      const by = [...new Set(query.groupBy.flatMap((dimension) => (dimension in columns ? [columnOf(dimension)] : [])))]
      const totals = new Map<string, Sum>()
      for (const slice of slices(from, to, query.timeZone, query.groupBy)) {
        for (const found of yield* read(slice, query, by)) {
          for (const group of groupsOf(query.groupBy, found, slice.label)) add(totals, group, found)
        }
        yield* Effect.yieldNow
      }
      return [...totals.values()].sort(dearestFirst).map(toRow)
    },
    (effect): Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable> => orUnavailable(effect)
  )
}

const columnOf = (dimension: SpendDimension): string => columns[dimension as keyof typeof columns]

/** The groups a row counts in: one for each tag it has, where tags are asked for. */
const groupsOf = (
  groupBy: ReadonlyArray<SpendDimension>,
  found: Found,
  label: Label
): ReadonlyArray<ReadonlyArray<string | null>> => {
  const tags = groupBy.includes("tag") ? String(found["tags"]).split(",") : [""]
  return tags.map((tag) =>
    groupBy.map((dimension) => {
      if (dimension === "hour" || dimension === "day" || dimension === "month") return label[dimension]
      const value = dimension === "tag" ? tag : String(found[columnOf(dimension)])
      return value === "" ? null : value
    })
  )
}

const add = (totals: Map<string, Sum>, group: ReadonlyArray<string | null>, found: Found): void => {
  const name = JSON.stringify(group)
  let sum = totals.get(name)
  if (sum === undefined) totals.set(name, (sum = { group, ...zero }))
  for (const field of fields) sum[field] += found[field] as bigint
  const lastAt = found["last_at"] as bigint
  if (lastAt > sum.lastAt) sum.lastAt = lastAt
}

const fields = ["cost", "estimated", "requests", "failed", "input", "cached", "output", "reasoning"] as const

const zero = {
  cost: 0n,
  estimated: 0n,
  requests: 0n,
  failed: 0n,
  input: 0n,
  cached: 0n,
  output: 0n,
  reasoning: 0n,
  lastAt: 0n
}

const dearestFirst = (a: Sum, b: Sum): number => {
  if (a.cost !== b.cost) return a.cost > b.cost ? -1 : 1
  const [first, second] = [JSON.stringify(a.group), JSON.stringify(b.group)]
  return first < second ? -1 : first > second ? 1 : 0
}

const toRow = (sum: Sum): SpendRow => ({
  group: sum.group,
  cost: Number(sum.cost),
  estimatedCost: Number(sum.estimated),
  requests: Number(sum.requests),
  failedRequests: Number(sum.failed),
  inputTokens: Number(sum.input),
  cachedInputTokens: Number(sum.cached),
  outputTokens: Number(sum.output),
  reasoningTokens: Number(sum.reasoning),
  lastAt: Number(sum.lastAt)
})
