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

const CATEGORIES: ReadonlyArray<readonly [name: string, words?: RegExp]> = [
  ["harassment", /\b(?:insult|bully|stupid)\w*/i],
  ["hate", /\bhate\w*/i],
  ["illicit", /\b(?:steal|smuggle)\w*/i],
  ["illicit/violent", /\bbombs?\b/i],
  ["violence", /\b(?:attack|harm|hit|hurt|kill)\w*/i],
  ["violence/graphic", /\bblood\w*/i],
  ..."harassment/threatening hate/threatening self-harm self-harm/intent self-harm/instructions sexual sexual/minors"
    .split(" ")
    .map((name) => [name] as const)
]

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
          results: inputsOf(input).map(judged)
        })
      : Result.fail(modelNotFound(model))
  )

interface ModerationInput {
  readonly text: string
  readonly hasImage?: boolean
}

/** Parts are judged together. */
const inputsOf = (
  input: string | ReadonlyArray<string> | ReadonlyArray<typeof Part.Type>
): ReadonlyArray<ModerationInput> => {
  const parts = (typeof input === "string" ? [input] : input).map((one) =>
    typeof one === "string" ? { text: one } : { text: one.text ?? "", hasImage: one.type === "image_url" }
  )
  if (typeof input === "string" || typeof input[0] === "string") return parts
  const text = parts.map((part) => part.text).join("\n")
  return [{ text, hasImage: parts.some((part) => "hasImage" in part && part.hasImage) }]
}

const judged = ({ hasImage = false, text }: ModerationInput): JsonObject => {
  const found = CATEGORIES.map(([name, words]) => [name, words?.test(text) === true] as const)
  const applied = (name: string) => [
    ...(hasImage && text.trim() === "" ? [] : ["text"]),
    ...(hasImage && OF_IMAGES.test(name) ? ["image"] : [])
  ]
  return {
    flagged: found.some(([, isFound]) => isFound),
    categories: Object.fromEntries(found),
    category_scores: Object.fromEntries(found.map(([name, isFound]) => [name, isFound ? FOUND : NOT_FOUND])),
    category_applied_input_types: Object.fromEntries(found.map(([name]) => [name, applied(name)]))
  }
}

/** The vendor judges images by these alone: https://platform.openai.com/docs/guides/moderation (2026-11-22). */
const OF_IMAGES = /^(?:self-harm|sexual$|violence)/
