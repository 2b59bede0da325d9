/** What a request for traffic asks for: its time, its grain, and whether what it asks for is kept. */
import { Effect } from "effect"
import { InvalidField } from "../../../core/domain/Errors.ts"
import { aligned, type GroupDimension, hasDaysOfUtc, type TrafficQuery } from "../../../core/admin/TrafficGroups.ts"
import { type TrafficCut, DAY_MS, dimensionsOf, type Grain, grains, HOUR_MS } from "../../../core/admin/TrafficRow.ts"
import type { Visibility } from "../../../core/domain/Principal.ts"
import type { QueryOf } from "../AdminPages.ts"
import { timeIn, zoneOf } from "./SpendPeriod.ts"

export type TrafficRequest = QueryOf<"getTraffic">

export const trafficQueryOf = Effect.fnUntraced(function* (
  request: TrafficRequest,
  now: number,
  visibility: Visibility
) {
  const { interval, key, team } = request
  const { name: timeZone, zone } = zoneOf(request.tz)
  const to = request.to === undefined ? now + 1 : timeIn(request.to, zone)
  const from = request.from === undefined ? to - DAY_MS : timeIn(request.from, zone)
  if (from >= to) {
    return yield* new InvalidField({
      param: request.from === undefined ? "to" : "from",
      message: `The time from ${new Date(from).toISOString()} to ${new Date(to).toISOString()} is empty.`
    })
  }
  const groupBy = (request.group_by?.split(",") ?? []) as ReadonlyArray<GroupDimension>
  const { deployment, provider, model, bucket, endpoint, stream, status, error, tag, limit_kind: limit } = request
  const filters = { deployment, provider, model, bucket, endpoint, stream, status, error, limit, key, team, tag }
  const cut = yield* cutOf(groupBy, filters, visibility)
  const grain = grainOf(cut, interval, timeZone, from, to, now)
  const oldest = now - grains[grain].keepMs
  if (interval !== undefined && from < oldest - grains[grain].ms) {
    const kept = { minute: "48 hours", hour: "90 days", day: "two years" }[grain]
    const coarser = { minute: "cut by hour", hour: "cut by day", day: "name a later `from`" }[grain]
    return yield* new InvalidField({
      param: "interval",
      message: `Traffic by the ${grain} is kept for ${kept}: start at ${new Date(oldest).toISOString()}, or ${coarser}.`
    })
  }
  if (interval === "minute" && cut === "callers") {
    return yield* new InvalidField({
      param: "interval",
      message: "Keys, teams and tags have traffic by hour and day, not by minute."
    })
  }
  const query: TrafficQuery = {
    visibility,
    slice: { cut, grain, ...aligned(grain, from, to), key, team },
    timeZone,
    interval,
    groupBy,
    filters
  }
  return query
})

/** Of the time before that is as long. */
export const beforeOf = ({ slice, ...query }: TrafficQuery): TrafficQuery => ({
  ...query,
  slice: { ...slice, from: 2 * slice.from - slice.to, to: slice.from }
})

/** Rows know either where requests went or who sent them. */
const cutOf = Effect.fnUntraced(function* (
  groupBy: ReadonlyArray<GroupDimension>,
  filters: TrafficQuery["filters"],
  visibility: Visibility
) {
  const asked = [
    ...groupBy.map((name) => [name, "group_by"] as const),
    ...(Object.keys(filters) as ReadonlyArray<GroupDimension>)
      .filter((name) => filters[name] !== undefined)
      .map((name) => [name, name === "limit" ? "limit_kind" : name] as const)
  ]
  const isOf = (cut: TrafficCut) => (name: GroupDimension) =>
    dimensionsOf[cut].some((one) => one === (name === "tag" ? "tags" : name))
  if (visibility === "all" && asked.every(([name]) => isOf("fleet")(name))) return "fleet"
  const other = asked.find(([name]) => !isOf("callers")(name))
  if (other === undefined) return "callers"
  const [name, param] = other
  return yield* new InvalidField({
    param,
    message: `Traffic of keys, teams and tags can't be cut by \`${name}\`, only by each other, status, error and limit; /admin/spend has models and providers of keys.`
  })
})

/** Sums of longer times than these are made of hours, and of days: their ends count whole. */
const SHORT_MS = 6 * HOUR_MS
const LONG_MS = 31 * DAY_MS

/** The coarsest that is exact for what was asked, as far as that is kept and not too much to read. */
const grainOf = (
  cut: TrafficCut,
  interval: TrafficRequest["interval"],
  timeZone: string,
  from: number,
  to: number,
  now: number
): Grain => {
  if (interval === "minute" || interval === "hour") return interval
  const isKept = (grain: Grain) => from >= now - grains[grain].keepMs
  if (interval === "day") return hasDaysOfUtc(timeZone, from, to) || !isKept("hour") ? "day" : "hour"
  const isNow = to > now
  const fits = (ms: number) => from % ms === 0 && (isNow || to % ms === 0)
  if (fits(DAY_MS) || to - from > LONG_MS || !isKept("hour")) return "day"
  return fits(HOUR_MS) || to - from > SHORT_MS || cut === "callers" ? "hour" : "minute"
}
