/** The period of a spend report. */
import { DateTime, Effect } from "effect"
import { InvalidField } from "../../core/domain/Errors.ts"

/** Epoch ms, `to` exclusive. */
export interface Period {
  readonly from: number
  readonly to: number
  /** IANA name. */
  readonly timeZone: string
}

/**
 * Without `from` and `to`: the month of `now` (epoch ms) in the time zone. With one of them, the other is the end or beginning of
 * its month.
 */
export const periodOf = Effect.fnUntraced(function* (
  query: { readonly from?: string; readonly to?: string; readonly tz?: string },
  now: number
) {
  const zone = DateTime.zoneMakeNamedUnsafe(query.tz ?? "UTC")
  const monthOf = (at: number) => DateTime.startOf(DateTime.makeZonedUnsafe(at, { timeZone: zone }), "month")
  const to =
    query.to === undefined ? DateTime.toEpochMillis(DateTime.add(monthOf(now), { months: 1 })) : at(query.to, zone)
  // The last millisecond before `to`: a month that ends with it is that month.
  const from = query.from === undefined ? DateTime.toEpochMillis(monthOf(Math.min(to - 1, now))) : at(query.from, zone)
  const period: Period = { from, to, timeZone: DateTime.zoneToString(zone) }
  if (from < to) return period
  return yield* new InvalidField({
    param: query.from === undefined ? "to" : "from",
    message: `The time from ${new Date(from).toISOString()} to ${new Date(to).toISOString()} is empty.`
  })
})

/** A date means its first moment in the zone. */
const at = (text: string, zone: DateTime.TimeZone): number =>
  text.length === "2026-11-01".length
    ? DateTime.toEpochMillis(DateTime.makeZonedUnsafe(`${text}T00:00:00Z`, { timeZone: zone, adjustForTimeZone: true }))
    : Date.parse(text)
