/**
 * A chat request as Mistral takes it. It answers 422 to every field that it does not know, in the body and in a message, so only those
 * of its own description are sent: `ChatCompletionRequest` of `@mistralai/mistralai` 2.7.0, and
 * https://github.com/mistralai/platform-docs-public/issues/7, https://github.com/charmbracelet/crush/issues/1590 (read 2026-11-22).
 */
import type { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { nearestEffort } from "../../shared/Efforts.ts"
import { chatFields, dropUnknown, isGiven, lowerChat, offeredFunctions, refuseMedia } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"
import { lowerMessages } from "./MistralChatMessages.ts"

const SAME =
  "temperature top_p stop metadata response_format presence_penalty frequency_penalty n prediction prompt_cache_key safe_prompt".split(
    " "
  )

const KNOWN = chatFields(`${SAME.join(" ")} service_tier seed random_seed tools tool_choice reasoning_effort audio`)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> =>
  lowerChat(call, "/chat/completions", "text/event-stream", chatRequest)

const chatRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const fields = {
    ...Object.fromEntries(SAME.map((name) => [name, body[name]])),
    model: deployment.model,
    messages: lowerMessages(call, losses),
    service_tier: call.serviceTier ?? body["service_tier"],
    max_tokens: call.maxOutput ?? body["max_completion_tokens"] ?? body["max_tokens"],
    random_seed: body["random_seed"] ?? body["seed"],
    stream: request.stream || undefined,
    ...lowerTools(body, losses),
    ...lowerEffort(call, losses)
  }
  refuseMedia(request, losses)
  if (isGiven(body["audio"])) losses.refuse("audio", "this provider responds in text only")
  dropUnknown(body, KNOWN, "Mistral", losses)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)))
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

/**
 * Mistral says `any` where OpenAI says `required`. Tools that Mistral runs itself are refused: they have fees of their own. An empty list
 * is refused there: https://github.com/partITech/php-mistral/issues/76 (read 2026-11-22).
 */
const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const { mode, offered } = offeredFunctions(body, losses)
  if (offered.length === 0) return {}
  const parallel = body["parallel_tool_calls"]
  return {
    tools: offered.map(({ declared, isStrict: strict }) => ({ type: "function", function: { ...declared, strict } })),
    tool_choice: mode === "required" ? "any" : mode,
    parallel_tool_calls: typeof parallel === "boolean" ? parallel : undefined
  }
}
