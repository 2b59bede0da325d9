/** The kinds of flags that commands share. `metavar` stands for the value in the help. */
import type { Option } from "effect"
import { Flag } from "effect/cli"

export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const optionalText = (name: string, metavar: string, description: string) =>
  Flag.optional(textFlag(name, metavar, description))

/** `allowed`: what `parse` takes, for the message that refuses another value. */
export const parsedFlag = <A>(
  name: string,
  metavar: string,
  description: string,
  parse: (text: string) => Option.Option<A>,
  allowed: string
) => textFlag(name, metavar, description).pipe(Flag.filterMap(parse, () => allowed))

export const optionalParsed = <A>(...flag: Parameters<typeof parsedFlag<A>>) => Flag.optional(parsedFlag(...flag))

export const wordFlag = <const Words extends ReadonlyArray<string>>(name: string, words: Words, description: string) =>
  Flag.Literals(name, words).pipe(Flag.withDescription(description))

export const optionalWord = <const Words extends ReadonlyArray<string>>(
  name: string,
  words: Words,
  description: string
) => Flag.optional(wordFlag(name, words, description))

/** False unless it is given. */
export const toggle = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withoutNegation, Flag.withDefault(false))

/** The rows of a page. */
export const limitFlag = (usual: number) =>
  Flag.Int("limit").pipe(
    Flag.withMetavar("N"),
    Flag.withDescription(`how many, 1 to 1000 (default: ${usual})`),
    Flag.filter(
      (limit) => limit >= 1 && limit <= 1000,
      () => "a whole number from 1 to 1000"
    ),
    Flag.withDefault(usual)
  )
