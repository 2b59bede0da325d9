/** A chat request as `POST /messages`. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { lowerConversation } from "./AnthropicChatConversation.ts"
import { hosted } from "../AnthropicHost.ts"
import { encodeJson, isObject, textOf } from "../../../json/LooseJson.ts"
import { reportLeftovers } from "./AnthropicChatUnsupportedFields.ts"
import { Losses } from "../../shared/Losses.ts"
import { servedTraits } from "../AnthropicModels.ts"
import { lowerSampling, lowerStop } from "./AnthropicChatSampling.ts"
import { nativeFormat } from "./AnthropicChatStructured.ts"
import { isThinking, lowerThinking } from "./AnthropicChatThinking.ts"
import { isForced, lowerTools } from "./AnthropicChatTools.ts"

const HEADERS = { "content-type": "application/json", "anthropic-version": "2023-06-01" }

/** Characters of `metadata.user_id`. */
const MAX_USER_ID = 256

/** Arguments of tool calls come as text, which nobody has looked into before. */
const tooDeep = new Unsupported({ message: "the arguments of a tool call are nested too deeply", param: "messages" })

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const to = hosted(call, "/messages", messagesRequest(call, losses))
  const body = encodeJson(to.body)
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  if (body === undefined) return Result.fail(tooDeep)
  return Result.succeed({ path: to.path, headers: HEADERS, body, dropped: losses.dropped })
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
  reportLeftovers(body, request.choices, losses)
  return {
    model: deployment.model,
    max_tokens: maxTokens,
    ...(request.stream ? { stream: true } : {}),
    ...(system === undefined ? {} : { system }),
    messages: turns,
    ...(use.tools.length === 0 ? {} : { tools: use.tools }),
    ...(use.choice === undefined || use.tools.length === 0 ? {} : { tool_choice: use.choice }),
    ...(thinking === undefined ? {} : { thinking }),
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
  if (tier === undefined || tier === null || tier === "") return {}
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
