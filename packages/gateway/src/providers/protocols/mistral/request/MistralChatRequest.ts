/**
 * A chat request as Mistral takes it. It answers 422 to every field that it does not know, in the body and in a message, so only those
 * of its own description are sent: `ChatCompletionRequest` of `@mistralai/mistralai` 2.7.0, and
 * https://github.com/mistralai/platform-docs-public/issues/7, https://github.com/charmbracelet/crush/issues/1590 (read 2026-11-22).
 */
import type { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { nearestEffort } from "../../shared/Efforts.ts"
import { lowerChat } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"
import { lowerMessages } from "./MistralChatMessages.ts"
import { lowerTools } from "./MistralChatTools.ts"

/** Fields that mean the same there. */
const SAME = [
  "temperature",
  "top_p",
  "stop",
  "metadata",
  "response_format",
  "presence_penalty",
  "frequency_penalty",
  "n",
  "prediction",
  "prompt_cache_key",
  "safe_prompt",
  "service_tier"
]

/** Fields that are translated, or that the gateway itself acts on. */
const TRANSLATED = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "max_completion_tokens",
  "seed",
  "random_seed",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "reasoning_effort",
  // Its caches work by themselves.
  "cache_control"
])

const REFUSED: ReadonlyArray<readonly [field: string, why: string]> = [
  ["functions", "`functions` is not supported at this provider: use `tools`"],
  ["function_call", "`function_call` is not supported at this provider: use `tools`"],
  ["audio", "this provider responds in text only"]
]

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/chat/completions", "text/event-stream", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const limit = call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"]
  const seed = body["random_seed"] ?? body["seed"]
  const tier = call.serviceTier ?? body["service_tier"]
  const out: Record<string, unknown> = { model: deployment.model, messages: lowerMessages(call, losses) }
  for (const name of SAME) if (isGiven(body[name])) out[name] = body[name]
  if (isGiven(tier)) out["service_tier"] = tier
  if (isGiven(limit)) out["max_tokens"] = limit
  if (isGiven(seed)) out["random_seed"] = seed
  if (request.stream) out["stream"] = true
  Object.assign(out, lowerTools(body, losses), lowerEffort(call, losses))
  reportLeftovers(body, losses)
  return out
}

/** A wish, not a need: a model without reasoning answers too. */
const lowerEffort = ({ deployment, request }: UpstreamCall, losses: Losses): JsonObject => {
  const effort = request.body["reasoning_effort"]
  if (!isGiven(effort)) return {}
  if (deployment.supports.has("reasoning")) {
    const sent = typeof effort === "string" ? nearestEffort(effort, deployment.facts?.reasoning?.efforts) : effort
    if (sent !== effort) losses.drop("reasoning_effort", `the nearest effort that this model has is "${String(sent)}"`)
    return { reasoning_effort: sent }
  }
  if (effort !== "none") losses.drop("reasoning_effort", "this model does not reason: leave `reasoning_effort` out")
  return {}
}

const reportLeftovers = (body: JsonObject, losses: Losses): void => {
  for (const [name, why] of REFUSED) if (isGiven(body[name])) losses.refuse(name, why)
  const { modalities } = body
  if (Array.isArray(modalities) && modalities.some((one) => one !== "text")) {
    losses.refuse("modalities", "this provider responds in text only")
  }
  for (const name of Object.keys(body)) {
    if (TRANSLATED.has(name) || SAME.includes(name) || name === "modalities" || !asks(body[name])) continue
    losses.drop(name, `Mistral does not take \`${name}\``)
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
