/**
 * The time of a spend query, cut into slices that are read one at a time, each from the cheapest source that is exact: days and
 * months (in UTC) from blocks; other whole hours from the rollups; the parts of an hour at the ends of the query, and hours in which
 * a local day begins (in zones such as Asia/Kolkata), from the ledger's rows.
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
  /** Epoch ms, exclusive end; whole hours for the rollups, one whole block for a block. */
  readonly from: number
  readonly to: number
  /** The local hour, day and month that all of the slice is in, down to the finest that was asked for; "" below. */
  readonly label: Label
}

export interface Label {
  /** RFC 3339 with the zone's offset: an hour that a clock change repeats is told apart by it. */
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

/** Hours of rollups read at once: some ten thousand rows in a busy store, a few milliseconds. */
const MAX_HOURS = 6

/**
 * `from` and `to` as in SpendQuery, `blocks` those that may be read. Every zone's offset and every clock change is a multiple of a
 * quarter of an hour.
 */
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
  /** The longest block that begins with an hour, is wanted whole and has one label. */
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

/** One hour: whole when all of it was asked for and has one label, else in parts. */
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

/** Slices read at once: some thirty thousand rows, as `weightOf` guesses. */
const MAX_WEIGHT = 32

/** Slices of one label that follow each other, as many as may be read at once. */
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

/** In hours of rollups. The longer a time, the more often its keys come again; over all keys there is little of it. */
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
