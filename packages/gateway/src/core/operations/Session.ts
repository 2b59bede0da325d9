/** The name of a request's session: the caller's, else one made from the start of the conversation. */
import { Predicate } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import type { RoutedRequest } from "./CallRequest.ts"

/** Longer names and texts are identified by their beginning, end and length. */
const READ_CHARACTERS = 256

/**
 * The `X-Gateway-Session-Id` header, else `prompt_cache_key`, else with `recognise` a hash of the system prompt and the first
 * user message.
 */
export const sessionOf = (
  { body, history }: RoutedRequest,
  sessionId: string | undefined,
  recognise: boolean
): string | undefined => {
  if (sessionId !== undefined) return `id ${sessionId}`
  const cacheKey = body["prompt_cache_key"]
  if (typeof cacheKey === "string" && cacheKey !== "") {
    return cacheKey.length <= READ_CHARACTERS ? `key ${cacheKey}` : `keys ${fingerprint(cacheKey, 0)}`
  }
  return recognise ? conversationOf(history) : undefined
}

const conversationOf = (messages: ReadonlyArray<unknown>): string | undefined => {
  let system = 0
  for (const message of messages) {
    if (!Predicate.isObject(message)) continue
    const { content, role } = message as JsonObject
    if (role === "system" || role === "developer") system = mark(content, system)
    else if (role === "user") return `hash ${system.toString(36)} ${mark(content, system).toString(36)}`
  }
  return undefined
}

/** Hashes the text of a content, be it a string or parts. */
const mark = (content: unknown, seed: number): number => {
  if (typeof content === "string") return fingerprint(content, seed)
  if (!Array.isArray(content)) return seed
  let sum = seed
  for (const part of content) {
    if (Predicate.hasProperty(part, "text") && typeof part.text === "string") sum = fingerprint(part.text, sum)
  }
  return sum
}

/** FNV-1a over 32 bits: conversations whose hashes collide only share a deployment. */
const fingerprint = (text: string, seed: number): number => {
  let hash = 0x811c9dc5 ^ seed ^ text.length
  const head = Math.min(text.length, READ_CHARACTERS)
  for (let index = 0; index < head; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  for (let index = Math.max(head, text.length - READ_CHARACTERS); index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  return hash >>> 0
}
