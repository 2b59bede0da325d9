/**
 * What was spent, by any combination of dimensions. It is read in slices of time with a pause after each, so that a year of a
 * busy store does not hold up the event loop.
 */
import { Effect } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import type { SpendDimension, SpendQuery, SpendRow } from "../../../core/ledger/Spend.ts"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import { inputClasses, outputClasses, type UsageClass, usageClasses, wireName } from "../../../core/domain/Usage.ts"
import { auto } from "../../records/Columns.ts"
import { bookedIn, exactly, orUnavailable } from "../file/Reads.ts"
import { HOUR_MS } from "../../records/Scopes.ts"
import { batched, type Block, type Label, type Slice, slices } from "../../records/SpendSlices.ts"

/** One group of one slice, as SQL gives it: exact sums, and the columns that were grouped by. */
interface Found {
  readonly [column: string]: bigint | string
}

/** The columns of rollups and booked rows that are dimensions; time is the slice's. */
const columns = { key: "key_id", team: "team", model: "model", provider: "provider", tag: "tags" } as const

/** Classes that are no tokens. */
const unitClasses = usageClasses.flatMap(({ name, unit }) => (unit === "token" ? [] : [name]))
const units = unitClasses.map(wireName)

/**
 * As `core/Usage` defines them: input is everything read (cached and written to a cache too), output everything produced (reasoning
 * too), so cached and reasoning tokens are parts of them. A failed request is a request too.
 */
const measures = `cost, estimated_cost AS estimated, requests, failed_requests AS failed,
  ${inputClasses.map(wireName).join(" + ")} AS input, cached_input AS cached,
  ${outputClasses.map(wireName).join(" + ")} AS output, reasoning, ${[...auto, ...units].join(", ")}, last_at`

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
  auto_requests: bigint
  auto_cost: bigint
  auto_baseline: bigint
  lastAt: bigint
  /** By class, those that are no tokens. */
  readonly units: Map<UsageClass, bigint>
}

const fields = ["cost", "estimated", "requests", "failed", "input", "cached", "output", "reasoning", ...auto] as const

const sums = [...[...fields, ...units].map((name) => `sum(${name}) AS ${name}`), "max(last_at) AS last_at"].join(", ")

/**
 * Spend by the time at which attempts began, exact to the millisecond and in every time zone; dearest first, then by group. A row
 * with several tags counts in each of them, a row without one under null. `hour` is RFC 3339 with offset, `day` YYYY-MM-DD,
 * `month` YYYY-MM. Without `groupBy` it is one row, or none when nothing was booked. Amounts above 2^53 nano-USD are the nearest
 * double. With a `limit` groups of zeros are left out.
 */
export const makeSpend = (sql: SqlClient.SqlClient) => {
  /** Hours in which anything was booked: a query from the beginning of time need not visit those before. */
  const bounds = exactly(
    sql<{ first: bigint | null; last: bigint | null }>`SELECT
      (SELECT min(hour) FROM rollup) AS first, (SELECT max(hour) FROM rollup) AS last`
  )

  const listed = (from: number, to: number) =>
    sql<Block>`SELECT start, hours FROM blocks WHERE listed AND start < ${to / HOUR_MS} AND start + hours > ${from / HOUR_MS}`

  const partOf = (slice: Slice, query: SpendQuery, by: ReadonlyArray<string>, byKey: boolean) => {
    const { from, source, to } = slice
    const conditions: Array<Statement.Fragment> = []
    if (source === "block") {
      conditions.push(sql`start = ${from / HOUR_MS} AND hours = ${(to - from) / HOUR_MS}`)
      conditions.push(byKey ? sql`key_id > ''` : sql`key_id = ''`)
    } else if (source === "rollup") conditions.push(sql`hour >= ${from / HOUR_MS} AND hour < ${to / HOUR_MS}`)
    else conditions.push(bookedIn(sql, from, to))
    for (const name of ["key", "team", "model", "provider"] as const) {
      if (query[name] !== undefined) conditions.push(sql`${sql(columns[name])} = ${query[name]}`)
    }
    const selected = sql.literal([...by, measures].join(", "))
    return sql`SELECT ${selected} FROM ${sql(source === "block" ? "block_rollup" : source)} WHERE ${sql.and(conditions)}`
  }

  const read = (
    batch: ReadonlyArray<Slice>,
    query: SpendQuery,
    by: ReadonlyArray<string>,
    byKey: boolean,
    limit: number | undefined
  ) => {
    const parts = batch.map((slice) => partOf(slice, query, by, byKey))
    const all = parts.reduce((joined, part) => sql`${joined} UNION ALL ${part}`)
    const names = by.length === 0 ? "TRUE" : by.join(", ")
    const most =
      limit === undefined
        ? sql.literal("")
        : sql`HAVING sum(requests) > 0 OR sum(cost) > 0 ORDER BY sum(cost) DESC, ${sql.literal(names)} LIMIT ${limit}`
    return exactly(
      sql<Found>`SELECT ${sql.literal([...by, sums].join(", "))} FROM (${all}) GROUP BY ${sql.literal(names)} ${most}`
    )
  }

  return Effect.fn("LedgerJournal.spend")(
    function* (query: SpendQuery): Effect.fn.Return<ReadonlyArray<SpendRow>, SqlError.SqlError> {
      const [known] = yield* bounds
      if (known === undefined || known.first === null || known.last === null) return []
      const from = Math.max(query.from, Number(known.first) * HOUR_MS)
      const to = Math.min(query.to, (Number(known.last) + 1) * HOUR_MS)
      const by = [...new Set(query.groupBy.flatMap((dimension) => (dimension in columns ? [columnOf(dimension)] : [])))]
      const byKey = query.key !== undefined || by.includes(columns.key)
      const blocks = yield* listed(from, to)
      const batches = batched(slices(from, to, query.timeZone, query.groupBy, blocks), byKey)
      // What is read at once can be cut where it is read.
      const limit = batches.length === 1 && !query.groupBy.includes("tag") ? query.limit : undefined
      const totals = new Map<string, Sum>()
      for (const batch of batches) {
        for (const found of yield* read(batch, query, by, byKey, limit)) {
          for (const group of groupsOf(query.groupBy, found, batch[0]!.label)) add(totals, group, found)
        }
        yield* Effect.yieldNow
      }
      const rows = [...totals.values()].sort(dearestFirst).map(toRow)
      return query.limit === undefined ? rows : rows.filter(isWorthTelling).slice(0, query.limit)
    },
    (effect): Effect.Effect<ReadonlyArray<SpendRow>, StoreUnavailable> => orUnavailable(effect)
  )
}

/** Attempts that cost nothing and that another one followed leave rows of zeros. */
const isWorthTelling = (row: SpendRow): boolean => row.requests > 0 || row.cost > 0

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
  if (sum === undefined) totals.set(name, (sum = { group, ...zero, units: new Map() }))
  for (const field of fields) sum[field] += found[field] as bigint
  for (const unit of unitClasses) {
    const count = found[wireName(unit)] as bigint
    if (count !== 0n) sum.units.set(unit, (sum.units.get(unit) ?? 0n) + count)
  }
  const lastAt = found["last_at"] as bigint
  if (lastAt > sum.lastAt) sum.lastAt = lastAt
}

const zero = {
  cost: 0n,
  estimated: 0n,
  requests: 0n,
  failed: 0n,
  input: 0n,
  cached: 0n,
  output: 0n,
  reasoning: 0n,
  auto_requests: 0n,
  auto_cost: 0n,
  auto_baseline: 0n,
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
  autoRequests: Number(sum.auto_requests),
  autoCost: Number(sum.auto_cost),
  autoBaseline: Number(sum.auto_baseline),
  lastAt: Number(sum.lastAt),
  ...(sum.units.size === 0
    ? {}
    : { units: Object.fromEntries(Array.from(sum.units, ([name, count]) => [name, Number(count)])) })
})
