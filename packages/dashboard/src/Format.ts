/** Figures and times as people read them. */
import { gatewayNow } from "./api/Clock.ts"
import { timeZone } from "./Zone.ts"

/** Four digits in tables; the last nano-dollar in detail. */
export const usd = (amount: number | null): string => {
  if (amount === null) return "unknown"
  if (amount === 0) return "$0"
  const size = Math.abs(amount)
  if (size < 1e-9) return "< $0.000000001"
  const digits = size >= 1000 ? 0 : size >= 1 ? 2 : Math.min(9, 3 - Math.floor(Math.log10(size)))
  return `${amount < 0 ? "−" : ""}$${size.toLocaleString("en-US", { minimumFractionDigits: size >= 1 ? digits : 0, maximumFractionDigits: digits })}`
}

export const exactUsd = (amount: number | null): string =>
  amount === null
    ? "unknown"
    : `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 9 })}`

export const count = (value: number): string => value.toLocaleString("en-US")

export const short = (value: number): string =>
  Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 }).format(value)

export const duration = (ms: number | null): string => {
  if (ms === null) return "–"
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

export const percent = (share: number | null): string => {
  if (share === null || Number.isNaN(share)) return "–"
  return `${(share * 100).toLocaleString("en-US", { maximumFractionDigits: share === 0 || share >= 0.1 ? 0 : 1 })} %`
}

/** What is booked whose price is known, and that there is more of which nobody knows it: never as if it were free. */
export const spent = (sums: { readonly cost_usd: number; readonly unpriced: number }): string =>
  sums.unpriced === 0 ? usd(sums.cost_usd) : sums.cost_usd === 0 ? "unknown" : `${usd(sums.cost_usd)} + unknown`

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZone })
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone })
const minute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", timeZone })

const date = new Intl.DateTimeFormat("en-CA", { timeZone })
const isToday = (at: Date): boolean => date.format(at) === date.format(gatewayNow())

/** In the viewer's zone; the day only where it is another one. */
export const time = (at: string): string => {
  const then = new Date(at)
  return isToday(then) ? clock.format(then) : `${day.format(then)} ${clock.format(then)}`
}

/** As short as can be: the minute of today, else the day. */
export const moment = (at: string): string => {
  const then = new Date(at)
  return (isToday(then) ? minute : day).format(then)
}

/** On an axis: days where it is long. */
export const tick = (at: number, spanMs: number): string =>
  (spanMs > 2 * 86_400_000 ? day : minute).format(new Date(at))

export const dateAndTime = (at: string | null): string => (at === null ? "never" : whole.format(new Date(at)))

export const words = (name: string): string => name.replaceAll("_", " ")
