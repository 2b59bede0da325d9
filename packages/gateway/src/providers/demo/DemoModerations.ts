/** The demo vendor's judgement: by a few plain words, so that tests and demonstrations know what is flagged. Images are harmless. */
import { Result, Schema } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { maybe, readBody } from "./chat/DemoRequest.ts"
import { modelNotFound, type VendorError } from "./DemoVendorErrors.ts"

const MODEL = "moderation"

const Part = Schema.Struct({ type: Schema.Literals(["text", "image_url"]), text: maybe(Schema.String) })

const read = readBody(
  Schema.Struct({
    model: Schema.String,
    input: Schema.Union([Schema.String, Schema.NonEmptyArray(Schema.String), Schema.NonEmptyArray(Part)])
  })
)

/** The vendor's categories, and words that belong to each. */
const CATEGORIES: ReadonlyArray<readonly [name: string, words: RegExp | undefined]> = [
  ["harassment", /\b(?:insult|bully|stupid)\w*/i],
  ["harassment/threatening", undefined],
  ["hate", /\bhate\w*/i],
  ["hate/threatening", undefined],
  ["illicit", /\b(?:steal|smuggle)\w*/i],
  ["illicit/violent", /\bbombs?\b/i],
  ["self-harm", undefined],
  ["self-harm/intent", undefined],
  ["self-harm/instructions", undefined],
  ["sexual", undefined],
  ["sexual/minors", undefined],
  ["violence", /\b(?:attack|harm|hit|hurt|kill)\w*/i],
  ["violence/graphic", /\bblood\w*/i]
]

/** Scores of what was found and of what was not. */
const FOUND = 0.92
const NOT_FOUND = 0.0001

/** The body of the answer. `call`: what makes its id. */
export const moderations = (
  body: string,
  { created, serial = 0 }: { readonly created: number; readonly serial?: number }
): Result.Result<JsonObject, VendorError> =>
  Result.flatMap(read(body), ({ input, model }) =>
    model === MODEL
      ? Result.succeed({
          id: `modr-demo${created.toString(36)}${serial.toString(36)}`,
          model,
          results: inputsOf(input).map(({ kinds, text }) => judged(text, kinds))
        })
      : Result.fail(modelNotFound(model))
  )

interface ModerationInput {
  readonly text: string
  readonly kinds: ReadonlyArray<"text" | "image">
}

/** Parts are judged together. */
const inputsOf = (
  input: string | ReadonlyArray<string> | ReadonlyArray<typeof Part.Type>
): ReadonlyArray<ModerationInput> => {
  if (typeof input === "string") return [{ text: input, kinds: ["text"] }]
  const texts = input.filter((one) => typeof one === "string")
  if (texts.length > 0) return texts.map((text) => ({ text, kinds: ["text"] }))
  const parts = input.filter((one) => typeof one !== "string")
  const hasImage = parts.some(({ type }) => type === "image_url")
  const text = parts.map((part) => part.text ?? "").join("\n")
  return [{ text, kinds: text.trim() === "" && hasImage ? ["image"] : hasImage ? ["text", "image"] : ["text"] }]
}

const judged = (text: string, kinds: ModerationInput["kinds"]): JsonObject => {
  const found = CATEGORIES.map(([name, words]) => [name, words?.test(text) === true] as const)
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? FOUND : NOT_FOUND])),
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, appliedTo(name, kinds)]))
  }
}

/** The vendor judges images by these alone: https://platform.openai.com/docs/guides/moderation (2026-11-22). */
const OF_IMAGES = /^(?:self-harm|sexual$|violence)/

const appliedTo = (category: string, kinds: ModerationInput["kinds"]): ReadonlyArray<string> =>
  kinds.filter((kind) => kind === "text" || OF_IMAGES.test(category))
