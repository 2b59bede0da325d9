/**
 * The input of a request counted instead of bounded by its bytes, where room is scarce. A count may lower what is held only where
 * it can't be below what is billed: for models whose tokenizer is the one used here, all of the text counted.
 */
import { Effect } from "effect"
import type { ChatRequest } from "../operations/ChatRequest.ts"
import type { Bound } from "./Bounds.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { isWebUrl } from "../media/Contents.ts"
import { FRAME_TOKENS, TOOL_FRAME_TOKENS } from "../operations/RequestScan.ts"
import { exactTokens } from "../operations/Tokens.ts"

/** Longer texts are held by their bytes: counting takes about 0.1 s a megabyte. */
const MAX_BYTES = 4 * 1024 * 1024
/** Around each text: names, roles, what sets messages apart. */
const FRAME_PER_TEXT = 16
const USUAL_NAME = 12
/** What is counted in pieces may come to fewer tokens than the whole, by a hair. */
const SAFETY = 1.02

/** At most the bound's input, and never more than the window holds. */
export const closerInput = Effect.fnUntraced(function* (request: ChatRequest, deployment: Deployment, bound: Bound) {
  const { contextWindow = Number.POSITIVE_INFINITY } = deployment
  const bytes = Math.min(bound.input, contextWindow + bound.beyond)
  if (deployment.bounds?.tokenizer !== "o200k" || request.textBound > MAX_BYTES) return bytes
  const { messages, ...rest } = request.body
  const texts: Array<string> = []
  const media = new Map<string, number>()
  for (const { source } of request.media) {
    if (source !== undefined && !isWebUrl(source)) media.set(source, (media.get(source) ?? 0) + 1)
  }
  gather(messages, media, texts)
  let tokens = 0
  for (const text of texts) tokens += (yield* exactTokens(text)) + FRAME_PER_TEXT
  // Tools and schemas are written anew for the model: their bytes stand.
  const counted = Math.ceil(tokens * SAFETY) + Buffer.byteLength(JSON.stringify(rest)) + frameOf(request)
  return Math.min(bytes, bound.input - request.textBound + Math.min(request.textBound, counted))
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

/** As in the bound by bytes: what an API adds of its own. */
const frameOf = ({ needs }: ChatRequest): number =>
  FRAME_TOKENS + (needs.includes("tools") || needs.includes("json_schema") ? TOOL_FRAME_TOKENS : 0)
