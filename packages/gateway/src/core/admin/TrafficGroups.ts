/** Groups rows of traffic as a query requests. */
import { DateTime } from "effect"
import { seesKey, type Visibility } from "../domain/Principal.ts"
import { DAY_MS, type Dimension, grains, HOUR_MS, type TrafficRow } from "./TrafficRow.ts"
import type { TrafficSlice } from "./TrafficRepository.ts"
import { TrafficSums } from "./TrafficSums.ts"

/** Dimensions of queries: a tag is one of a row's `tags`. */
export type GroupDimension = Exclude<Dimension, "tags"> | "tag"

export interface TrafficQuery {
  /** Where it is not all, rows of the cut `callers` are wanted: others know no teams. */
  readonly visibility: Visibility
  readonly slice: TrafficSlice
  readonly timeZone: string
  /** Undefined: not cut by time. */
  readonly interval: "minute" | "hour" | "day" | undefined
  readonly groupBy: ReadonlyArray<GroupDimension>
  readonly filters: { readonly [Name in GroupDimension]?: string | undefined }
}

export interface TrafficGroup {
  /** Epoch ms; null where the query is not cut by time. */
  readonly start: number | null
  /** The value of each dimension asked for, in order; null where there is none. */
  readonly values: ReadonlyArray<string | null>
  readonly sums: TrafficSums
}

export class TrafficGroups {
  /** The total of all rows; the sum over tags would count some twice. */
  readonly total = new TrafficSums()
  private readonly query: TrafficQuery
  private readonly groups = new Map<string, TrafficGroup>()
  private readonly starts = new Map<number, number>()

  constructor(query: TrafficQuery) {
    this.query = query
  }

  readonly visit = (row: TrafficRow): void => {
    const { filters, groupBy, slice, visibility } = this.query
    if (row.cut !== slice.cut || row.grain !== slice.grain || row.start < slice.from || row.start >= slice.to) return
    if (visibility !== "all" && !seesKey(visibility, row.dimensions.key, row.dimensions.team ?? null)) return
    if (slice.key !== undefined && row.dimensions.key !== slice.key) return
    if (slice.team !== undefined && row.dimensions.team !== slice.team) return
    const tags = row.dimensions.tags === "" ? [""] : row.dimensions.tags.split(",")
    for (const [name, wanted] of Object.entries(filters) as ReadonlyArray<[GroupDimension, string | undefined]>) {
      if (wanted === undefined) continue
      const isIn = name === "tag" ? tags.includes(wanted) : row.dimensions[name] === wanted
      if (!isIn) return
    }
    this.total.merge(row.sums)
    const start = this.startOf(row.start)
    // A request with several tags counts in each of them.
    for (const tag of groupBy.includes("tag") ? tags : [""]) {
      const values = groupBy.map((name) => {
        const value = name === "tag" ? tag : row.dimensions[name]
        return value === "" ? null : value
      })
      const name = JSON.stringify([start, ...values])
      let group = this.groups.get(name)
      if (group === undefined) this.groups.set(name, (group = { start, values, sums: new TrafficSums() }))
      group.sums.merge(row.sums)
    }
  }

  sorted(): ReadonlyArray<TrafficGroup> {
    return [...this.groups.values()].sort(
      (a, b) =>
        (a.start ?? 0) - (b.start ?? 0) ||
        b.sums.requests - a.sums.requests ||
        b.sums.cost - a.sums.cost ||
        JSON.stringify(a.values).localeCompare(JSON.stringify(b.values))
    )
  }

  /** The beginning of the interval in which a row begins. */
  private startOf(at: number): number | null {
    const { interval, slice, timeZone } = this.query
    if (interval === undefined) return null
    if (interval !== "day" || slice.grain === "day") return at
    let start = this.starts.get(at)
    if (start === undefined) {
      const local = DateTime.makeZonedUnsafe(at, { timeZone })
      // Hours of UTC may begin within a local hour: the first hour of the day stands for its beginning.
      start = Math.ceil(DateTime.toEpochMillis(DateTime.startOf(local, "day")) / HOUR_MS) * HOUR_MS
      this.starts.set(at, start)
    }
    return start
  }
}

/** Whether each local day that holds part of the time begins and ends with a day of UTC. */
export const hasDaysOfUtc = (timeZone: string, from: number, to: number): boolean => {
  const zone = DateTime.zoneMakeNamedUnsafe(timeZone)
  for (let at = from; at < to; at += DAY_MS) {
    if (DateTime.zonedOffset(DateTime.makeZonedUnsafe(at, { timeZone: zone })) !== 0) return false
  }
  return true
}

/** The complete intervals of a grain that contain a time. */
export const aligned = (grain: keyof typeof grains, from: number, to: number) => {
  const { ms } = grains[grain]
  return { from: Math.floor(from / ms) * ms, to: Math.ceil(to / ms) * ms }
}
