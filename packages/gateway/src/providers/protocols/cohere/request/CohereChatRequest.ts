/** A chat request as `POST /chat` of Cohere's version 2: `V2ChatRequest` of `cohere-ai` 8.1.0 (2026-11-22). */
import type { Result } from "effect"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isBlank, isObject, objectsIn, textOf } from "../../../json/LooseJson.ts"
import {
  callsIn,
  contentOf,
  eachMessage,
  functionCall,
  imagePart,
  refusePart,
  roleOf,
  textContent,
  textIn
} from "../../shared/ChatMessages.ts"
import { BUDGETS, effortIn } from "../../shared/Efforts.ts"
import type { Losses } from "../../shared/Losses.ts"
import {
  chatFields,
  dropUnknown,
  isGiven,
  lowerChat,
  numberIn,
  offeredFunctions,
  refuseFormat,
  refuseOutputs,
  stopsIn
} from "../../shared/LowerChat.ts"

/** The chat's messages as Cohere takes them. What is said beside tool calls is the plan for them. */
const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const thinks = deployment.supports.has("reasoning")
  return eachMessage(request.body["messages"], losses, (message, param) => {
    const role = roleOf(message, param, "Cohere", losses)
    switch (role) {
      case "system":
        return [{ role, content: textContent(message, param, losses) }]
      case "user":
        return [{ role, content: userContent(message, param, losses) }]
      case "assistant":
        return assistantMessage(message, param, thinks, losses)
      case "tool":
        return [{ role, tool_call_id: message["tool_call_id"], content: textContent(message, param, losses) }]
      default:
        return []
    }
  })
}

const assistantMessage = (
  message: JsonObject,
  param: string,
  thinks: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const text = textContent(message, param, losses) || (textOf(message["refusal"]) ?? "")
  const thoughts = thoughtsOf(message)
  const calls = callsIn(message, param, losses).map((call) => functionCall(call.own["id"], call))
  if (calls.length > 0) {
    const plan = [thoughts ?? "", text].filter((one) => !isBlank(one)).join("\n")
    return [{ role: "assistant", tool_calls: calls, ...(plan === "" ? {} : { tool_plan: plan }) }]
  }
  if (thoughts !== undefined && thinks) {
    const parts = [
      { type: "thinking", thinking: thoughts },
      { type: "text", text }
    ]
    return [{ role: "assistant", content: parts }]
  }
  return isBlank(text) ? [] : [{ role: "assistant", content: text }]
}

/** In OpenAI-compatible fields, or as Cohere's own parts. */
const thoughtsOf = (message: JsonObject): string | undefined =>
  ["reasoning_content", "reasoning", "tool_plan"].map((field) => textOf(message[field])).find((text) => text) ??
  textOf(
    objectsIn(message["content"])
      .map(({ thinking }) => textOf(thinking) ?? "")
      .join("")
  )

const userContent = (message: JsonObject, param: string, losses: Losses): string | ReadonlyArray<JsonObject> => {
  const parts = contentOf<JsonObject>(message, param, losses, (part, place) => {
    if (part["type"] === "image_url") return imagePart(part["image_url"], place, losses)
    const text = part["type"] === "thinking" ? "" : textIn(part)
    if (text === undefined) return refusePart(part, place, losses)
    return text === "" ? undefined : { type: "text", text }
  })
  return parts.some((part) => part["type"] === "image_url") ? parts : parts.map(({ text }) => text).join("")
}

const SAME = ["documents", "citation_options", "safety_mode", "strict_tools", "priority"]

const KNOWN = chatFields(
  `temperature top_p p top_k k seed stop stop_sequences frequency_penalty presence_penalty tools tool_choice ` +
    `response_format reasoning_effort thinking ${SAME.join(" ")}`
)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/chat", "text/event-stream", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  refuseOutputs(request, losses)
  if (body["parallel_tool_calls"] === false) {
    losses.drop("parallel_tool_calls", "a model can't be kept to one call at a time here")
  }
  dropUnknown(body, KNOWN, "Cohere", losses)
  return {
    model: deployment.model,
    messages: lowerMessages(call, losses),
    stream: request.stream || undefined,
    ...lowerTools(body, losses),
    ...lowerSampling(call, losses),
    response_format: formatOf(body, losses),
    thinking: lowerThinking(call, losses),
    ...Object.fromEntries(SAME.flatMap((name) => (isGiven(body[name]) ? [[name, body[name]]] : [])))
  }
}

const formatOf = (body: JsonObject, losses: Losses): JsonObject | undefined => {
  const asked = body["response_format"]
  if (!isGiven(asked)) return undefined
  const { json_schema: described, type } = isObject(asked) ? asked : {}
  if (type === "text") return undefined
  if (type === "json_object") return isObject(asked) ? asked : undefined
  if (type === "json_schema" && isObject(described) && isObject(described["schema"])) {
    return { type: "json_object", json_schema: described["schema"] }
  }
  refuseFormat(losses)
  return undefined
}

/** Limits and sampling, under Cohere's names and within its ranges. */
interface SamplingRange {
  readonly name: string
  /** Cohere's name, which callers may use too. */
  readonly own: string
  readonly from: number
  readonly to: number
  /** OpenAI's default, which asks for nothing. */
  readonly neutral: number
}

/** `V2ChatRequest` of `cohere-ai` 8.1.0 (2026-11-22). */
const RANGES: ReadonlyArray<SamplingRange> = [
  { name: "temperature", own: "temperature", from: 0, to: Number.POSITIVE_INFINITY, neutral: Number.NaN },
  { name: "top_p", own: "p", from: 0.01, to: 0.99, neutral: 1 },
  { name: "top_k", own: "k", from: 0, to: 500, neutral: Number.NaN },
  { name: "frequency_penalty", own: "frequency_penalty", from: 0, to: 1, neutral: Number.NaN },
  { name: "presence_penalty", own: "presence_penalty", from: 0, to: 1, neutral: Number.NaN }
]
const MOST_STOPS = 5

const lowerSampling = ({ maxOutput, request: { body } }: UpstreamCall, losses: Losses): JsonObject => {
  const out: Record<string, unknown> = {}
  for (const { from, name, neutral, own, to } of RANGES) {
    const value = numberIn(body, isGiven(body[name]) ? name : own, losses)
    if (value === undefined) continue
    out[own] = Math.min(to, Math.max(from, value))
    if (out[own] !== value && value !== neutral) losses.drop(name, `Cohere's \`${own}\` goes from ${from} to ${to}`)
  }
  if (isGiven(body["seed"])) out["seed"] = body["seed"]
  const stops = stopsIn(body["stop"] ?? body["stop_sequences"])
  if (stops.length > MOST_STOPS) losses.drop("stop", `Cohere takes at most ${MOST_STOPS} of them`)
  if (stops.length > 0) out["stop_sequences"] = stops.slice(0, MOST_STOPS)
  const limit = maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"]
  if (isGiven(limit)) out["max_tokens"] = limit
  return out
}

/** The part of the caller's output limit that thoughts may take. */
const MOST_SHARE = 0.8

/** A budget of tokens. A model that reasons does so unless it is told not to. */
const lowerThinking = ({ deployment, maxOutput, request: { body } }: UpstreamCall, losses: Losses) => {
  const { thinking } = body
  const isAsked = isGiven(body["reasoning_effort"])
  if (!deployment.supports.has("reasoning")) {
    if (isAsked && body["reasoning_effort"] !== "none") losses.drop("reasoning_effort", "this model does not reason")
    return undefined
  }
  // Cohere's own words, or Anthropic's.
  if (isObject(thinking)) {
    const budget = thinking["token_budget"] ?? thinking["budget_tokens"]
    if (typeof budget === "number") return { type: thinking["type"], token_budget: budget }
    // An effort says how much.
    if (!isAsked || thinking["type"] === "disabled") return { type: thinking["type"] }
  }
  const effort = effortIn(body, losses)
  if (effort === undefined) return undefined
  if (effort === "none") return { type: "disabled" }
  const room = maxOutput === undefined ? Number.POSITIVE_INFINITY : Math.floor(maxOutput * MOST_SHARE)
  return { type: "enabled", token_budget: Math.min(BUDGETS[effort], room) }
}

const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const { mode, offered } = offeredFunctions(body, losses)
  if (offered.length === 0) return {}
  const isStrict = offered.every((tool) => tool.isStrict === true)
  return {
    tools: offered.map(({ declared }) => ({ type: "function", function: declared })),
    tool_choice: mode === "required" ? "REQUIRED" : mode === "none" ? "NONE" : undefined,
    // One setting for all of them.
    strict_tools: (isStrict && body["strict_tools"] === undefined) || undefined
  }
}
