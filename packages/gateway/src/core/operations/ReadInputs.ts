/** Reads inputs that a model takes one by one: a text, a list of texts, the tokens of one text, or a list of those. */
import { Result } from "effect"
import type { CallRequest } from "./CallRequest.ts"
import type { InvalidField } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import { wrong } from "./ParseFields.ts"
import { BYTES_PER_TOKEN, found, given, RequestScan } from "./RequestScan.ts"

interface Inputs {
  /** None where the inputs are tokens. */
  readonly texts: ReadonlyArray<string>
  readonly count: number
  readonly sizes: Pick<CallRequest, "textBound" | "mediaEstimate" | "inputEstimate" | "tokens" | "separate">
}

/** `name`: of the field that holds them, in a body of `bytes` bytes. */
export const readInputs = (fields: JsonObject, name: string, bytes: number): Result.Result<Inputs, InvalidField> => {
  const value: unknown = given(fields[name])
  const refused = () => wrong(name, `\`${name}\` must be a text, a list of texts, or tokens, ${found(value)}`)
  if (typeof value === "string") return Result.succeed(ofTexts([value], bytes))
  if (isTexts(value)) return Result.succeed(ofTexts(value, bytes))
  if (isTokens(value)) return Result.succeed(ofTokens([value]))
  if (!isLists(value)) return refused()
  const at = value.findIndex((one) => !isTokens(one))
  if (at < 0) return Result.succeed(ofTokens(value))
  const field = `${name}[${at}]`
  return wrong(field, `\`${field}\` must be a list of at least one token, ${found(value[at])}`)
}

const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string")

/** Of tokens, but for those that are none. */
const isLists = (value: unknown): value is ReadonlyArray<ReadonlyArray<number>> =>
  Array.isArray(value) && value.length > 0 && value.every((one) => Array.isArray(one))

const isTokens = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.length > 0 && value.every((one) => Number.isSafeInteger(one) && one >= 0)

const ofTexts = (texts: ReadonlyArray<string>, bytes: number): Inputs => ({
  texts,
  count: texts.length,
  sizes: { ...new RequestScan().sizes(bytes), ...separate(texts, (text) => Buffer.byteLength(text) / BYTES_PER_TOKEN) }
})

/** No tokenizer has a say in these: there are as many tokens as numbers. */
const ofTokens = (lists: ReadonlyArray<ReadonlyArray<number>>): Inputs => {
  const tokens = lists.reduce((sum, one) => sum + one.length, 0)
  const sizes = { textBound: tokens, mediaEstimate: 0, inputEstimate: tokens, tokens }
  return { texts: [], count: lists.length, sizes: { ...sizes, ...separate(lists, (one) => one.length) } }
}

const separate = <A>(inputs: ReadonlyArray<A>, tokens: (input: A) => number): Pick<CallRequest, "separate"> =>
  inputs.length === 1
    ? {}
    : {
        separate: {
          count: inputs.length,
          longest: Math.ceil(inputs.reduce((most, one) => Math.max(most, tokens(one)), 0))
        }
      }
