/** Values that many records share: times, amounts, names. Everything is snake_case, money is USD, times are RFC 3339. */
import { DateTime, Option, Schema } from "effect"

/** The largest amount a budget may have: sums beyond it would no longer be exact. */
export const MAX_BUDGET_USD = 9_000_000

const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

/**
 * A rule that JSON Schema can't express. `looser` is what it can say of it; saying anything at all keeps the description, which
 * would be left out with the rule.
 */
export const rule = <T>(test: (value: T) => boolean | Schema.FilterIssue, expected: string, looser = {}) =>
  Schema.makeFilter<T>(test, { expected, toJsonSchema: () => [looser, true] })

/** A time as the gateway writes it. */
export const Timestamp = Schema.String.annotate({
  description: "RFC 3339 in UTC.",
  format: "date-time",
  examples: ["2026-11-21T12:00:00.000Z"]
})

/** A time as callers may write it: with any offset. */
export const TimestampInput = Schema.String.check(
  rule(
    (text: string) => RFC_3339.test(text) && !Number.isNaN(Date.parse(text)) && isCalendarDay(text),
    "a time in RFC 3339, e.g. 2026-12-31T23:59:59Z",
    { format: "date-time" }
  )
).annotate({ description: "RFC 3339, with any offset.", examples: ["2026-12-31T23:59:59Z"] })

/** `2026-11-21`. */
const DATE = /^\d{4}-\d\d-\d\d$/

/** A time, or a day that stands for its beginning. */
export const TimeOrDay = Schema.String.check(
  rule(
    (text: string) =>
      (RFC_3339.test(text) || DATE.test(text)) && !Number.isNaN(Date.parse(text)) && isCalendarDay(text),
    "a time in RFC 3339 or a day, e.g. 2026-11-01"
  )
).annotate({
  description: "RFC 3339, or a day (YYYY-MM-DD), which stands for its beginning in the time zone asked for.",
  examples: ["2026-11-01"]
})

/** `Date.parse` takes 30 February for 2 March in some forms. */
const isCalendarDay = (text: string): boolean => {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10))
}

/** An amount that was counted. */
export const Usd = Schema.Finite.annotate({ description: "USD." })

/** An amount that a budget may have. */
export const BudgetUsd = Schema.Finite.check(
  Schema.isGreaterThan(0, { expected: "an amount above 0 USD" }),
  Schema.isLessThanOrEqualTo(MAX_BUDGET_USD, { expected: `at most ${MAX_BUDGET_USD} USD` }),
  rule((usd: number) => Number(usd.toFixed(9)) === usd, "an amount with at most 9 decimals")
).annotate({
  description: `USD, above 0, at most ${MAX_BUDGET_USD}, with at most 9 decimals.`,
  examples: [25]
})

export const TimeZone = Schema.String.check(
  rule(
    (name: string) => /^[A-Za-z][\w+/-]{0,63}$/.test(name) && Option.isSome(DateTime.zoneMakeNamed(name)),
    "the IANA name of a time zone, e.g. UTC or Europe/Berlin"
  )
).annotate({ description: "IANA name of a time zone.", examples: ["UTC", "Europe/Berlin"] })

/** What people call something. */
export const Name = Schema.String.check(
  rule(
    (text: string) => /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(text) && text.trim() === text,
    "1 to 200 characters, no control characters, no spaces around"
  )
).annotate({ description: "1 to 200 characters." })

export const TeamName = Schema.String.check(
  Schema.isPattern(/^[\p{L}\p{N}](?:[\p{L}\p{N} ._@+:-]{0,98}[\p{L}\p{N}._@+:-])?$/u, {
    expected: "1 to 100 letters, digits, spaces or any of . _ @ + : -, beginning with a letter or digit"
  })
).annotate({
  description: "The name of a team: 1 to 100 letters, digits, spaces or any of `. _ @ + : -`.",
  examples: ["research"]
})

const encoder = new TextEncoder()

export const EndUserId = Schema.String.check(
  rule(
    (text: string) => text !== "" && text.isWellFormed() && encoder.encode(text).length <= 256 && !/\p{Cc}/u.test(text),
    "1 to 256 bytes of UTF-8 without control characters"
  )
).annotate({ description: "The id of an end user: 1 to 256 bytes without control characters.", examples: ["user-42"] })

/** No commas, because the tags of a request come as one header. */
export const Tag = Schema.String.check(
  Schema.isPattern(/^[\x21-\x2b\x2d-\x7e]{1,64}$/, {
    expected: "1 to 64 visible ASCII characters without comma and space"
  })
).annotate({ description: "1 to 64 visible ASCII characters, no comma.", examples: ["batch"] })

export const ModelPattern = Schema.String.check(
  rule(
    (text: string) => /^[^\p{Cc}\p{Cs}\s]{1,200}$/u.test(text),
    "the name of a model or a glob, e.g. openai/*: 1 to 200 characters, no spaces"
  )
).annotate({ description: "The name of a model, or a glob.", examples: ["openai/*", "auto"] })

/** A whole number of at least 1. */
export const positive = (maximum: number, description: string) =>
  Schema.Int.check(
    Schema.isBetween({ minimum: 1, maximum }, { expected: `a whole number from 1 to ${maximum}` })
  ).annotate({ description })

/** One page of a list. */
export const page = <S extends Schema.Top>(item: S, what: string) =>
  Schema.Struct({
    object: Schema.Literal("list"),
    data: Schema.Array(item).annotate({ description: what })
  })
