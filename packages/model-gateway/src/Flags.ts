/** The kinds of flags that commands share. `metavar` stands for the value in the help. */
import { Flag } from "effect/cli"

export const textFlag = (name: string, metavar: string, description: string) =>
  Flag.String(name).pipe(Flag.withMetavar(metavar), Flag.withDescription(description))

export const optionalText = (name: string, metavar: string, description: string) =>
  Flag.optional(textFlag(name, metavar, description))

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
