/** Repairs differences between OpenAI and compatible servers on which OpenAI's clients throw. Streams are repaired in `OpenAiChatChunks.ts`. */
import type { Usage } from "../../../../core/domain/Usage.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { argumentsText, isObject, objectsIn, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { finishReason } from "./OpenAiChatFinish.ts"
import { isCanonicalUsage } from "./OpenAiChatUsage.ts"

/** The calls of a complete response. `id`: the response's, for calls that have none of their own. A call without arguments has `{}`. */
const repairedCalls = (calls: ReadonlyArray<unknown>, id: unknown): ReadonlyArray<JsonObject> =>
  objectsIn(calls).map((call, position) => {
    // A custom tool's call has no function.
    if (call["type"] === "custom") return call
    const called = isObject(call["function"]) ? call["function"] : {}
    return {
      ...call,
      id: textOf(call["id"]) ?? `call_${String(id)}_${position}`,
      type: "function",
      function: { ...called, name: textOf(called["name"]) ?? "", arguments: argumentsText(called["arguments"]) || "{}" }
    }
  })

interface BegunCall {
  readonly id: string | undefined
  /** The place that the server gave it. */
  readonly given: number | undefined
  readonly number: number
  text: string
}

/** The calls of one choice of a stream. Servers number them from 1, all with 0, with -1 or not at all. */
export class StreamedCalls {
  private readonly begun: Array<BegunCall> = []

  /** The pieces of one chunk: the first of a call names it, those after it have arguments only. */
  pieces(calls: ReadonlyArray<unknown>, answerId: unknown): ReadonlyArray<JsonObject> {
    return objectsIn(calls).map((call) => {
      const { function: _, id, index, type: __, ...rest } = call
      const called = isObject(call["function"]) ? call["function"] : {}
      const name = textOf(called["name"])
      const text = argumentsOf(called)
      const known = this.find(textOf(id), place(index), name)
      if (known !== undefined) {
        const more = known.text === "" ? argumentsText(text) : text
        known.text += more
        return { ...rest, index: known.number, function: { arguments: more } }
      }
      const number = this.begun.length
      const first = argumentsText(text)
      this.begun.push({ id: textOf(id), given: place(index), number, text: first })
      return {
        ...rest,
        index: number,
        id: textOf(id) ?? `call_${String(answerId)}_${number}`,
        type: "function",
        function: { ...called, name: name ?? "", arguments: first }
      }
    })
  }

  /** What is missing of calls that never got arguments: clients parse them as JSON. */
  unsaid(): ReadonlyArray<JsonObject> {
    const silent = this.begun.filter(({ text }) => text === "")
    for (const call of silent) call.text = "{}"
    return silent.map(({ number, text }) => ({ index: number, function: { arguments: text } }))
  }

  /**
   * The call that a piece belongs to; undefined where another one begins. Some servers make up an id for every piece, others repeat
   * the name: only both together, or a name after whole arguments, begin another call.
   */
  private find(id: string | undefined, given: number | undefined, name: string | undefined): BegunCall | undefined {
    const known =
      given === undefined && id !== undefined
        ? this.begun.find((one) => one.id === id)
        : this.begun.findLast((one) => given === undefined || one.given === given)
    if (known === undefined || name === undefined) return known
    if (id !== undefined) return known.id === id ? known : undefined
    return given === undefined || isObject(parseJson(known.text)) ? undefined : known
  }
}

const argumentsOf = (called: JsonObject): string => {
  const given = called["arguments"]
  return typeof given === "string" ? given : argumentsText(given)
}

const place = (index: unknown): number | undefined =>
  Number.isInteger(index) && (index as number) >= 0 ? (index as number) : undefined

/** Answers without an id of their own since the process began. */
let nameless = 0

/** An id no other response has: clients overwrite messages that share one. `now`: epoch milliseconds. */
export const newId = (now: number): string => `chatcmpl-${now.toString(36)}-${(nameless++).toString(36)}`

export const seconds = (now: number): number => Math.floor(now / 1000)

/** What OpenAI's `service_tier` may say. Its clients know no other, and other vendors' words mean other things. */
const TIERS = new Set<unknown>(["auto", "default", "flex", "scale", "priority", null, undefined])

export const isKnownTier = (tier: unknown): boolean => TIERS.has(tier)

export const withKnownTier = (body: JsonObject): JsonObject => {
  if (isKnownTier(body["service_tier"])) return body
  const { service_tier: _, ...rest } = body
  return rest
}

/** Whether a response already is as OpenAI would have written it, in everything that is repaired. Most are. */
export const needsNoRepair = (body: JsonObject, usage: Usage): boolean => {
  const { choices, created, id, model, object, service_tier: tier, usage: told } = body
  return (
    object === "chat.completion" &&
    typeof id === "string" &&
    id !== "" &&
    Number.isInteger(created) &&
    typeof model === "string" &&
    isKnownTier(tier) &&
    Array.isArray(choices) &&
    choices.every(isCanonicalChoice) &&
    isCanonicalUsage(told, usage)
  )
}

const isCanonicalChoice = (choice: unknown): boolean => {
  if (!isObject(choice)) return false
  const { finish_reason: reason, index, message } = choice
  return (
    Number.isInteger(index) &&
    isObject(message) &&
    message["role"] === "assistant" &&
    typeof message["content"] === "string" &&
    message["tool_calls"] === undefined &&
    message["function_call"] !== null &&
    message["audio"] !== null &&
    hasNoAnnotations(message) &&
    typeof reason === "string" &&
    finishReason(reason, false) === reason
  )
}

/** OpenAI writes an empty list. */
const hasNoAnnotations = ({ annotations }: JsonObject): boolean =>
  annotations === undefined || (Array.isArray(annotations) && annotations.length === 0)

/** Whether a choice of a complete response says that the provider failed to make it. */
export const hasFailed = ({ finish_reason: reason, message }: JsonObject): boolean =>
  typeof reason === "string" && finishReason(reason, hasCalls(message)) === undefined

const hasCalls = (message: unknown): boolean =>
  isObject(message) && Array.isArray(message["tool_calls"]) && message["tool_calls"].length > 0

/** Whether there is a message, or a reason why there is none: Azure leaves out what its filter blocked. */
export const isAnswer = ({ finish_reason: reason, message }: JsonObject): boolean =>
  isObject(message) || (typeof reason === "string" && finishReason(reason, false) === "content_filter")

/** A complete response. `now`: epoch milliseconds, for servers that leave out when it was made. */
export const repairedCompletion = (body: JsonObject, now: number): JsonObject => {
  const id = typeof body["id"] === "string" && body["id"] !== "" ? body["id"] : newId(now)
  return {
    ...withKnownTier(body),
    id,
    object: "chat.completion",
    created: Number.isInteger(body["created"]) ? body["created"] : seconds(now),
    model: typeof body["model"] === "string" ? body["model"] : "",
    choices: objectsIn(body["choices"]).map((choice, index) => {
      const message = repairedMessage(isObject(choice["message"]) ? choice["message"] : {}, id)
      const reason = choice["finish_reason"]
      return {
        ...choice,
        index: Number.isInteger(choice["index"]) ? choice["index"] : index,
        message,
        finish_reason: finishReason(typeof reason === "string" ? reason : "", hasCalls(message)) ?? "stop"
      }
    })
  }
}

const repairedMessage = (message: JsonObject, id: string): JsonObject => {
  const { content, tool_calls: calls, ...rest } = message
  const parts = contentOf(content)
  const out: Record<string, unknown> = { ...withKnownFields(rest), role: "assistant", content: parts.text }
  if (parts.reasoning !== "") out["reasoning_content"] = parts.reasoning
  if (Array.isArray(calls) && calls.length > 0) out["tool_calls"] = repairedCalls(calls, id)
  return out
}

export const withKnownFields = (message: JsonObject): Record<string, unknown> => {
  const out: Record<string, unknown> = { ...message }
  for (const field of ["function_call", "audio", "annotations"]) if (out[field] === null) delete out[field]
  if (Array.isArray(out["annotations"])) {
    const citations = out["annotations"].filter((one) => isObject(one) && one["type"] === "url_citation")
    if (citations.length > 0) out["annotations"] = citations
    else delete out["annotations"]
  }
  return out
}

/** Mistral's reasoning models answer with a list of `thinking` and `text` parts. */
export const contentOf = (content: unknown): { readonly text: string | null; readonly reasoning: string } => {
  if (typeof content === "string") return { text: content, reasoning: "" }
  const textOf = (parts: unknown): string =>
    objectsIn(parts)
      .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
      .join("")
  const reasoning = objectsIn(content).map((part) => textOf(part["thinking"]))
  return { text: Array.isArray(content) ? textOf(content) : null, reasoning: reasoning.join("") }
}
