/** A chat request as `POST /api/chat`. */
import type { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject } from "../../../json/LooseJson.ts"
import { lowerChat } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"
import { lowerMessages } from "./OllamaChatMessages.ts"
import { lowerOptions } from "./OllamaChatOptions.ts"
import { lowerTools } from "./OllamaChatTools.ts"

/** Fields that are translated, or that the gateway itself acts on. */
const TRANSLATED = new Set(
  (
    "model messages stream stream_options max_tokens max_completion_tokens n temperature top_p top_k min_p seed stop " +
    "frequency_penalty presence_penalty repeat_penalty num_ctx options tools tool_choice parallel_tool_calls response_format " +
    "format reasoning_effort think keep_alive modalities cache_control"
  ).split(" ")
)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/api/chat", "application/x-ndjson", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const format = formatOf(body, losses)
  const think = thinkOf(call, losses)
  const options = lowerOptions(call, losses)
  reportLeftovers(call, losses)
  return {
    model: deployment.model,
    messages: lowerMessages(call, losses),
    // Left out, it would be a stream.
    stream: request.stream,
    ...lowerTools(body, losses),
    ...(format === undefined ? {} : { format }),
    ...(think === undefined ? {} : { think }),
    ...(isGiven(body["keep_alive"]) ? { keep_alive: body["keep_alive"] } : {}),
    ...(Object.keys(options).length === 0 ? {} : { options })
  }
}

/** A JSON schema itself, or `json`. */
const formatOf = (body: JsonObject, losses: Losses): unknown => {
  const asked = body["response_format"]
  if (!isGiven(asked)) return isGiven(body["format"]) ? body["format"] : undefined
  const type = isObject(asked) ? asked["type"] : undefined
  if (type === "text") return undefined
  if (type === "json_object") return "json"
  const described = isObject(asked) ? asked["json_schema"] : undefined
  if (type === "json_schema" && isObject(described) && isObject(described["schema"])) return described["schema"]
  losses.refuse("response_format", "`response_format` must be text, json_object or json_schema with a schema")
  return undefined
}

/** A model that can't think answers 400 to the field, and so it gets none. */
const thinkOf = ({ deployment, request }: UpstreamCall, losses: Losses): boolean | string | undefined => {
  const { reasoning_effort: effort, think } = request.body
  const asked = isGiven(think) ? think : effort
  if (!isGiven(asked)) return undefined
  const isOff = asked === false || asked === "none"
  if (!deployment.supports.has("reasoning")) {
    if (!isOff) losses.drop(isGiven(think) ? "think" : "reasoning_effort", "this model does not think")
    return undefined
  }
  if (deployment.facts?.protocol?.["thinkLevels"] !== true) return !isOff
  const level = LEVELS.get(asked)
  if (level === undefined) losses.drop(isGiven(think) ? "think" : "reasoning_effort", "this model always thinks")
  return level ?? "low"
}

const LEVELS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  [true, "medium"],
  ["high", "high"],
  ["xhigh", "high"],
  ["max", "high"]
])

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
    if (!TRANSLATED.has(name) && asks(body[name])) losses.drop(name, `\`${name}\` has no counterpart at Ollama`)
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
