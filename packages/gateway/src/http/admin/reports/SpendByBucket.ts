/** Spend by the bucket of `auto`. The ledger knows no buckets, so it is read from the traffic, which costs the same. */
import type { SpendDimension } from "@model-gateway/protocol"
import { DateTime, Effect } from "effect"
import { InvalidField } from "../../../core/domain/Errors.ts"
import type { Visibility } from "../../../core/domain/Principal.ts"
import type { SpendRow } from "../../../core/ledger/Spend.ts"
import type { Traffic } from "../../../core/admin/Traffic.ts"
import { aligned, type GroupDimension, hasDaysOfUtc, type TrafficGroup } from "../../../core/admin/TrafficGroups.ts"
import { type Grain, grains } from "../../../core/admin/TrafficRow.ts"
import { TrafficSums } from "../../../core/admin/TrafficSums.ts"
import type { ReportPeriod } from "./SpendPeriod.ts"

const placed: ReadonlyArray<SpendDimension> = ["bucket", "model", "provider"]
const timed: ReadonlyArray<SpendDimension> = ["hour", "day", "month"]

/** Traffic is kept by the hour, and by the day of UTC for longer. */
const grainOf = ({ from, timeZone, to }: ReportPeriod, cut: ReadonlyArray<SpendDimension>, now: number): Grain => {
  const isWhole = [from, Math.min(to, now)].every((at) => at % grains.day.ms === 0 || at === now)
  const needsHours =
    cut.includes("hour") ||
    !isWhole ||
    (cut.some((one) => timed.includes(one)) && !hasDaysOfUtc(timeZone, from, Math.min(to, now)))
  return needsHours ? "hour" : "day"
}

export const checkBucketCut = Effect.fnUntraced(function* (
  query: { readonly key?: string; readonly team?: string },
  visibility: Visibility,
  period: ReportPeriod,
  cuts: ReadonlyArray<ReadonlyArray<SpendDimension>>,
  now: number
) {
  const other = cuts.flat().find((one) => !placed.includes(one) && !timed.includes(one))
  const param = query.key !== undefined ? "key" : query.team !== undefined || visibility !== "all" ? "team" : "group_by"
  if (other !== undefined || param !== "group_by") {
    const what = other ?? param
    return yield* new InvalidField({
      param,
      message: `Buckets are not known by \`${what}\`: cut them by model, provider, hour, day or month.`
    })
  }
  if (period.from % grains.hour.ms !== 0 || (period.to < now && period.to % grains.hour.ms !== 0)) {
    return yield* new InvalidField({
      param: "from",
      message: "Buckets are known by whole hours: let `from` and `to` begin one."
    })
  }
  const grain = grainOf(period, cuts.flat(), now)
  const oldest = now - grains[grain].keepMs
  if (period.from >= oldest - grains[grain].ms) return undefined
  const since = new Date(oldest).toISOString()
  return yield* new InvalidField({
    param: "from",
    message: `Buckets of this cut are known from ${since} on: name a later \`from\`, or cut by days of UTC.`
  })
})

export const spendByBucket = Effect.fnUntraced(function* (
  traffic: Traffic["Service"],
  period: ReportPeriod,
  filters: { readonly model: string | undefined; readonly provider: string | undefined },
  cut: ReadonlyArray<SpendDimension>,
  limit: number
) {
  const grain = grainOf(period, cut, period.to)
  const groupBy = cut.filter((one): one is SpendDimension & GroupDimension => placed.includes(one))
  const { groups } = yield* traffic.query({
    visibility: "all",
    slice: { cut: "fleet", grain, ...aligned(grain, period.from, period.to) },
    timeZone: period.timeZone,
    interval: cut.some((one) => timed.includes(one)) ? (cut.includes("hour") ? "hour" : "day") : undefined,
    groupBy,
    filters
  })
  const sums = new Map<string, { readonly group: ReadonlyArray<string | null>; readonly sums: TrafficSums }>()
  for (const one of groups) {
    const group = cut.map((name) =>
      timed.includes(name) ? timeOf(one, name, period.timeZone) : valueOf(one, groupBy, name)
    )
    const name = JSON.stringify(group)
    const known = sums.get(name) ?? { group, sums: new TrafficSums() }
    known.sums.merge(one.sums)
    sums.set(name, known)
  }
  return [...sums.values()]
    .map(({ group, sums: found }) => spendOf(group, found))
    .filter((row) => row.requests > 0 || row.cost > 0)
    .sort((a, b) => b.cost - a.cost || JSON.stringify(a.group).localeCompare(JSON.stringify(b.group)))
    .slice(0, limit)
})

const valueOf = ({ values }: TrafficGroup, groupBy: ReadonlyArray<SpendDimension>, name: SpendDimension) =>
  values[groupBy.indexOf(name)] ?? null

const timeOf = ({ start }: TrafficGroup, name: SpendDimension, timeZone: string): string => {
  const text = DateTime.formatIsoOffset(DateTime.makeZonedUnsafe(start ?? 0, { timeZone }))
  if (name === "hour") return text.replace(".000", "").replace("+00:00", "Z")
  return text.slice(0, name === "day" ? 10 : 7)
}

export const spendOf = (group: SpendRow["group"], sums: TrafficSums): SpendRow => ({
  group,
  cost: sums.cost,
  estimatedCost: sums.estimatedCost,
  requests: sums.requests - sums.refused,
  failedRequests: sums.failed,
  inputTokens: sums.input,
  cachedInputTokens: sums.cachedInput,
  outputTokens: sums.output,
  reasoningTokens: sums.reasoning,
  autoRequests: sums.autoRequests,
  autoCost: sums.autoCost,
  autoBaseline: sums.autoBaseline,
  lastAt: sums.lastAt
})
