/** What people write in arguments, as values. */
import { DateTime, Option } from "effect"
import { type Window, windows } from "@model-gateway/gateway/internal/core/domain/Budget"

/** A word in place of a value: takes the limit or budget away. */
export const NONE = "none"

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

export const SPAN_ALLOWED = "a span such as 90s, 30m, 12h, 30d or 2w"

/** `30d`, in seconds. */
export const parseSpan = (text: string): Option.Option<number> => {
  const [, digits, unit] = /^(\d+)(s|m|h|d|w)$/.exec(text) ?? []
  return digits === undefined ? Option.none() : Option.some(Number(digits) * SECONDS[unit!]!)
}

export const TIME_ALLOWED = "a day such as 2026-12-31 (its begin in UTC) or a time such as 2026-12-31T18:00:00Z"

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/

/** RFC 3339 in UTC. */
export const parseTime = (text: string): Option.Option<string> =>
  TIME.test(text) && isCalendarDay(text.slice(0, 10))
    ? Option.map(DateTime.make(text), DateTime.formatIso)
    : Option.none()

/** Dates of JavaScript take 30 February for 2 March. */
const isCalendarDay = (day: string): boolean =>
  Option.exists(DateTime.make(`${day}T00:00:00Z`), (at) => DateTime.formatIso(at).startsWith(day))

export interface BudgetArgument {
  readonly usd: number
  readonly window: Window
  readonly time_zone?: string
}

export const BUDGET_ALLOWED = `USD and a window such as 10/day, 200/month@Europe/Berlin or 500/total (windows: ${windows.join(", ")})`

/** `10/day@Europe/Berlin`. */
export const parseBudget = (text: string): Option.Option<BudgetArgument> => {
  const [, amount, window, zone] = /^([^/@]+)\/([a-z]+)(?:@([\w+/-]+))?$/.exec(text) ?? []
  const named = windows.find((one) => one === window)
  return named === undefined
    ? Option.none()
    : Option.map(parseUsd(amount!), (usd) =>
        zone === undefined ? { usd, window: named } : { usd, window: named, time_zone: zone }
      )
}

export const USD_ALLOWED = "an amount of USD above 0, such as 10 or 2.50"

export const parseUsd = (text: string): Option.Option<number> =>
  /^\d+(\.\d+)?$/.test(text) && Number(text) > 0 ? Option.some(Number(text)) : Option.none()

export const LIMIT_ALLOWED = `a whole number above 0, or ${NONE}`

/** A number, or null for "none". */
export const parseLimit = (text: string): Option.Option<number | null> => {
  if (text === NONE) return Option.some(null)
  return /^[1-9]\d{0,14}$/.test(text) ? Option.some(Number(text)) : Option.none()
}

/** `a, b` → two names; empty ones don't count. */
export const parseList = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

/** The fields with a flag, as the request has them. */
export const given = <Fields extends Readonly<Record<string, Option.Option<unknown>>>>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (Option.isSome(value) ? [[name, value.value]] : []))
  ) as { readonly [Name in keyof Fields]?: Option.Option.Value<Fields[Name]> }

/** A budget as the gateway takes it, from one that it sent. Raises stay as they are where none are named. */
export const sameBudget = ({
  soft_usd,
  time_zone,
  usd,
  window
}: {
  readonly usd: number
  readonly window: Window
  readonly time_zone: string
  readonly soft_usd?: number
}) => ({ usd, window, time_zone, ...(soft_usd === undefined ? {} : { soft_usd }) })
