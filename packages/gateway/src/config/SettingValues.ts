/** Single values of the file as schemas. Each takes what is written, makes of it what its type is, and checks that. */
import { Effect, Schema, SchemaGetter } from "effect"
import { FilledIn, refuse, type Mistake, DecodedTable } from "./Decode.ts"
import type { Here } from "./Here.ts"
import { didYouMean, listed } from "../core/collections/Suggest.ts"

/** What `schema` checks is what `read` makes of the text in the file. What `read` can't use it hands on, to be refused. */
export const readBy = <A>(
  read: (written: unknown) => unknown,
  schema: Schema.Codec<A, unknown>
): Schema.Codec<A, unknown> =>
  Schema.Unknown.pipe(
    Schema.decodeTo(schema, {
      decode: SchemaGetter.transform(read),
      encode: SchemaGetter.passthrough({ strict: false })
    })
  )

/** Of a field that is refused: the documents leave it out. */
export const REMOVED = "removed"

/** A group of fields. Nothing at all stands for an empty group, and a field without a value (`key:`) for one left out. */
export const group = <const F extends { readonly [name: string]: Schema.Codec<unknown, unknown> }>(
  fields: F,
  told: Schema.Annotations.Annotations = {}
): Schema.Codec<Schema.Struct<F>["Type"], unknown> => {
  return readBy(
    (written) => (written === null ? {} : written instanceof DecodedTable ? fieldsOf(written, fields) : undefined),
    Schema.Struct(fields).annotate(told)
  ) as Schema.Codec<Schema.Struct<F>["Type"], unknown>
}

const fieldsOf = ({ entries }: DecodedTable, known: object): unknown =>
  Object.fromEntries(entries.filter(([key, value]) => value !== null || !Object.hasOwn(known, key)))

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Word}${Capitalize<CamelCase<Rest>>}`
  : Name

type CamelCased<Fields> = { readonly [Name in keyof Fields as CamelCase<Name & string>]: Fields[Name] }

/** The fields of a group by the names that they have in `Settings`. */
export const camelCased = <Fields extends object>(fields: Fields): CamelCased<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value
    ])
  ) as CamelCased<Fields>

/** A group whose keys are the operator's own names, in the order of the file. */
export const record = <A>(key: Schema.Codec<string>, value: Schema.Codec<A, unknown>) =>
  readBy(
    (written) => (written === null ? [] : written instanceof DecodedTable ? written.entries : undefined),
    Schema.Array(Schema.Tuple([key, value]))
  )

/** What a field is where it is left out. */
export const or =
  <A>(value: NoInfer<A>) =>
  (schema: Schema.Codec<A, unknown>) =>
    Schema.withDecodingDefaultTypeKey<Schema.Codec<A, unknown>>(Effect.succeed(value))(schema).annotateKey({
      default: value
    })

/** A group that is left out reads like an empty one. */
export const orEmpty = <A>(schema: Schema.Codec<A, unknown>) =>
  Schema.withDecodingDefaultKey<Schema.Codec<A, unknown>>(Effect.succeed(null))(schema)

/** A field that must be there. `needs`: what a file without it is told to write. */
export const required = <A>(needs: string, schema: Schema.Codec<A, unknown>) =>
  schema.annotateKey({ messageMissingKey: needs })

export const textOf = (written: unknown): unknown => (written instanceof FilledIn ? written.text : written)

export const text = (expected: string) =>
  readBy(
    textOf,
    Schema.String.annotate({ expected, problem: (here) => whyNoText(here, expected) }).check(
      refuse((value) => (value.trim() === "" ? (here) => whyNoText(here, expected) : undefined), true)
    )
  )

export const whyNoText = ({ node, shown }: Here, allowed: string): Mistake | undefined => {
  const value = node.kind === "scalar" ? node.value : undefined
  if (typeof value === "number" || typeof value === "boolean") {
    return { message: `${shown} is not ${allowed}; text that looks like a number needs quotes`, allowed }
  }
  if (typeof value !== "string") return undefined
  return { message: `empty text is not ${allowed}`, allowed, found: "empty text" }
}

/** A setting that there was. `instead`: what to do. */
export const gone = (instead: string) =>
  Schema.optionalKey(Schema.Unknown.check(refuse(() => () => ({ message: instead, allowed: "nothing" })))).annotateKey({
    about: REMOVED
  })

export const textThat = (expected: string, fits: (value: string) => boolean) =>
  text(expected).check(Schema.makeFilter(fits, { expected }))

const yesOrNoOf = (written: unknown): unknown => {
  const value = textOf(written)
  return value === "true" || value === "false" ? value === "true" : value
}

export const yesOrNo = readBy(yesOrNoOf, Schema.Boolean.annotate({ expected: "true or false" }))

const numberOf = (written: unknown): unknown => {
  if (written instanceof FilledIn && written.isWhole && /^[+-]?\d+(\.\d+)?$/.test(written.text)) {
    return Number(written.text)
  }
  return Number.isFinite(written) ? written : undefined
}

const numberThat = (expected: string, fits: (value: number) => boolean) =>
  readBy(numberOf, Schema.Finite.check(Schema.makeFilter(fits, { expected })))

interface NumberRange {
  readonly from: number
  readonly to: number
}

export const integer = ({ from, to }: NumberRange) =>
  numberThat(`a whole number from ${from} to ${to}`, (value) => Number.isInteger(value) && value >= from && value <= to)

/** The same, or a word that stands for one. */
export const integerOr = <const Name extends string>(name: Name, means: string, { from, to }: NumberRange) =>
  readBy(
    (written) => (textOf(written) === name ? name : numberOf(written)),
    Schema.Union([Schema.Literal(name), Schema.Finite]).check(
      Schema.makeFilter(
        (value) => typeof value === "string" || (Number.isInteger(value) && value >= from && value <= to),
        {
          expected: `a whole number from ${from} to ${to}, or ${name}: ${means}`
        }
      )
    )
  )

export const positive = (to: number) => numberThat(`a number above 0, up to ${to}`, (value) => value > 0 && value <= to)

export const atMost = (to: number) => numberThat(`a number from 0 to ${to}`, (value) => value >= 0 && value <= to)

/** Strictly between the two. */
export const numberBetween = ({ from, to }: NumberRange) =>
  numberThat(`a number between ${from} and ${to}`, (value) => value > from && value < to)

/** More than this per million tokens is a slip, and sums must stay within the safe integers. */
const HIGHEST_PRICE = 1_000_000

/** USD for so many of something. Six decimals of a price per million are whole pico-USD, which is what prices are kept in. */
export const price = (per: string, highest = HIGHEST_PRICE) => {
  const expected = `a price: USD per ${per}, from 0 to ${highest}, with at most 6 decimals`
  const isMillions = per.startsWith("million")
  return readBy(
    numberOf,
    Schema.Finite.check(
      refuse((value) => (isMillions && value > 0 && value < LOWEST_PRICE ? () => perOne(value, per) : undefined), true),
      Schema.makeFilter((value) => value >= 0 && value <= highest && Number(value.toFixed(6)) === value, {
        expected,
        problem: (here) => numberAsText(here, expected)
      })
    )
  )
}

/** A million of anything for less is a price of one. */
const LOWEST_PRICE = 0.001

const perOne = (value: number, per: string): Mistake => {
  const message = `${value} USD per ${per} looks like the price of one; write ${Number((value * 1e6).toPrecision(12))}`
  return { message, allowed: `USD per ${per}` }
}

/** `"$0.10"`, `"0,4"` and `"0.4"` in quotes: the number is meant. */
const numberAsText = ({ isFilledIn, shown, text }: Here, allowed: string): Mistake | undefined => {
  const number = isFilledIn ? undefined : /^\$?\s*(\d+)(?:[.,](\d+))?\s*(?:\$|usd)?$/i.exec(text ?? "")
  if (!number) return undefined
  const [, whole = "0", part] = number
  return { message: `${shown} is not ${allowed}; write ${part === undefined ? whole : `${whole}.${part}`}`, allowed }
}

export const oneOf = <const Name extends string>(what: string, names: ReadonlyArray<Name>) =>
  readBy(
    textOf,
    Schema.Literals(names).annotate({
      expected: `${what}: ${names.join(", ")}`,
      problem: (here) => unknownName(here, what, names)
    })
  )

/** `"fulll" is not a way to synchronise; did you mean "full"? (allowed: full, normal)` */
const unknownName = ({ shown, text }: Here, what: string, names: ReadonlyArray<string>): Mistake | undefined => {
  if (text === undefined) return undefined
  const allowed = listed(names)
  return { message: `${shown} is not ${what}${didYouMean(text, names)} (allowed: ${allowed})`, allowed }
}

export const list = <A>(expected: string, item: Schema.Codec<A, unknown>): Schema.Codec<ReadonlyArray<A>, unknown> =>
  Schema.Array(item).annotate({ expected })

/** A list that is not empty. */
export const someOf = <A>(expected: string, item: Schema.Codec<A, unknown>) =>
  list(expected, item).check(refuse((items) => (items.length === 0 ? () => tellEmpty(expected) : undefined)))

export const oneOrMore = <A>(expected: string, item: Schema.Codec<A, unknown>) => readBy(asList, someOf(expected, item))

export const asList = (written: unknown): unknown =>
  Array.isArray(written) || written instanceof DecodedTable ? written : [written]

export const tellEmpty = (allowed: string): Mistake => ({
  message: `this list is empty; it must hold ${allowed}`,
  allowed
})

export const DAY_MS = 24 * 3_600_000

const MILLISECONDS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS }

type Unit = keyof typeof MILLISECONDS

/** A number and one of `units`, in milliseconds. `off`: what else stands for none at all. */
export const time = (
  expected: string,
  units: readonly [small: Unit, large: Unit, ...more: ReadonlyArray<Unit>],
  fits: (ms: number) => boolean,
  off: ReadonlyArray<unknown> = []
) => {
  const millisecondsOf = (written: unknown): unknown => {
    const value = textOf(written)
    if (off.includes(value)) return 0
    const [, digits, unit] = (typeof value === "string" && /^(\d+(?:\.\d+)?)\s?([a-z]+)$/.exec(value)) || []
    const known = units.find((one) => one === unit)
    return known && Math.round(Number(digits) * MILLISECONDS[known] * 1000) / 1000
  }
  const isOff = (ms: number) => ms === 0 && off.length > 0
  return readBy(
    millisecondsOf,
    Schema.Finite.check(
      Schema.makeFilter((ms) => Number.isInteger(ms) && (isOff(ms) || fits(ms)), {
        expected,
        problem: (here) => withoutUnit(here, units, expected)
      })
    )
  )
}

const withoutUnit = ({ node, shown }: Here, [small, large]: ReadonlyArray<string>, allowed: string) => {
  if (node.kind !== "scalar" || typeof node.value !== "number") return undefined
  const example = Number.isInteger(node.value) && node.value >= 0
  const how = example ? `; write ${node.value}${large} or ${node.value}${small}` : ""
  return { message: `${shown} has no unit${how}`, allowed }
}

const durationOf = (from: number, more: string, off?: ReadonlyArray<unknown>) =>
  time(
    `a duration such as 250ms, 60s, 5m or 1h, from ${from}ms to 24h${more}`,
    ["ms", "s", "m", "h"],
    // Beyond 24 days a timer of JavaScript would go off at once.
    (ms) => ms >= from && ms <= DAY_MS,
    off
  )

/** `250ms`, `60s`, `5m`, `1h`, in milliseconds, from `from` ms to a day. */
export const duration = (from: number) => durationOf(from, "")

/** The same, or 0 for `off`. */
export const durationOrOff = (from: number) => durationOf(from, ", or off", ["off", false])

const LONGEST_SPAN_DAYS = 3650

/** How long something is kept: `12h`, `30d`, in milliseconds; 0 for `0` and `off`. */
export const span = time(
  `a time such as 12h or 30d, up to ${LONGEST_SPAN_DAYS}d, or off`,
  ["h", "d"],
  (ms) => ms <= LONGEST_SPAN_DAYS * DAY_MS,
  [0, "0", "off", false]
)
