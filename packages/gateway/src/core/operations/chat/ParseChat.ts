/** Reads a chat request leniently: unknown fields pass, `null` and `""` count as absent. Errors name the field's path. */
import { Predicate, Result } from "effect"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { CallRequest } from "../CallRequest.ts"
import type { LongStrings } from "../LongStrings.ts"
import { readFormat, readModel, readOptions, wrong } from "../ParseFields.ts"
import { effortBits } from "../RequestFeatures.ts"
import { found, RequestScan } from "../RequestScan.ts"
import { readItem } from "../responses/ParseResponses.ts"

// What a chat message carries beside its content for the vendor that wrote it: images, and parts of the vendor's own form in
// `extra_content`. They are sent as they are, and a caller may have written them. So each is read as the vendor's own endpoint reads
// it, and what is not known to be text has no bound but the context window.

/** Fields of Gemini's parts that hold text, and the places of calls and images that the message itself has. */
const TEXT_FIELDS = new Set([
  "text",
  "thought",
  "thoughtSignature",
  "executableCode",
  "codeExecutionResult",
  "call",
  "image"
])

/** The first part that is malformed; undefined: none is. */
const readOwnParts = (message: JsonObject, path: string, seen: RequestScan): InvalidField | undefined => {
  const { extra_content: extra, images } = message
  if (extra === undefined && images === undefined) return undefined
  for (const [index, image] of listIn(message, "images").entries()) readImage(image, `${path}.images[${index}]`, seen)
  if (!Predicate.isObject(extra)) return undefined
  const at = `${path}.extra_content`
  for (const [index, part] of listIn(extra["google"], "parts").entries()) {
    if (!hasTextFieldsOnly(part)) seen.add("other", `${at}.google.parts[${index}]`, asObject(part))
  }
  for (const [index, item] of listIn(extra["openai"], "output").entries()) {
    const wrong = isCall(item) ? undefined : readItem(item, `${at}.openai.output[${index}]`, seen)
    if (wrong !== undefined) return wrong
  }
  const blocks = listIn(extra["anthropic"], "content").filter((block) => !isCall(block))
  return seen.nested(blocks, `${at}.anthropic.content`, [])
}

const listIn = (holder: unknown, name: string): ReadonlyArray<unknown> => {
  const list = Predicate.isObject(holder) ? (holder as JsonObject)[name] : undefined
  return Array.isArray(list) ? list : []
}

const asObject = (value: unknown): JsonObject | undefined =>
  Predicate.isObject(value) ? (value as JsonObject) : undefined

const hasTextFieldsOnly = (part: unknown): boolean =>
  Predicate.isObject(part) && Object.keys(part).every((name) => TEXT_FIELDS.has(name))

/** The place of a call that the message has among its `tool_calls`. A type would make something else of it. */
const isCall = (part: unknown): boolean =>
  Predicate.isObject(part) && "call" in part && !["type", "content", "source", "output"].some((name) => name in part)

const readImage = (image: unknown, path: string, seen: RequestScan): void => {
  const given = Predicate.hasProperty(image, "image_url") ? image.image_url : undefined
  const url = Predicate.hasProperty(given, "url") ? given.url : given
  seen.pastImage(path, asObject(image) ?? {}, typeof url === "string" ? url : undefined, undefined)
}

const LIMITS = ["max_completion_tokens", "max_tokens"]

/** `body`: parsed from JSON of `bytes` bytes. */
export const parseChat = (
  body: unknown,
  bytes: number,
  long?: LongStrings
): Result.Result<CallRequest, InvalidField> => {
  const read = readModel(body)
  if (Result.isFailure(read)) return Result.fail(read.failure)
  const [fields, model] = read.success
  const { messages } = fields
  if (!Array.isArray(messages) || messages.length === 0) {
    return wrong("messages", `\`messages\` must be a list of at least one message, ${found(messages)}`)
  }
  const seen = new RequestScan()
  for (let index = 0; index < messages.length; index++) {
    const path = `messages[${index}]`
    const mistake = seen.message(messages[index], path) ?? readOwnParts(messages[index], path, seen)
    if (mistake !== undefined) return Result.fail(mistake)
  }
  const options = readOptions(fields, seen, LIMITS)
  if (Result.isFailure(options)) return Result.fail(options.failure)
  const { choices, maxOutput, stream } = options.success
  readFormat(fields["response_format"], seen)
  seen.features |= effortBits(fields["reasoning_effort"])
  const streamOptions = fields["stream_options"]
  return Result.succeed({
    ...seen.summary(bytes),
    body: fields,
    contents: "messages",
    model,
    stream,
    includeUsage: Predicate.hasProperty(streamOptions, "include_usage") && streamOptions.include_usage === true,
    history: messages,
    maxOutput,
    choices,
    ...(long === undefined ? undefined : { long })
  })
}
