/** From when to when an export goes. */
import { Clock, DateTime, Effect, Option } from "effect"
import { parseSpan, parseTime } from "../admin/FlagValues.ts"
import { optionalParsed } from "../Flags.ts"

/** Seconds ago, or RFC 3339. */
type When = number | string

const when = (text: string): Option.Option<When> => Option.orElse(parseSpan(text), () => parseTime(text))

const WHEN_ALLOWED =
  "a day such as 2026-11-01, a time such as 2026-11-01T18:00:00Z, or a span before now such as 2h or 7d"

/** A flag that takes a time, or a span before now. */
export const timeFlag = (name: string, description: string) =>
  optionalParsed(name, "WHEN", description, when, WHEN_ALLOWED)

export const periodFlags = {
  from: timeFlag("from", "2026-11-01 (UTC), 2026-11-01T18:00:00Z, or 7d for a week ago (default: the first row)"),
  to: timeFlag("to", "the end, exclusive (default: the last row)")
}

interface PeriodFlags {
  readonly from: Option.Option<When>
  readonly to: Option.Option<When>
}

/** Epoch ms; undefined where no end was named. */
export const periodOf = Effect.fnUntraced(function* ({ from, to }: PeriodFlags) {
  const now = yield* Clock.currentTimeMillis
  const instant = (at: When) =>
    typeof at === "string" ? DateTime.toEpochMillis(DateTime.makeUnsafe(at)) : now - at * 1000
  const bound = (at: Option.Option<When>) => Option.getOrUndefined(Option.map(at, instant))
  return { from: bound(from), to: bound(to) }
})
