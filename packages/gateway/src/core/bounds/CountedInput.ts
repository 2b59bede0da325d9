/**
 * Counts the input where its byte bound does not fit into the budget. A count is never below what is billed: all text is
 * counted, and only where the ratio of the model's tokenizer to this one is known.
 */
import { Effect } from "effect"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Bound } from "../domain/pricing/Bound.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { isWebUrl } from "../media/Contents.ts"
import { exactTokens, foreignTokens } from "../operations/Tokens.ts"

/** Longer texts are bounded by their bytes: counting takes about 0.1 s per megabyte. */
const MAX_BYTES = 4 * 1024 * 1024
/** For each text: its name, its role and the marks between messages. */
const FRAME_PER_TEXT = 4
/** Counting in pieces may give slightly fewer tokens than counting the whole. */
const SAFETY = 1.02
/** From recordings: nothing beyond the frame of each text, except 70 tokens at OpenAI for requests with tools. */
const OWN_FRAME = 16
/** Some templates of other models add a system prompt of their own. */
const FOREIGN_FRAME = 128
const OWN_TOOL_FRAME = 256
/** For Anthropic. Recorded: 645 tokens on top of the scaled tokens of the JSON. */
const FOREIGN_TOOL_FRAME = 704
/** OpenAI rewrites tool definitions: lists (`"a" | "b"`) and lines of descriptions get longer, the rest shorter. */
const REWRITTEN = 1.2
const FOR_EACH_ITEM_AND_LINE = 2

/** Fields that set how a response is made and billed: no model reads them. */
const UNREAD: ReadonlySet<string> = new Set([
  "max_completion_tokens",
  "max_tokens",
  "metadata",
  "model",
  "n",
  "seed",
  "service_tier",
  "store",
  "stream",
  "stream_options",
  "temperature",
  "top_p",
  "user"
])

/** Fields of messages and their parts, in any vendor's shape. Their names are covered by the frame around each text. */
const USUAL: ReadonlySet<string> = new Set(
  `audio audio_url content data detail document document_url file file_data file_id file_url filename format function
  function_call id image image_url input_audio input_video media_type name reasoning reasoning_content refusal role signature
  source text thinking tool_call_id tool_calls type url video video_url`.split(/\s+/)
)

/** Never more than the bound's input, and never more than the context window. */
export const closerInput = Effect.fnUntraced(function* (request: CallRequest, deployment: Deployment, bound: Bound) {
  const { bounds, contextWindow = Number.POSITIVE_INFINITY } = deployment
  const { separate } = request
  // Of inputs that vendors split, more is read than the window holds.
  const window = separate?.longest === 0 ? Number.POSITIVE_INFINITY : contextWindow * (separate?.count ?? 1)
  const bytes = Math.min(bound.input, window + bound.beyond)
  if (request.tokens !== undefined) return bytes
  const isOwn = bounds?.tokenizer === "o200k"
  const factor = isOwn ? 1 : bounds?.tokensPerO200k
  if (factor === undefined || request.textBound > MAX_BYTES) return bytes
  const { functions, tools, [request.contents]: contents, ...rest } = request.body
  const texts: Array<string> = []
  const media = new Map<string, number>()
  for (const { source } of request.media) {
    if (source !== undefined && !isWebUrl(source)) media.set(source, (media.get(source) ?? 0) + 1)
  }
  gather(contents, media, texts)
  const count = (text: string) => (isOwn ? exactTokens(text) : foreignTokens(text, factor))
  let tokens = 0
  for (const text of texts) tokens += (yield* count(text)) + FRAME_PER_TEXT
  const definitions = [tools, functions].filter((one) => one !== undefined)
  const defined = definitions.length === 0 ? "" : JSON.stringify(definitions)
  const others = JSON.stringify(Object.fromEntries(Object.entries(rest).filter(([name]) => !UNREAD.has(name))))
  const rewritten = isOwn
    ? Math.ceil((yield* exactTokens(defined)) * REWRITTEN) + itemsAndLines(definitions) * FOR_EACH_ITEM_AND_LINE
    : yield* foreignTokens(defined, factor)
  const counted =
    Math.ceil(tokens * SAFETY) +
    Math.min(Buffer.byteLength(defined), rewritten) +
    (yield* count(others)) +
    (isOwn ? OWN_FRAME : FOREIGN_FRAME) +
    (hasSchemas(request) ? (isOwn ? OWN_TOOL_FRAME : FOREIGN_TOOL_FRAME) : 0)
  return Math.min(bytes, bound.input - request.textBound + Math.min(request.textBound, counted))
})

const itemsAndLines = (value: unknown): number => {
  if (typeof value === "string") return value.split("\n").length - 1
  if (typeof value !== "object" || value === null) return 0
  let count = Array.isArray(value) ? value.length : 0
  for (const one of Object.values(value)) count += itemsAndLines(one)
  return count
}

/** Collects all text in the messages; unknown fields as JSON. `media`: how often each non-text string occurs. */
const gather = (value: unknown, media: Map<string, number>, texts: Array<string>): void => {
  if (typeof value === "string") {
    const left = media.get(value) ?? 0
    if (left === 0) texts.push(value)
    else media.set(value, left - 1)
  } else if (Array.isArray(value)) for (const one of value) gather(one, media, texts)
  else if (typeof value !== "object" || value === null) texts.push(String(value))
  else {
    for (const [name, one] of Object.entries(value)) {
      if (USUAL.has(name)) gather(one, media, texts)
      else if (typeof one === "string") {
        texts.push(name)
        gather(one, media, texts)
      } else if (name !== "cache_control" || !isCacheMark(one)) texts.push(JSON.stringify({ [name]: one }))
    }
  }
}

/** A mark is no text for the model. What else stands under that name may be. */
const isCacheMark = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).every(
    ([name, one]) => (name === "type" && one === "ephemeral") || (name === "ttl" && (one === "5m" || one === "1h"))
  )

const hasSchemas = ({ needs }: CallRequest): boolean => needs.includes("tools") || needs.includes("json_schema")
