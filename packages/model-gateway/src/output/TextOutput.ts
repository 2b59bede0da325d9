/** Values as people read them. */
import { DateTime, Option } from "effect"

/** Names come from others, and a terminal obeys control characters. */
export const printable = (text: string): string => text.replace(UNPRINTABLE, "�")

/** Control characters, line breaks of Unicode, and marks that turn the order of others around. */
// oxlint-disable-next-line no-control-regex
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const NOTHING = "-"

export const orNothing = (text: string | null | undefined): string =>
  text === null || text === undefined || text === "" ? NOTHING : printable(text)

export const list = (items: ReadonlyArray<string> | null | undefined): string => orNothing(items?.join(", "))

/** `ci (key_…)`: the name of a key and its id, since names need not be unique. */
export const keyInWords = (name: string | null | undefined, id: string | null | undefined): string =>
  name === null || name === undefined || name === "" ? orNothing(id) : `${printable(name)} (${orNothing(id)})`

/** USD with a sign. Cents from a dollar up; below, as many digits as are significant, down to nano-USD. */
export const money = (usd: number | null | undefined): string => {
  if (usd === null || usd === undefined) return NOTHING
  const sign = usd < 0 ? "-" : ""
  const amount = Math.abs(usd)
  if (amount === 0) return "$0.00"
  if (amount >= 0.995) return `${sign}$${grouped(amount.toFixed(2))}`
  const digits = Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(amount)) + 1))
  return `${sign}$${amount.toFixed(digits).replace(/(\.\d\d\d*?)0+$/, "$1")}`
}

/** `12,345`. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? NOTHING : grouped(String(value))

const grouped = (digits: string): string => {
  const [whole, ...fraction] = digits.split(".")
  return [whole!.replace(/\B(?=(\d{3})+$)/g, ","), ...fraction].join(".")
}

/** `2026-10-01 12:30`, UTC; what is no time is shown as it came. */
export const time = (rfc3339: string | null | undefined): string => {
  if (rfc3339 === null || rfc3339 === undefined) return NOTHING
  return Option.match(DateTime.make(rfc3339), {
    onNone: () => printable(rfc3339),
    onSome: (at) => DateTime.formatIso(at).slice(0, 16).replace("T", " ")
  })
}

/** `85 ms`, `1.2 s`. */
export const milliseconds = (ms: number | null | undefined): string => {
  if (ms === null || ms === undefined) return NOTHING
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}

/** A share of 1: `2.5 %`. */
export const percent = (share: number): string => `${Number((share * 100).toFixed(1))} %`
