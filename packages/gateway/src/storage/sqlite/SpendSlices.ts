/**
 * The time of a spend query, cut into slices that are read one at a time, each from the cheapest source that is exact: whole
 * hours from the rollups; the parts of an hour at the ends of the query, and hours in which a local day begins (in zones such as
 * Asia/Kolkata), from the ledger's rows.
 */
import { DateTime } from "effect"
import type { SpendDimension } from "../../core/Store.ts"
import { HOUR_MS } from "./Scopes.ts"

export interface Slice {
  readonly source: "rollup" | "booked"
  /** Epoch ms, exclusive end; whole hours for the rollups. */
  readonly from: number
  readonly to: number
  /** The local hour, day and month that all of the slice is in, those of them that were asked for. */
  readonly label: Label
}

export interface Label {
  /** RFC 3339 with the zone's offset: an hour that a clock change repeats is told apart by it. */
  readonly hour: string
  readonly day: string
  readonly month: string
}

const QUARTER_MS = HOUR_MS / 4

/** Hours of rollups read at once: some ten thousand rows in a busy store, a few milliseconds. */
const MAX_HOURS = 6

/** `from` and `to` as in SpendQuery. Every zone's offset and every clock change is a multiple of a quarter of an hour. */
export function* slices(
  from: number,
  to: number,
  timeZone: string,
  groupBy: ReadonlyArray<SpendDimension>
): Generator<Slice> {
  const zone = DateTime.zoneMakeNamedUnsafe(timeZone)
  const finest = (["hour", "day", "month"] as const).find((unit) => groupBy.includes(unit))
  const labelAt = finest === undefined ? () => noLabel : (time: number) => labelOf(time, zone)
  const same = (a: Label, b: Label) => finest === undefined || a[finest] === b[finest]
  let open: Slice | undefined
  for (let hour = Math.floor(from / HOUR_MS) * HOUR_MS; hour < to; hour += HOUR_MS) {
    for (const part of parts(hour, from, to, labelAt, same)) {
      const joins = open !== undefined && open.source === part.source && same(open.label, part.label)
      if (joins && part.to - open!.from <= MAX_HOURS * HOUR_MS) open = { ...open!, to: part.to }
      else {
        if (open !== undefined) yield open
        open = part
      }
    }
  }
  if (open !== undefined) yield open
}

/** One hour: whole when all of it was asked for and has one label, else in parts. */
function* parts(
  hour: number,
  from: number,
  to: number,
  labelAt: (time: number) => Label,
  same: (a: Label, b: Label) => boolean
): Generator<Slice> {
  const label = labelAt(hour)
  const end = hour + HOUR_MS
  if (from <= hour && end <= to && same(label, labelAt(end - QUARTER_MS))) {
    yield { source: "rollup", from: hour, to: end, label }
    return
  }
  for (let quarter = hour; quarter < end; quarter += QUARTER_MS) {
    const start = Math.max(quarter, from)
    const stop = Math.min(quarter + QUARTER_MS, to)
    if (start < stop) yield { source: "booked", from: start, to: stop, label: labelAt(quarter) }
  }
}

const noLabel: Label = { hour: "", day: "", month: "" }

const labelOf = (time: number, zone: DateTime.TimeZone): Label => {
  const offset = DateTime.zonedOffset(DateTime.makeZonedUnsafe(time, { timeZone: zone }))
  const local = new Date(time + offset).toISOString()
  return { hour: `${local.slice(0, 13)}:00:00${offsetText(offset)}`, day: local.slice(0, 10), month: local.slice(0, 7) }
}

const offsetText = (offset: number): string => {
  if (offset === 0) return "Z"
  const minutes = Math.abs(offset) / 60_000
  const two = (value: number) => String(Math.trunc(value)).padStart(2, "0")
  return `${offset < 0 ? "-" : "+"}${two(minutes / 60)}:${two(minutes % 60)}`
}
