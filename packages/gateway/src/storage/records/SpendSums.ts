/** Spend summed up by groups: how rollups and recorded rows are read and combined. */
import { idInScope } from "../../core/keys/CallerScope.ts"
import type { SpendDimension, SpendQuery, SpendRow } from "../../core/ledger/Spend.ts"
import { inputClasses, outputClasses, type UsageClass, usageClasses, wireName } from "../../core/domain/Usage.ts"
import { auto, cache } from "./Columns.ts"
import type { Label } from "./SpendSlices.ts"

/** One group of one slice as SQL returns it: exact sums, and the grouped columns. */
export interface SpendGroupRow {
  readonly [column: string]: bigint | string
}

/** The columns of rollups and recorded rows that are dimensions. The time comes from the slice. */
export const columns = {
  key: "key_id",
  team: "team",
  model: "model",
  provider: "provider",
  tag: "tags",
  end_user: "scope",
  session: "scope",
  client: "scope",
  user: "scope"
} as const

/** The kinds of scopes that are dimensions. */
const kinds = { end_user: "end_user", session: "session", client: "client", user: "member" } as const

/** The kind of scope that a query is about, whose sums are in `scope_rollup`, and the ID if it names one. */
export const scopesIn = ({ client, endUser, groupBy, session, user }: SpendQuery) => {
  const ids = { end_user: endUser, session, client, user }
  const dimension = (["end_user", "session", "client", "user"] as const).find(
    (one) => ids[one] !== undefined || groupBy.includes(one)
  )
  if (dimension === undefined) return undefined
  const [kind, id] = [kinds[dimension], ids[dimension]]
  return { from: `${kind}:`, to: `${kind};`, id: id === undefined ? undefined : encodeURIComponent(id) }
}

/** Classes that are not counted in tokens. */
const unitClasses = usageClasses.flatMap(({ name, unit }) => (unit === "token" ? [] : [name]))
export const units = unitClasses.map(wireName)

/** As `core/Usage` defines them: input includes cached tokens and cache writes, output includes reasoning. */
export const measures = `cost, estimated_cost AS estimated, requests, failed_requests AS failed,
  ${inputClasses.map(wireName).join(" + ")} AS input, cached_input AS cached,
  ${outputClasses.map(wireName).join(" + ")} AS output, reasoning, ${[...auto, ...cache, ...units].join(", ")}, last_at`

/** A sum under construction. Bigints, because a sum of safe integers may not be safe. */
export interface SpendSum {
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
  cache_hits: bigint
  cache_saved: bigint
  lastAt: bigint
  /** By class, for those that are not counted in tokens. */
  readonly units: Map<UsageClass, bigint>
}

export const fields = [
  "cost",
  "estimated",
  "requests",
  "failed",
  "input",
  "cached",
  "output",
  "reasoning",
  ...auto,
  ...cache
] as const

export const sums = [...[...fields, ...units].map((name) => `sum(${name}) AS ${name}`), "max(last_at) AS last_at"].join(
  ", "
)

/** An attempt without cost that was followed by another leaves a row of zeros. */
const isWorthTelling = (row: SpendRow): boolean => row.requests > 0 || row.cost > 0

export const columnOf = (dimension: SpendDimension): string => columns[dimension as keyof typeof columns]

/** The groups that a row counts in: one per tag if grouped by tags. */
export const groupsOf = (
  groupBy: ReadonlyArray<SpendDimension>,
  found: SpendGroupRow,
  label: Label
): ReadonlyArray<ReadonlyArray<string | null>> => {
  const tags = groupBy.includes("tag") ? String(found["tags"]).split(",") : [""]
  return tags.map((tag) =>
    groupBy.map((dimension) => {
      if (dimension === "hour" || dimension === "day" || dimension === "month") return label[dimension]
      const value = dimension === "tag" ? tag : String(found[columnOf(dimension)])
      if (dimension in kinds) return idInScope(value)
      return value === "" ? null : value
    })
  )
}

export const add = (totals: Map<string, SpendSum>, group: ReadonlyArray<string | null>, found: SpendGroupRow): void => {
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
  cache_hits: 0n,
  cache_saved: 0n,
  lastAt: 0n
}

/** Highest cost first; with a limit, that many rows without groups of zeros. */
export const rowsOf = (totals: ReadonlyMap<string, SpendSum>, limit: number | undefined): ReadonlyArray<SpendRow> => {
  const rows = [...totals.values()].sort(dearestFirst).map(toRow)
  return limit === undefined ? rows : rows.filter(isWorthTelling).slice(0, limit)
}

const dearestFirst = (a: SpendSum, b: SpendSum): number => {
  if (a.cost !== b.cost) return a.cost > b.cost ? -1 : 1
  const [first, second] = [JSON.stringify(a.group), JSON.stringify(b.group)]
  return first < second ? -1 : first > second ? 1 : 0
}

const toRow = (sum: SpendSum): SpendRow => ({
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
  ...(sum.cache_hits === 0n ? {} : { cacheHits: Number(sum.cache_hits), cacheSaved: Number(sum.cache_saved) }),
  ...(sum.units.size === 0
    ? {}
    : { units: Object.fromEntries(Array.from(sum.units, ([name, count]) => [name, Number(count)])) })
})
