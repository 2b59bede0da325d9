/**
 * Small differences between OpenAI and the servers that speak like it, made good, because the vendor's own clients throw on them:
 * missing roles, tool calls without `type`, finish reasons of other vendors, nulls where a list belongs, content in parts.
 */
import type { JsonObject } from "../../core/ChatRequest.ts"
import type { Usage } from "../../core/Usage.ts"
import { isObject, objectsIn } from "./OpenAiJson.ts"
import { isCanonicalUsage } from "./OpenAiUsage.ts"

const FINISH_REASONS: { readonly [reason: string]: string } = {
  stop: "stop",
  length: "length",
  tool_calls: "tool_calls",
  content_filter: "content_filter",
  function_call: "function_call",
  model_length: "length",
  max_tokens: "length",
  max_length: "length",
  tool_use: "tool_calls",
  safety: "content_filter",
  refusal: "content_filter"
}

/** `reason` in OpenAI's vocabulary; what nobody knows (`eos`, `end_turn`, …) is an ordinary end, with or without tool calls. */
const finishReason = (reason: string, calledTools: boolean): string => {
  const known = Object.hasOwn(FINISH_REASONS, reason.toLowerCase()) ? FINISH_REASONS[reason.toLowerCase()]! : "stop"
  return known === "stop" && calledTools ? "tool_calls" : known
}

/** Answers without an id of their own since the process began. */
let nameless = 0

/** An id no other answer has: clients overwrite messages that share one. `now`: epoch ms. */
const newId = (now: number): string => `chatcmpl-${now.toString(36)}-${(nameless++).toString(36)}`

const seconds = (now: number): number => Math.floor(now / 1000)

/** Whether an answer is in all that is repaired as OpenAI itself would have written it, as most are. */
export const needsNoRepair = (body: JsonObject, usage: Usage): boolean => {
  const { choices, created, id, model, object, usage: told } = body
  return (
    object === "chat.completion" &&
    typeof id === "string" &&
    id !== "" &&
    Number.isInteger(created) &&
    typeof model === "string" &&
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
    message["annotations"] !== null &&
    typeof reason === "string" &&
    finishReason(reason, false) === reason
  )
}

/** A whole answer. `now`: epoch ms, for servers that leave out when it was made. */
export const repairedCompletion = (body: JsonObject, now: number): JsonObject => ({
  ...body,
  id: typeof body["id"] === "string" && body["id"] !== "" ? body["id"] : newId(now),
  object: "chat.completion",
  created: Number.isInteger(body["created"]) ? body["created"] : seconds(now),
  model: typeof body["model"] === "string" ? body["model"] : "",
  choices: objectsIn(body["choices"]).map((choice, index) => {
    const message = repairedMessage(isObject(choice["message"]) ? choice["message"] : {})
    const reason = choice["finish_reason"]
    return {
      ...choice,
      index: Number.isInteger(choice["index"]) ? choice["index"] : index,
      message,
      finish_reason: finishReason(typeof reason === "string" ? reason : "", message["tool_calls"] !== undefined)
    }
  })
})

const repairedMessage = (message: JsonObject): JsonObject => {
  const { content, tool_calls: calls, ...rest } = message
  const parts = contentOf(content)
  const out: Record<string, unknown> = { ...rest, role: "assistant", content: parts.text }
  for (const field of ["function_call", "audio", "annotations"]) if (out[field] === null) delete out[field]
  if (parts.reasoning !== "") out["reasoning_content"] = parts.reasoning
  if (Array.isArray(calls) && calls.length > 0) out["tool_calls"] = repairedCalls(calls)
  return out
}

/** Mistral's reasoning models answer with a list of `thinking` and `text` parts. */
const contentOf = (content: unknown): { readonly text: string | null; readonly reasoning: string } => {
  if (typeof content === "string") return { text: content, reasoning: "" }
  const textOf = (parts: unknown): string =>
    objectsIn(parts)
      .map((part) => (typeof part["text"] === "string" ? part["text"] : ""))
      .join("")
  const reasoning = objectsIn(content).map((part) => textOf(part["thinking"]))
  return { text: Array.isArray(content) ? textOf(content) : null, reasoning: reasoning.join("") }
}

/** Calls of a whole answer, or their first pieces in a stream: `type` is there, arguments are text. */
const repairedCalls = (calls: ReadonlyArray<unknown>): ReadonlyArray<JsonObject> =>
  objectsIn(calls).map((call) => {
    const called = isObject(call["function"]) ? call["function"] : {}
    const given = called["arguments"]
    const text =
      given === undefined || given === null ? undefined : typeof given === "string" ? given : JSON.stringify(given)
    return {
      ...call,
      ...(call["id"] === undefined || call["id"] === null ? {} : { type: "function" }),
      function: text === undefined ? called : { ...called, arguments: text }
    }
  })

/** What has to be remembered of a stream to repair its later chunks: choices that have a role, and that have called tools. */
export interface RepairState {
  readonly now: number
  /** For chunks without an id of their own. */
  readonly id: string
  readonly roles: Set<unknown>
  readonly callers: Set<unknown>
  /** Tool calls begun, per choice: servers that give no usable index send each call in one piece. */
  readonly calls: Map<unknown, number>
}

export const newRepairState = (now: number): RepairState => ({
  now,
  id: newId(now),
  roles: new Set(),
  callers: new Set(),
  calls: new Map()
})

/** One chunk of a stream, in the order of the stream. */
export const repairedChunk = (chunk: JsonObject, state: RepairState): JsonObject => ({
  ...chunk,
  id: typeof chunk["id"] === "string" ? chunk["id"] : state.id,
  object: "chat.completion.chunk",
  created: Number.isInteger(chunk["created"]) ? chunk["created"] : seconds(state.now),
  model: typeof chunk["model"] === "string" ? chunk["model"] : "",
  choices: objectsIn(chunk["choices"]).map((choice, position) => {
    const index = Number.isInteger(choice["index"]) ? choice["index"] : position
    const delta = repairedDelta(isObject(choice["delta"]) ? choice["delta"] : {}, index, state)
    const reason = choice["finish_reason"]
    return {
      ...choice,
      index,
      delta,
      finish_reason: typeof reason === "string" && reason !== "" ? finishReason(reason, state.callers.has(index)) : null
    }
  })
})

const repairedDelta = (delta: JsonObject, index: unknown, state: RepairState): JsonObject => {
  const { content, tool_calls: calls, ...rest } = delta
  const out: Record<string, unknown> = { ...rest }
  if (!state.roles.has(index)) {
    state.roles.add(index)
    out["role"] = "assistant"
  }
  if (Array.isArray(content)) {
    const parts = contentOf(content)
    out["content"] = parts.text
    if (parts.reasoning !== "") out["reasoning_content"] = parts.reasoning
  } else if (content !== undefined) out["content"] = content
  if (Array.isArray(calls) && calls.length > 0) {
    state.callers.add(index)
    out["tool_calls"] = repairedCalls(calls).map((call) => numbered(call, index, state))
  }
  return out
}

/** A call without a usable index is a whole one: it gets the next number. */
const numbered = (call: JsonObject, choice: unknown, state: RepairState): JsonObject => {
  const begun = state.calls.get(choice) ?? 0
  const given = call["index"]
  const number = Number.isInteger(given) && (given as number) >= 0 ? (given as number) : begun
  state.calls.set(choice, Math.max(begun, number + 1))
  return number === given ? call : { ...call, index: number }
}
