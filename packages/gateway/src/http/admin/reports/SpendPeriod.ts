/** The period of a spend report. */
import { DateTime, Effect } from "effect"
import { InvalidField } from "../../../core/domain/Errors.ts"

/** Epoch ms, `to` exclusive. */
export interface ReportPeriod {
  readonly from: number
  readonly to: number
  /** IANA name. */
  readonly timeZone: string
}

/** Default: the month of `now` (epoch ms) in the zone, or that of the given `from` or `to`. */
export const periodOf = Effect.fnUntraced(function* (
  query: { readonly from?: string; readonly to?: string; readonly tz?: string },
  now: number
) {
  const { name, zone } = zoneOf(query.tz)
  const monthOf = (at: number) => DateTime.startOf(DateTime.makeZonedUnsafe(at, { timeZone: zone }), "month")
  const to =
    query.to === undefined ? DateTime.toEpochMillis(DateTime.add(monthOf(now), { months: 1 })) : timeIn(query.to, zone)
  // The last millisecond before `to`: a month that ends with it is that month.
  const from =
    query.from === undefined ? DateTime.toEpochMillis(monthOf(Math.min(to - 1, now))) : timeIn(query.from, zone)
  const period: ReportPeriod = { from, to, timeZone: name }
  if (from < to) return period
  return yield* new InvalidField({
    param: query.from === undefined ? "to" : "from",
    message: `The time from ${new Date(from).toISOString()} to ${new Date(to).toISOString()} is empty.`
  })
})

/** A time zone by its IANA name, which may be another spelling of the one given. */
export const zoneOf = (given: string | undefined): { readonly name: string; readonly zone: DateTime.TimeZone } => {
  const zone = DateTime.zoneMakeNamedUnsafe(given ?? "UTC")
  return { name: DateTime.zoneToString(zone), zone }
}

/** A date means its first moment in the zone. */
export const timeIn = (text: string, zone: DateTime.TimeZone): number =>
  text.length === "2026-11-01".length
    ? DateTime.toEpochMillis(DateTime.makeZonedUnsafe(`${text}T00:00:00Z`, { timeZone: zone, adjustForTimeZone: true }))
    : Date.parse(text)
