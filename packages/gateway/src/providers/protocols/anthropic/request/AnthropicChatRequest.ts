/** A chat request as `POST /messages`. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isObject, textOf } from "../../../json/LooseJson.ts"
import { Losses } from "../../shared/Losses.ts"
import { chatFields, dropUnknown, isGiven, refuseChoices, refuseMedia, wireRequest } from "../../shared/LowerChat.ts"
import { hosted } from "../AnthropicHost.ts"
import { servedTraits } from "../AnthropicModels.ts"
import { lowerConversation } from "./AnthropicChatConversation.ts"
import { lowerSampling, lowerStop } from "./AnthropicChatSampling.ts"
import { nativeFormat } from "./AnthropicChatStructured.ts"
import { isThinking, lowerThinking } from "./AnthropicChatThinking.ts"
import { isForced, lowerTools } from "./AnthropicChatTools.ts"

const HEADERS = { "anthropic-version": "2023-06-01" }

const KNOWN = chatFields(
  "temperature top_p top_k stop tools tool_choice response_format reasoning_effort thinking service_tier user safety_identifier"
)

/** Characters of `metadata.user_id`. */
const MAX_USER_ID = 256

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const { body, path } = hosted(call, "/messages", messagesRequest(call, losses))
  return Result.map(wireRequest(losses, path, body), (wire) => ({ ...wire, headers: HEADERS }))
}

const messagesRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const traits = servedTraits(deployment)
  const { system, turns } = lowerConversation(body["messages"], traits, losses)
  const use = lowerTools(body, turns, traits, losses)
  const maxTokens = maxOutput(call)
  const room = { traits, maxTokens, forcedTool: isForced(use.choice), turns }
  const { effort, thinking } = lowerThinking(body, room, losses)
  const format = nativeFormat(call, losses)
  const stop = lowerStop(body["stop"], losses)
  refuseChoices(request, losses)
  refuseMedia(request, losses)
  dropUnknown(body, KNOWN, "Anthropic", losses)
  return {
    model: deployment.model,
    max_tokens: maxTokens,
    stream: request.stream || undefined,
    system,
    messages: turns,
    ...(use.tools.length === 0 ? {} : { tools: use.tools, tool_choice: use.choice }),
    thinking,
    ...(effort === undefined && format === undefined ? {} : { output_config: { effort, format } }),
    ...lowerSampling(body, traits, isThinking(thinking), losses),
    ...(stop.length === 0 ? {} : { stop_sequences: stop }),
    ...serviceTier(call.serviceTier ?? body["service_tier"], losses),
    ...userId(body, losses),
    ...(isObject(body["cache_control"]) ? { cache_control: body["cache_control"] } : {})
  }
}

/** Anthropic must be told; more than the model has is a 400 there, and can't be produced anyway. */
const maxOutput = ({ deployment, maxOutput: asked }: UpstreamCall): number => {
  const traits = servedTraits(deployment)
  if (asked === undefined) return deployment.maxOutputTokens ?? traits.maxOutput
  return Math.min(asked, deployment.maxOutputTokens ?? (traits.known ? traits.maxOutput : asked))
}

const serviceTier = (tier: unknown, losses: Losses): JsonObject => {
  if (!isGiven(tier)) return {}
  if (tier === "auto") return { service_tier: "auto" }
  if (tier === "default") return { service_tier: "standard_only" }
  losses.drop("service_tier", "Anthropic's service tiers are `auto` and `default`")
  return {}
}

const userId = (body: JsonObject, losses: Losses): JsonObject => {
  const name = textOf(body["user"]) === undefined ? "safety_identifier" : "user"
  const user = textOf(body[name])
  if (user === undefined) return {}
  if (user.length <= MAX_USER_ID) return { metadata: { user_id: user } }
  losses.drop(name, `Anthropic takes at most ${MAX_USER_ID} characters`)
  return {}
}
