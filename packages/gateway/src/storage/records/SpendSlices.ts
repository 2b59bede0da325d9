/**
 * Cuts a spend query into slices, each from the cheapest exact source: days and months (UTC) from blocks, other complete hours
 * from rollups, incomplete hours and those in which a local day begins from the ledger's rows.
 */
import { DateTime } from "effect"
import type { SpendDimension } from "../../core/ledger/Spend.ts"
import { HOUR_MS } from "./Scopes.ts"

/** Hours since the epoch, in UTC. A day or a month from its beginning, as far as it is summed up. */
export interface SpendBlock {
  readonly start: number
  readonly hours: number
}

export interface Slice {
  readonly source: "block" | "rollup" | "booked"
  /** Epoch milliseconds, exclusive end; complete hours for rollups, one complete block for a block. */
  readonly from: number
  readonly to: number
  /** The local hour, day and month that contain the slice, down to the finest requested; "" below. */
  readonly label: Label
}

export interface Label {
  /** RFC 3339 with the zone's offset, which tells apart an hour that a clock change repeats. */
  readonly hour: string
  readonly day: string
  readonly month: string
}

const QUARTER_MS = HOUR_MS / 4

export const DAY_HOURS = 24

/** The first hour of the month of an hour, or of so many months after it, in UTC. */
export const monthOf = (hour: number, after = 0): number => {
  const at = new Date(hour * HOUR_MS)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + after) / HOUR_MS
}

/** Hours of rollups per read: some ten thousand rows in a busy store, a few milliseconds. */
const MAX_HOURS = 6

/** `blocks`: those that may be read. Offsets and clock changes are multiples of a quarter of an hour. */
export function* slices(
  from: number,
  to: number,
  timeZone: string,
  groupBy: ReadonlyArray<SpendDimension>,
  blocks: ReadonlyArray<SpendBlock> = []
): Generator<Slice> {
  const zone = DateTime.zoneMakeNamedUnsafe(timeZone)
  const finest = (["hour", "day", "month"] as const).find((unit) => groupBy.includes(unit))
  const labelAt = finest === undefined ? () => noLabel : (time: number) => labelOf(time, zone, finest)
  const starting = Map.groupBy(blocks, ({ start }) => start * HOUR_MS)
  /** The longest block that begins with an hour, is needed completely and has one label. */
  const blockAt = (hour: number, label: Label): Slice | undefined => {
    let longest: Slice | undefined
    for (const { hours } of starting.get(hour) ?? []) {
      const end = hour + hours * HOUR_MS
      const fits = hour >= from && end <= to && isSameLabel(label, labelAt(end - QUARTER_MS))
      if (fits && end > (longest?.to ?? 0)) longest = { source: "block", from: hour, to: end, label }
    }
    return longest
  }
  let open: Slice | undefined
  let hour = Math.floor(from / HOUR_MS) * HOUR_MS
  while (hour < to) {
    const label = labelAt(hour)
    const block = blockAt(hour, label)
    for (const part of block === undefined ? parts(hour, from, to, label, labelAt) : [block]) {
      const joins = open?.source === part.source && part.source !== "block" && isSameLabel(open.label, part.label)
      if (joins && part.to - open!.from <= MAX_HOURS * HOUR_MS) open = { ...open!, to: part.to }
      else {
        if (open !== undefined) yield open
        open = part
      }
    }
    hour = block?.to ?? hour + HOUR_MS
  }
  if (open !== undefined) yield open
}

/** One hour: complete if all of it was requested and has one label, else in parts. */
function* parts(
  hour: number,
  from: number,
  to: number,
  label: Label,
  labelAt: (time: number) => Label
): Generator<Slice> {
  const end = hour + HOUR_MS
  if (from <= hour && end <= to && isSameLabel(label, labelAt(end - QUARTER_MS))) {
    yield { source: "rollup", from: hour, to: end, label }
    return
  }
  for (let quarter = hour; quarter < end; quarter += QUARTER_MS) {
    const start = Math.max(quarter, from)
    const stop = Math.min(quarter + QUARTER_MS, to)
    if (start < stop) yield { source: "booked", from: start, to: stop, label: labelAt(quarter) }
  }
}

/** Slices per read: some thirty thousand rows by the estimate of `weightOf`. */
const MAX_WEIGHT = 32

/** Successive slices of one label, as many as one read may have. */
export const batched = (all: Iterable<Slice>, byKey: boolean): ReadonlyArray<ReadonlyArray<Slice>> => {
  const batches: Array<Array<Slice>> = []
  let weight = 0
  for (const slice of all) {
    const more = weightOf(slice, byKey)
    const batch = batches.at(-1)
    if (batch !== undefined && isSameLabel(batch[0]!.label, slice.label) && weight + more <= MAX_WEIGHT) {
      batch.push(slice)
      weight += more
    } else {
      batches.push([slice])
      weight = more
    }
  }
  return batches
}

/** In hours of rollups. The longer the time, the more often the same keys repeat; over all keys there are few rows. */
const weightOf = ({ from, source, to }: Slice, byKey: boolean): number => {
  if (source === "booked") return 1
  const hours = (to - from) / HOUR_MS
  if (source === "rollup") return hours
  return byKey ? Math.min(16, Math.max(1, hours / 3)) : 1
}

export const isSameLabel = (a: Label, b: Label) => a.hour === b.hour && a.day === b.day && a.month === b.month

const noLabel: Label = { hour: "", day: "", month: "" }

const labelOf = (time: number, zone: DateTime.TimeZone, finest: keyof Label): Label => {
  const offset = DateTime.zonedOffset(DateTime.makeZonedUnsafe(time, { timeZone: zone }))
  const local = new Date(time + offset).toISOString()
  const hour = finest === "hour" ? `${local.slice(0, 13)}:00:00${offsetText(offset)}` : ""
  return { hour, day: finest === "month" ? "" : local.slice(0, 10), month: local.slice(0, 7) }
}

const offsetText = (offset: number): string => {
  if (offset === 0) return "Z"
  const minutes = Math.abs(offset) / 60_000
  const two = (value: number) => String(Math.trunc(value)).padStart(2, "0")
  return `${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`
}
