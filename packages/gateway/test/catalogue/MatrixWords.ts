/** What the rows of the matrix are made of: requests in the words of the three APIs, and what is looked for. */
import { png } from "../support/Media.ts"
import type { Loose, Seen } from "./refusing/Seen.ts"

/** What the caller got, whichever API and whether streamed or not. */
export interface Got {
  readonly texts: ReadonlyArray<string>
  readonly calls: ReadonlyArray<string>
}

export interface Feature {
  readonly name: string
  /** Fields of the request; left out: the API can't say it. */
  readonly chat?: Loose
  readonly responses?: Loose
  readonly messages?: Loose
  /** Whether the vendor was asked for it. */
  readonly arrives: (seen: Seen) => boolean
  /** The names that say that it was left out or weakened. */
  readonly lost: RegExp
  /** What is wrong with the response. */
  readonly problem?: (got: Got) => string | undefined
}

export const PROMPT = "Use a tool if there is one."
export const schema = {
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false
}
const parameters = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}
const NAMES = ["other", "look"]
export const chatTools = NAMES.map((name) => ({
  type: "function",
  function: { name, description: "Looks.", parameters }
}))
export const responsesTools = NAMES.map((name) => ({ type: "function", name, description: "Looks.", parameters }))
export const messagesTools = NAMES.map((name) => ({ name, description: "Looks.", input_schema: parameters }))
export const PNG = png(64, 64)
export const PDF = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"
).toString("base64")

export const user = (content: unknown) => [{ role: "user", content }]

export const chatOf = (fields: Loose, content: unknown = PROMPT): Loose => ({
  messages: user(content),
  max_tokens: 8000,
  ...fields
})
export const responsesOf = (fields: Loose, content: unknown = PROMPT): Loose => ({
  input: user(content),
  max_output_tokens: 8000,
  ...fields
})
export const messagesOf = (fields: Loose, content: unknown = PROMPT): Loose => ({
  messages: user(content),
  max_tokens: 8000,
  ...fields
})

export const calls = ({ calls }: Got): string | undefined =>
  calls.length > 0 && calls.every((name) => name === "look") ? undefined : `it called ${calls.join(", ") || "nothing"}`

const isAnswer = (text: string): boolean => {
  try {
    return typeof JSON.parse(text).answer === "string"
  } catch {
    return false
  }
}

export const answers = ({ texts }: Got): string | undefined =>
  texts.length > 0 && texts.every(isAnswer) ? undefined : `it answered ${texts.join(" | ") || "nothing"}`

export const says = ({ texts }: Got): string | undefined => (texts.join("") === "" ? "it said nothing" : undefined)

export const offers = ({ functions }: Seen): boolean => functions.includes("look")

export const thinks = ({ budget = 0, thinking }: Seen): boolean =>
  budget > 0 || thinking === "enabled" || thinking === "adaptive"
/** Nova does not reason unless it is asked to. */
export const isOff = ({ budget, effort, model, thinking }: Seen): boolean =>
  effort === "none" || thinking === "disabled" || budget === 0 || (effort === undefined && /nova/.test(model))
export const hasEffort =
  (asked: string) =>
  (seen: Seen): boolean =>
    seen.effort === undefined ? thinks(seen) : seen.effort === asked
