/** The same question at another endpoint: what a caller sends to Responses, which a bridge makes a chat, and to the Messages API. */
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { Chance } from "./Chance.ts"
import type { Model } from "./Models.ts"

export interface Sent {
  readonly path: string
  readonly body: JsonObject
}

/** What both endpoints have as well. */
const COMMON = new Set(["model", "messages", "stream", "max_tokens", "max_completion_tokens", "tools"])
/** No more than any of the models writes. */
const USUAL_LIMIT = 100

export const sentAs = (chat: JsonObject, model: Model, chance: Chance): Sent => {
  const as = chance.next()
  const own = { path: "/v1/chat/completions", body: chat }
  const { max_completion_tokens, max_tokens, messages, tools, ...rest } = chat
  const said = isTalk(messages) ? messages : undefined
  const limit = max_completion_tokens ?? max_tokens
  if (as < 0.3 || said === undefined || Object.keys(chat).some((name) => !COMMON.has(name))) return own
  // Tools of OpenAI's shape are other ones there.
  if (tools !== undefined && !JSON.stringify(tools).includes('"web_')) return own
  const plain = said.map(({ content, role }) => ({ role, content }))
  if (as < 0.7) {
    const hosted = tools === undefined ? {} : { tools }
    return { path: "/v1/messages", body: { ...rest, ...hosted, messages: plain, max_tokens: limit ?? USUAL_LIMIT } }
  }
  // The scripted OpenAI has no Responses of its own; and no bridge has marks for a cache, or tools that run at a vendor.
  if (model.provider === "openai" || tools !== undefined || JSON.stringify(said).includes("cache_control")) return own
  const input = plain.map(({ content, role }) => ({ type: "message", role, content: asInput(content) }))
  return {
    path: "/v1/responses",
    body: { ...rest, input, store: false, ...(limit === undefined ? {} : { max_output_tokens: limit }) }
  }
}

type Talk = ReadonlyArray<{ readonly role: string; readonly content: string | ReadonlyArray<JsonObject> }>

/** Words of the user alone. */
const isTalk = (messages: unknown): messages is Talk =>
  Array.isArray(messages) &&
  messages.every(
    ({ content, role }) =>
      role === "user" &&
      (typeof content === "string" || (Array.isArray(content) && content.every(({ type }) => type === "text")))
  )

const asInput = (content: string | ReadonlyArray<JsonObject>) =>
  typeof content === "string" ? content : content.map((part) => ({ ...part, type: "input_text" }))
