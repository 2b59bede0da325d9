/** A chat request as `POST /model/{model}/converse`. */
import type { Result } from "effect"
import type { JsonSchemaWay } from "../../../../core/domain/Deployment.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { encodeJson, isObject, objectOf, objectOr, textOf } from "../../../json/LooseJson.ts"
import { schemaIn } from "../../../structured/JsonSchema.ts"
import { fitsNatively, nativeSchema } from "../../anthropic/request/AnthropicChatNativeSchema.ts"
import { lowerSampling, lowerStop } from "../../anthropic/request/AnthropicChatRequest.ts"
import { isThinking, lowerThinking, type ThinkingRoom } from "../../anthropic/request/AnthropicChatThinking.ts"
import { effortIn, nearestEffort } from "../../shared/Efforts.ts"
import type { Losses } from "../../shared/Losses.ts"
import {
  answerSchema,
  chatFields,
  dropUnknown,
  isGiven,
  lowerChat,
  numberIn,
  refuseOutputs,
  stopsIn
} from "../../shared/LowerChat.ts"
import { guardrailOf } from "../BedrockGuardrail.ts"
import { cachePoint, type ConverseTraits, converseTraits, modelPath } from "../BedrockModels.ts"
import { type BedrockConversation, type BedrockTurn, lowerConversation } from "./BedrockChatConversation.ts"
import { DocumentNames } from "./BedrockChatMedia.ts"
import { isForced, lowerTools } from "./BedrockChatTools.ts"

// `reasoning_effort`, in the words of the model's family, for `additionalModelRequestFields`.

interface Reasoning {
  readonly more: JsonObject
  /** An Anthropic model will think. */
  readonly thinks: boolean
  /** The output limit that the thoughts were measured for, which has to be said then. */
  readonly maxTokens?: number
}

/** As Anthropic's rules need to know it: which kinds of blocks there are. */
const roomIn = (
  turns: ReadonlyArray<BedrockTurn>,
  forcedTool: boolean,
  maxTokens: number
): Omit<ThinkingRoom, "traits"> => ({
  maxTokens,
  forcedTool,
  turns: turns.slice(-2).map(({ content, role }) => ({ role, content: content.slice(0, 1).map(kindOf) }))
})

const kindOf = (block: JsonObject): JsonObject => {
  if ("toolResult" in block) return { type: "tool_result" }
  return { type: "reasoningContent" in block ? "thinking" : "text" }
}

const NOTHING: Reasoning = { more: {}, thinks: false }

/** `room`: for Anthropic's models. */
const lowerReasoning = (
  body: JsonObject,
  traits: ConverseTraits,
  room: Omit<ThinkingRoom, "traits">,
  losses: Losses
): Reasoning => {
  if (traits.claude !== undefined) {
    const { effort, thinking } = lowerThinking(body, { ...room, traits: traits.claude }, losses)
    const more = {
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { output_config: { effort } })
    }
    const thinks = isThinking(thinking)
    // Whoever names a budget knows the model's own limit.
    const own = objectOf(body["thinking"])
    const isMeasured = thinking?.["type"] === "enabled" && typeof own?.["budget_tokens"] !== "number"
    return isMeasured ? { more, thinks, maxTokens: room.maxTokens } : { more, thinks }
  }
  const effort = effortIn(body, losses)
  if (effort === undefined) return NOTHING
  const level = nearestEffort(effort, LEVELS)
  // Nova's words for it are its own.
  if (level !== effort && traits.reasoning !== undefined) {
    losses.drop("reasoning_effort", `the nearest effort that this model has is "${level}"`)
  }
  return { more: level === "none" ? unasked(traits, losses) : asked(level, traits, losses), thinks: false }
}

const LEVELS = ["none", "low", "medium", "high"]

const asked = (level: string, { reasoning }: ConverseTraits, losses: Losses): JsonObject => {
  switch (reasoning) {
    case "nova":
      return { reasoningConfig: { type: "enabled", maxReasoningEffort: novaEffort(level, losses) } }
    case "reasoning_effort":
    case "reasoning_config":
      return { [reasoning]: level }
    default:
      losses.drop("reasoning_effort", "this model has no setting for reasoning effort")
      return {}
  }
}

/**
 * With high effort Nova 2 takes no output limit (`@ai-sdk/amazon-bedrock` 5.0.101, read 2026-11-22), and without one nothing would
 * bound what it costs.
 */
const novaEffort = (level: string, losses: Losses): string => {
  if (level !== "high") return level
  losses.drop("reasoning_effort", "with high effort this model takes no output limit, so it gets medium")
  return "medium"
}

const unasked = ({ reasoning }: ConverseTraits, losses: Losses): JsonObject => {
  if (reasoning !== "reasoning_effort") return {}
  losses.drop("reasoning_effort", "this model always reasons")
  return { reasoning_effort: "low" }
}

// `response_format`: natively where the model has it (`outputConfig.textFormat`), else by a tool that it has to call, or in words
// (`structured/JsonSchema.ts`).

/** Undefined where it is done natively. */
export const schemaWay = ({ deployment, request }: UpstreamCall): JsonSchemaWay | undefined => {
  const traits = converseTraits(deployment)
  const schema = schemaIn(request.body)
  if (schema === undefined || isNative(schema, traits)) return undefined
  return traits.forcedTools === "none" ? "json_mode" : "tool"
}

/** `outputConfig`; undefined when it is not used. Reports what can't be guaranteed. */
const outputConfig = (body: JsonObject, traits: ConverseTraits, losses: Losses): JsonObject | undefined => {
  const schema = answerSchema(body, "Bedrock", losses)
  if (schema === undefined) return undefined
  const { description, name } = objectOr(objectOr(body["response_format"])["json_schema"])
  const jsonSchema = {
    schema: encodeJson(traits.claude === undefined ? schema : nativeSchema(schema)),
    name: textOf(name),
    description: textOf(description)
  }
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } }
}

/** Anthropic's models know less than JSON Schema. */
const isNative = (schema: JsonObject, { claude, schemas }: ConverseTraits): boolean =>
  schemas && (claude === undefined || fitsNatively(schema))

/** What would cost or protect otherwise than the caller means: the operator decides about guardrails. */
const REFUSED = ["guardrailConfig", "guardrail_config"] as const

const KNOWN = chatFields(
  `temperature top_p top_k stop tools tool_choice response_format reasoning_effort thinking service_tier ${REFUSED.join(" ")}`
)

export const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const action = call.request.stream ? "converse-stream" : "converse"
  const path = modelPath(call.deployment.model, action)
  return lowerChat(call, path, "application/vnd.amazon.eventstream", converseRequest)
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
  const extra = { ...more, ...reasoning.more, ...use.more }
  refuseOutputs(request, losses)
  if (REFUSED.some((name) => isGiven(body[name]))) {
    losses.refuse(REFUSED[0], "guardrails are part of this gateway's configuration: leave them out of requests")
  }
  dropUnknown(body, KNOWN, "Bedrock", losses)
  return {
    messages: turns,
    ...(system.length === 0 ? {} : { system }),
    ...(Object.keys(inferenceConfig).length === 0 ? {} : { inferenceConfig }),
    ...(use.tools.length === 0 ? {} : { toolConfig: { tools: use.tools, toolChoice: use.choice } }),
    ...(Object.keys(extra).length === 0 ? {} : { additionalModelRequestFields: extra }),
    outputConfig: outputConfig(body, traits, losses),
    guardrailConfig: guardrailOf(deployment, request.stream),
    ...serviceTier(call.serviceTier ?? body["service_tier"], losses)
  }
}

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
  if (!isGiven(tier) || tier === "auto" || tier === "default") return {}
  if (tier === "flex" || tier === "priority") return { serviceTier: { type: tier } }
  losses.drop("service_tier", "Bedrock's service tiers are `default`, `flex` and `priority`")
  return {}
}

/** Output limit, sampling and stop sequences: what all models take (`inferenceConfig`), and what one family has. */
interface Inference {
  readonly inferenceConfig: JsonObject
  /** For `additionalModelRequestFields`. */
  readonly more: JsonObject
}

/** `thinks`: with thoughts Anthropic's models take less. `maxTokens`: the output limit to send, if any. */
const lowerInference = (
  { request: { body } }: Pick<UpstreamCall, "request">,
  traits: ConverseTraits,
  { maxTokens, thinks }: { readonly maxTokens: number | undefined; readonly thinks: boolean },
  losses: Losses
): Inference => {
  const { claude } = traits
  const taken = claude === undefined ? sampling(body, losses) : lowerSampling(body, claude, thinks, losses)
  const { temperature, top_k: topK, top_p: topP } = taken
  const stopSequences = stops(body["stop"], traits, losses)
  return {
    inferenceConfig: {
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(topP === undefined ? {} : { topP }),
      ...(stopSequences.length === 0 ? {} : { stopSequences })
    },
    more: topKField(topK, traits, losses)
  }
}

/** The chat API's temperature goes to 2, Converse's to 1. */
const sampling = (body: JsonObject, losses: Losses): JsonObject => {
  const given = numberIn(body, "temperature", losses)
  const temperature = given === undefined ? undefined : Math.min(1, Math.max(0, given))
  if (temperature !== given) losses.drop("temperature", "Bedrock's temperature goes from 0 to 1")
  return { temperature, top_p: numberIn(body, "top_p", losses), top_k: numberIn(body, "top_k", losses) }
}

const stops = (stop: unknown, traits: ConverseTraits, losses: Losses): ReadonlyArray<unknown> => {
  if (traits.claude !== undefined) return lowerStop(stop, losses)
  const given = stopsIn(stop)
  if (traits.stopSequences || given.length === 0) return given
  losses.drop("stop", "the model takes no stop sequences here")
  return []
}

const topKField = (topK: unknown, { topK: field }: ConverseTraits, losses: Losses): JsonObject => {
  if (topK === undefined) return {}
  if (field === "inferenceConfig") return { inferenceConfig: { topK } }
  if (field !== undefined) return { [field]: topK }
  losses.drop("top_k", "the model does not take `top_k` here")
  return {}
}
