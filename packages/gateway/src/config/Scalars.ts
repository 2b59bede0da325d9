/**
 * Readers for single values.
 */
import { Option, Redacted } from "effect"
import { filledInWhole } from "./Interpolation.ts"
import type { Here, Reader } from "./Reader.ts"
import { kindInWords } from "./tree/Tree.ts"

/** Text that is not empty. */
export const text =
  (allowed: string): Reader<string> =>
  (here) => {
    const value = here.node.kind === "scalar" ? here.node.value : undefined
    if (typeof value === "number" || typeof value === "boolean") {
      return here.problem(`${here.shown} is not ${allowed}; text that looks like a number needs quotes`, allowed)
    }
    if (typeof value !== "string") return here.expected(allowed)
    return value.trim() === "" ? here.problem(`empty text is not ${allowed}`, allowed, "empty text") : value
  }

/** Text together with where it stands, for names that are looked up later. */
export interface Name {
  readonly value: string
  readonly here: Here
}

export const name =
  (allowed: string): Reader<Name> =>
  (here) => {
    const value = text(allowed)(here)
    return value === undefined ? undefined : { value, here }
  }

/** A secret: visible ASCII, as it has to fit in a header. Neither the value nor any part of it is ever shown. */
export const secret =
  (allowed: string): Reader<Redacted.Redacted<string>> =>
  (here) => {
    const found = kindInWords(here.node)
    if (here.node.kind !== "scalar" || typeof here.node.value !== "string") return here.expected(allowed, found)
    if (here.node.value === "") return here.problem(`empty text is not ${allowed}`, allowed, "empty text")
    if (!/^[\x21-\x7e]+$/.test(here.node.value)) {
      return here.problem(
        "this key holds a space, a line break or a letter that no key can hold (the value is not shown)",
        "visible ASCII",
        "a key with other characters"
      )
    }
    return Redacted.make(here.node.value)
  }

export const yesOrNo: Reader<boolean> = (here) => {
  const value = here.node.kind === "scalar" ? here.node.value : undefined
  if (typeof value === "boolean") return value
  return value === "true" || value === "false" ? value === "true" : here.expected("true or false")
}

interface Range {
  readonly from: number
  readonly to: number
}

const numberIn =
  (allowed: string, fits: (value: number) => boolean): Reader<number> =>
  (here) => {
    if (here.node.kind !== "scalar") return here.expected(allowed)
    const filledIn = Option.getOrUndefined(filledInWhole(here.node))
    const value = filledIn !== undefined && /^[+-]?\d+(\.\d+)?$/.test(filledIn) ? Number(filledIn) : here.node.value
    return typeof value === "number" && fits(value) ? value : here.expected(allowed)
  }

export const integer = ({ from, to }: Range): Reader<number> =>
  numberIn(`a whole number from ${from} to ${to}`, (value) => Number.isInteger(value) && value >= from && value <= to)

/** Above `above`, up to `to`. */
export const positive = (to: number): Reader<number> =>
  numberIn(`a number above 0, up to ${to}`, (value) => value > 0 && value <= to)

/** From 0 up to `to`. */
export const atMost = (to: number): Reader<number> =>
  numberIn(`a number from 0 to ${to}`, (value) => value >= 0 && value <= to)

/** Strictly between the two. */
export const numberBetween = ({ from, to }: Range): Reader<number> =>
  numberIn(`a number between ${from} and ${to}`, (value) => value > from && value < to)

/** More than this per million tokens is a slip, and sums must stay within the safe integers. */
const HIGHEST_PRICE = 1_000_000

/** USD for so many of something. Six decimals of a price per million are whole pico-USD, which is what prices are kept in. */
export const price = (per: string, highest = HIGHEST_PRICE): Reader<number> =>
  numberIn(
    `a price: USD per ${per}, from 0 to ${highest}, with at most 6 decimals`,
    (value) => value >= 0 && value <= highest && Number(value.toFixed(6)) === value
  )

export const oneOf =
  <const Name extends string>(what: string, names: ReadonlyArray<Name>): Reader<Name> =>
  (here) => {
    const value = here.node.kind === "scalar" ? here.node.value : undefined
    const found = names.find((name) => name === value)
    if (found !== undefined) return found
    return typeof value === "string"
      ? here.unknownName(value, what, "allowed", names)
      : here.expected(`${what}: ${names.join(", ")}`)
  }

export const DAY_MS = 24 * 3_600_000

const MILLISECONDS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }

/** A day. Beyond 24 days a timer of JavaScript would go off at once. */
const LONGEST_MS = DAY_MS

/** A number and one of `units`, in milliseconds. */
const time =
  (allowed: string, units: string, fits: (ms: number) => boolean): Reader<number> =>
  (here) => {
    const value = here.node.kind === "scalar" ? here.node.value : undefined
    if (typeof value === "number") {
      const [small, large] = units.split("|").slice(0, 2)
      const examples = Number.isInteger(value) && value >= 0 ? `; write ${value}${large} or ${value}${small}` : ""
      return here.problem(`${here.shown} has no unit${examples}`, allowed)
    }
    const pattern = new RegExp(`^(\\d+(?:\\.\\d+)?)\\s?(${units})$`)
    const [, digits, unit] = (typeof value === "string" && pattern.exec(value)) || []
    if (digits === undefined || unit === undefined) return here.expected(allowed)
    const ms = Math.round(Number(digits) * MILLISECONDS[unit]! * 1000) / 1000
    return Number.isInteger(ms) && fits(ms) ? ms : here.expected(allowed)
  }

/** `250ms`, `60s`, `5m`, `1h`, in milliseconds, from `from` ms to a day. */
export const duration = (from: number): Reader<number> => durationOf(from, "")

/** The same, or 0 for `off`. */
export const durationOrOff =
  (from: number): Reader<number> =>
  (here) => {
    const value = here.node.kind === "scalar" ? here.node.value : undefined
    return value === "off" || value === false ? 0 : durationOf(from, ", or off")(here)
  }

const durationOf = (from: number, more: string): Reader<number> =>
  time(
    `a duration such as 250ms, 60s, 5m or 1h, from ${from}ms to 24h${more}`,
    "ms|s|m|h",
    (ms) => ms >= from && ms <= LONGEST_MS
  )

const LONGEST_SPAN_DAYS = 3650

const days = time(
  `a time such as 12h or 30d, up to ${LONGEST_SPAN_DAYS}d, or off`,
  "h|d",
  (ms) => ms <= LONGEST_SPAN_DAYS * DAY_MS
)

/** How long something is kept: `12h`, `30d`, in milliseconds; 0 for `0` and `off`. */
export const span: Reader<number> = (here) => {
  const value = here.node.kind === "scalar" ? here.node.value : undefined
  return value === 0 || value === "0" || value === "off" || value === false ? 0 : days(here)
}

const URL_ALLOWED = "an address such as https://api.example.com/v1"

/**
 * An http(s) address to append paths to, without the slash at its end. It is never shown: what makes it wrong may be the
 * password in it.
 */
export const baseUrl: Reader<string> = (here: Here) => {
  const value = text(URL_ALLOWED)(here)
  if (value === undefined) return undefined
  const no = (why: string) => here.problem(`${why}; write ${URL_ALLOWED}`, URL_ALLOWED, why)
  const url = URL.parse(value)
  if (url === null) return no("this is no address")
  if (url.protocol !== "http:" && url.protocol !== "https:") return no("this address is neither http:// nor https://")
  if (url.username !== "" || url.password !== "") {
    return no("this address holds a user name or password, which belongs in api_key")
  }
  if (/[?#]/.test(value)) return no("this address has a ? or # part, and paths are appended to it")
  return url.href.replace(/\/+$/, "")
}
