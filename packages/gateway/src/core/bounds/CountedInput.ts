/**
 * The input of a request counted instead of bounded by its bytes, where room is scarce. A count may lower what is held only where
 * it can't be below what is billed: all of the text is counted, for models whose tokenizer is the one used here, or one of which it is
 * known how many more tokens it makes.
 */
import { Effect } from "effect"
import type { ChatRequest } from "../operations/ChatRequest.ts"
import type { Bound } from "./Bounds.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { isWebUrl } from "../media/Contents.ts"
import { exactTokens } from "../operations/Tokens.ts"

/** Longer texts are held by their bytes: counting takes about 0.1 s a megabyte. */
const MAX_BYTES = 4 * 1024 * 1024
/** Around each text: names, roles, what sets messages apart. */
const FRAME_PER_TEXT = 4
const USUAL_NAME = 12
/** What is counted in pieces may come to fewer tokens than the whole, by a hair. */
const SAFETY = 1.02
/** Recorded: nothing more than the frame of each text, and of OpenAI 70 tokens with tools. */
const OWN_FRAME = 16
const OWN_TOOL_FRAME = 256
/** Of Anthropic. Recorded: 645 beside so many times the tokens of the JSON. */
const FOREIGN_TOOL_FRAME = 704
/**
 * OpenAI writes tools anew for the model, which is fewer tokens than their JSON but for lists and lines: `"a","b"` becomes `"a" | "b"`,
 * and each line of a description a comment.
 */
const REWRITTEN = 1.2
const FOR_EACH_ITEM_AND_LINE = 2

/** At most the bound's input, and never more than the window holds. */
export const closerInput = Effect.fnUntraced(function* (request: ChatRequest, deployment: Deployment, bound: Bound) {
  const { bounds, contextWindow = Number.POSITIVE_INFINITY } = deployment
  const bytes = Math.min(bound.input, contextWindow + bound.beyond)
  const factor = bounds?.tokenizer === "o200k" ? 1 : bounds?.tokensPerO200k
  if (factor === undefined || request.textBound > MAX_BYTES) return bytes
  const { functions, messages, tools, ...rest } = request.body
  const texts: Array<string> = []
  const media = new Map<string, number>()
  for (const { source } of request.media) {
    if (source !== undefined && !isWebUrl(source)) media.set(source, (media.get(source) ?? 0) + 1)
  }
  gather(messages, media, texts)
  const count = (text: string) => (factor === 1 ? exactTokens(text) : foreignTokens(text, factor))
  let tokens = 0
  for (const text of texts) tokens += (yield* count(text)) + FRAME_PER_TEXT
  const defined = JSON.stringify([tools, functions])
  const others = JSON.stringify(rest)
  const rewritten =
    factor === 1
      ? Math.ceil((yield* exactTokens(defined)) * REWRITTEN) +
        itemsAndLines([tools, functions]) * FOR_EACH_ITEM_AND_LINE
      : yield* foreignTokens(defined, factor)
  const counted =
    Math.ceil(tokens * SAFETY) +
    Math.min(Buffer.byteLength(defined), rewritten) +
    (yield* count(others)) +
    OWN_FRAME +
    (hasSchemas(request) ? (factor === 1 ? OWN_TOOL_FRAME : FOREIGN_TOOL_FRAME) : 0)
  return Math.min(bytes, bound.input - request.textBound + Math.min(request.textBound, counted))
})

const itemsAndLines = (value: unknown): number => {
  if (typeof value === "string") return value.split("\n").length - 1
  if (typeof value !== "object" || value === null) return 0
  let count = Array.isArray(value) ? value.length : 0
  for (const one of Object.values(value)) count += itemsAndLines(one)
  return count
}

/** Letters and signs of English and of code, of which the factor is known. Each digit may be a token. */
const KNOWN = /[\n\x20-\x2f\x3a-\x7e]+/g
/** Runs of one sign are few tokens here, and may be more elsewhere. */
const BYTES_PER_TOKEN = 3

/** The most tokens that another tokenizer makes of a text: `factor` times o200k's where that is known, elsewhere its bytes. */
const foreignTokens = Effect.fnUntraced(function* (text: string, factor: number) {
  let known = 0
  let tokens = 0
  for (const [piece] of text.matchAll(KNOWN)) {
    known += piece.length
    const counted = Math.max(factor * (yield* exactTokens(piece)), piece.length / BYTES_PER_TOKEN)
    tokens += Math.min(piece.length, counted)
  }
  return Math.ceil(tokens) + Buffer.byteLength(text) - known
})

/** All text within the messages, whatever it is called. `media`: how often which text is none. */
const gather = (value: unknown, media: Map<string, number>, texts: Array<string>): void => {
  if (typeof value === "string") {
    const left = media.get(value) ?? 0
    if (left === 0) texts.push(value)
    else media.set(value, left - 1)
  } else if (typeof value === "number") texts.push(String(value))
  else if (Array.isArray(value)) for (const one of value) gather(one, media, texts)
  else if (typeof value === "object" && value !== null) {
    for (const [name, one] of Object.entries(value)) {
      // The usual names are part of the frame around their text.
      if (name.length > USUAL_NAME) texts.push(name)
      gather(one, media, texts)
    }
  }
}

const hasSchemas = ({ needs }: ChatRequest): boolean => needs.includes("tools") || needs.includes("json_schema")
