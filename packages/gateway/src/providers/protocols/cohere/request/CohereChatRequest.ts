/** A chat request as `POST /chat` of Cohere's version 2: `V2ChatRequest` of `cohere-ai` 8.1.0 (2026-11-22). */
import type { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject } from "../../../json/LooseJson.ts"
import { lowerChat } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"
import { lowerMessages } from "./CohereChatMessages.ts"
import { lowerSampling } from "./CohereChatSampling.ts"
import { lowerThinking } from "./CohereChatThinking.ts"
import { lowerTools } from "./CohereChatTools.ts"

/** Cohere's own fields. */
const SAME = ["documents", "citation_options", "safety_mode", "strict_tools", "priority"]

/** Fields that are translated, or that the gateway itself acts on. */
const TRANSLATED = new Set([
  ...SAME,
  ...(
    "model messages stream stream_options max_tokens max_completion_tokens n temperature top_p p top_k k seed stop " +
    "stop_sequences frequency_penalty presence_penalty tools tool_choice parallel_tool_calls response_format reasoning_effort " +
    "thinking modalities cache_control"
  ).split(" ")
])

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/chat", "text/event-stream", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const format = formatOf(body, losses)
  const thinking = lowerThinking(call, losses)
  reportLeftovers(call, losses)
  return {
    model: deployment.model,
    messages: lowerMessages(call, losses),
    ...(request.stream ? { stream: true } : {}),
    ...lowerTools(body, losses),
    ...lowerSampling(call, losses),
    ...(format === undefined ? {} : { response_format: format }),
    ...(thinking === undefined ? {} : { thinking }),
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
  losses.refuse("response_format", "`response_format` must be text, json_object or json_schema with a schema")
  return undefined
}

const reportLeftovers = ({ request: { body, choices } }: UpstreamCall, losses: Losses): void => {
  if (choices > 1) losses.refuse("n", "this provider returns one choice per request: `n` must be 1")
  if (arrayOf(body["modalities"]).some((one) => one !== "text")) {
    losses.refuse("modalities", "this provider responds in text only")
  }
  for (const name of ["functions", "function_call"]) {
    if (asks(body[name])) losses.refuse(name, `\`${name}\` is not supported at this provider: use \`tools\``)
  }
  if (body["parallel_tool_calls"] === false) {
    losses.drop("parallel_tool_calls", "a model can't be kept to one call at a time here")
  }
  for (const name of Object.keys(body)) {
    if (!TRANSLATED.has(name) && asks(body[name])) losses.drop(name, `\`${name}\` has no counterpart at Cohere`)
  }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ""

/** Values that ask for nothing can be left out without a word. */
const asks = (value: unknown): boolean =>
  isGiven(value) &&
  value !== false &&
  value !== 0 &&
  !(Array.isArray(value) && value.length === 0) &&
  !(isObject(value) && Object.keys(value).length === 0)
