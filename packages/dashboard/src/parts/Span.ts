/** Times that are looked at: until now, or from one day to another, in intervals that fit. */
import type { TrafficReport } from "@model-gateway/protocol"
import { useEffect, useState } from "preact/hooks"
import { gatewayNow, onClock } from "../api/Clock.ts"
import { timeZone, UTC } from "../Zone.ts"

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type Interval = "minute" | "hour" | "day"

export const ranges = {
  "1h": { ms: HOUR_MS, interval: "minute" },
  "24h": { ms: DAY_MS, interval: "hour" },
  "7d": { ms: 7 * DAY_MS, interval: "hour" },
  "30d": { ms: 30 * DAY_MS, interval: "day" }
} as const satisfies Record<string, { readonly ms: number; readonly interval: Interval }>
export type RangeName = keyof typeof ranges

export interface Span {
  readonly interval: Interval
  /** RFC 3339. */
  readonly from: string
  /** Left out: now. */
  readonly to?: string
  readonly tz: string
}

const iso = (at: number): string => new Date(at).toISOString()

const startOfDay = (at: number): number =>
  timeZone === UTC ? Math.floor(at / DAY_MS) * DAY_MS : new Date(at).setHours(0, 0, 0, 0)

/** A day has 23 or 25 hours twice a year. */
const nextDay = (at: number): number => startOfDay(startOfDay(at) + 1.5 * DAY_MS)

const startIn = (interval: Interval, at: number): number => {
  const ms = interval === "minute" ? 60_000 : HOUR_MS
  return interval === "day" ? nextDay(at) : Math.ceil(at / ms) * ms
}

const until = (name: RangeName): Span => {
  const { interval, ms } = ranges[name]
  return { interval, from: iso(startIn(interval, gatewayNow() - ms)), tz: timeZone }
}

/** Minutes are kept for 48 hours, hours for 90 days. */
const intervalOf = (from: number, to: number): Interval => {
  const age = gatewayNow() - from
  if (to - from <= 3 * HOUR_MS && age < 47 * HOUR_MS) return "minute"
  return to - from <= 8 * DAY_MS && age < 89 * DAY_MS ? "hour" : "day"
}

/** Undefined: what was given is no span of time. */
export const between = (from: string | null, to: string | null): Span | undefined => {
  const [begin, end] = [Date.parse(from ?? ""), to === null ? gatewayNow() : Date.parse(to)]
  if (!(begin < end)) return undefined
  return { interval: intervalOf(begin, end), from: iso(begin), tz: timeZone, ...(to === null ? {} : { to: iso(end) }) }
}

const MOVES_MS = 60_000

/** The span that ends now, as long as the page is open: it moves on with the time. */
export const useSpan = (name: RangeName): Span => {
  const [span, setSpan] = useState({ name, is: until(name) })
  useEffect(() => {
    const move = () => {
      const is = until(name)
      setSpan((old) => (old.name === name && old.is.from === is.from ? old : { name, is }))
    }
    move()
    const timer = setInterval(() => {
      if (!document.hidden) move()
    }, MOVES_MS)
    const stop = onClock(move)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [name])
  return span.name === name ? span.is : until(name)
}

/** The beginnings of all intervals of a report, those without traffic too. */
export const byTime = ({ from, interval, to }: TrafficReport): ReadonlyArray<number> => {
  const last = Date.parse(to)
  const times: Array<number> = []
  const begin = Date.parse(from)
  // Days are made of hours of UTC: one that holds the end of a day counts in that day whole.
  const firstHour = (day: number) => Math.ceil(day / HOUR_MS) * HOUR_MS
  let at = interval === "day" ? startOfDay(begin + HOUR_MS) : begin
  while ((interval === "day" ? firstHour(at) : at) < last && times.length < 1000) {
    times.push(at)
    at = interval === "minute" ? at + 60_000 : interval === "day" ? nextDay(at) : at + HOUR_MS
  }
  return times
}

/** As `datetime-local` has it, in the zone of the page; "" for what is no time. */
export const localText = (at: string): string => {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return ""
  const local = timeZone === UTC ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000
  return iso(local).slice(0, 16)
}

/** The reverse; undefined: nothing was given. */
export const timeOf = (text: string): string | undefined => {
  const ms = Date.parse(timeZone === UTC ? `${text}Z` : text)
  return Number.isNaN(ms) ? undefined : iso(ms)
}
