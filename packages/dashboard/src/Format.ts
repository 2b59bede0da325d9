/** Figures and times as people read them. */

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

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })
const day = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" })
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" })

/** In the viewer's zone; the day only where it is another one. */
export const time = (at: string): string => {
  const date = new Date(at)
  const isToday = date.toDateString() === new Date().toDateString()
  return isToday ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`
}

const minute = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" })

/** As short as can be: the minute of today, else the day. */
export const moment = (at: string): string => {
  const date = new Date(at)
  return (date.toDateString() === new Date().toDateString() ? minute : day).format(date)
}

export const dateAndTime = (at: string | null): string => (at === null ? "never" : whole.format(new Date(at)))

export const words = (name: string): string => name.replaceAll("_", " ")
