/** A chat request as `POST /model/{model}/converse`. */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { encodeJson, isObject } from "../../../json/LooseJson.ts"
import { Losses } from "../../shared/Losses.ts"
import { type ConverseTraits, converseTraits } from "../BedrockModels.ts"
import { modelPath } from "../BedrockPath.ts"
import { guardrailOf } from "../BedrockGuardrail.ts"
import { type BedrockConversation, lowerConversation } from "./BedrockChatConversation.ts"
import { cachePoint } from "./BedrockChatCaching.ts"
import { lowerInference } from "./BedrockChatInference.ts"
import { DocumentNames } from "./BedrockChatMedia.ts"
import { lowerReasoning, roomIn } from "./BedrockChatReasoning.ts"
import { outputConfig } from "./BedrockChatStructured.ts"
import { isForced, lowerTools, type BedrockToolFields } from "./BedrockChatTools.ts"
import { reportLeftovers } from "./BedrockChatUnsupportedFields.ts"

/** Arguments of tool calls come as text, which nobody has looked into before. */
const tooDeep = new Unsupported({ message: "the arguments of a tool call are nested too deeply", param: "messages" })

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const body = encodeJson(converseRequest(call, losses))
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  if (body === undefined) return Result.fail(tooDeep)
  const { request, deployment } = call
  return Result.succeed({
    path: modelPath(deployment.model, request.stream ? "converse-stream" : "converse"),
    headers: {
      "content-type": "application/json",
      accept: request.stream ? "application/vnd.amazon.eventstream" : "application/json"
    },
    body,
    dropped: losses.dropped
  })
}

const converseRequest = (call: UpstreamCall, losses: Losses): JsonObject => {
  const { deployment, request } = call
  const { body } = request
  const traits = converseTraits(deployment)
  const written = lowerConversation(body["messages"], { traits, losses, names: new DocumentNames() })
  const { system, turns } = marked(written, body, traits, losses)
  const use = lowerTools(body, turns, traits, losses)
  const limit =
    call.maxOutput === undefined ? undefined : Math.min(call.maxOutput, deployment.maxOutputTokens ?? call.maxOutput)
  const room = roomIn(turns, isForced(use), limit ?? deployment.maxOutputTokens ?? traits.claude?.maxOutput ?? 0)
  const reasoning = lowerReasoning(body, traits, room, losses)
  const limits = { maxTokens: limit ?? reasoning.maxTokens, thinks: reasoning.thinks }
  const { inferenceConfig, more } = lowerInference(call, traits, limits, losses)
  const format = outputConfig(body, traits, losses)
  const extra = { ...more, ...reasoning.more, ...use.more }
  const guardrail = guardrailOf(deployment, request.stream)
  reportLeftovers(body, request.choices, losses)
  return {
    messages: turns,
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ...(use.tools.length === 0 ? {} : { toolConfig: toolConfig(use) }),
    ...(Object.keys(extra).length === 0 ? {} : { additionalModelRequestFields: extra }),
    ...(format === undefined ? {} : { outputConfig: format }),
    ...(guardrail === undefined ? {} : { guardrailConfig: guardrail }),
    ...serviceTier(call.serviceTier ?? body["service_tier"], losses)
  }
}

const toolConfig = ({ choice, tools }: BedrockToolFields): JsonObject => ({
  tools,
  ...(choice === undefined ? {} : { toolChoice: choice })
})

/** A mark on the whole request: everything up to the end of the conversation is cached. */
const marked = (
  written: BedrockConversation,
  body: JsonObject,
  traits: ConverseTraits,
  losses: Losses
): BedrockConversation => {
  const { system, turns } = written
  const last = turns.at(-1)
  if (last === undefined || !isObject(body["cache_control"])) return written
  const points = cachePoint(body["cache_control"], "messages", traits, losses)
  return { system, turns: [...turns.slice(0, -1), { ...last, content: [...last.content, ...points] }] }
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ServiceTier.html (2026-11-22). What is left out is `default`. */
const serviceTier = (tier: unknown, losses: Losses): JsonObject => {
  if (tier === undefined || tier === null || tier === "" || tier === "auto" || tier === "default") return {}
  if (tier === "flex" || tier === "priority") return { serviceTier: { type: tier } }
  losses.drop("service_tier", "Bedrock's service tiers are `default`, `flex` and `priority`")
  return {}
}
