/** A chat request as `POST /messages`. */
import { Result } from "effect"
import type { JsonSchemaWay } from "../../../../core/domain/Deployment.ts"
import type { Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isBlank, isObject, textOf } from "../../../json/LooseJson.ts"
import { schemaIn } from "../../../structured/JsonSchema.ts"
import { Losses } from "../../shared/Losses.ts"
import {
  answerSchema,
  chatFields,
  dropUnknown,
  isGiven,
  numberIn,
  refuseOutputs,
  stopsIn,
  wireRequest
} from "../../shared/LowerChat.ts"
import { hosted } from "../AnthropicHost.ts"
import { type AnthropicTraits, NOT_ON_VERTEX, servedTraits } from "../AnthropicModels.ts"
import { lowerConversation } from "./AnthropicChatConversation.ts"
import { fitsNatively, nativeSchema } from "./AnthropicChatNativeSchema.ts"
import { isThinking, lowerThinking } from "./AnthropicChatThinking.ts"
import { isForced, lowerTools } from "./AnthropicChatTools.ts"

// Temperature and its kin: what a model takes, and what it takes while it thinks.

/** Below this `top_p` is refused while the model thinks. */
const THINKING_TOP_P = 0.95

export const lowerSampling = (
  body: JsonObject,
  traits: AnthropicTraits,
  thinks: boolean,
  losses: Losses
): JsonObject => {
  const temperature = lowerTemperature(numberIn(body, "temperature", losses), traits, thinks, losses)
  const topP = lowerTopP(numberIn(body, "top_p", losses), temperature, traits, thinks, losses)
  const topK = numberIn(body, "top_k", losses)
  const keepsTopK = topK !== undefined && traits.sampling !== "none" && !thinks
  if (topK !== undefined && !keepsTopK) losses.drop("top_k", "the model does not take `top_k` here")
  return {
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(keepsTopK ? { top_k: topK } : {})
  }
}

/** The chat API goes to 2, Anthropic to 1. */
const lowerTemperature = (
  given: number | undefined,
  traits: AnthropicTraits,
  thinks: boolean,
  losses: Losses
): number | undefined => {
  if (given === undefined) return undefined
  if (traits.sampling === "none" || (thinks && given !== 1)) {
    losses.drop(
      "temperature",
      thinks ? "the temperature is fixed while the model thinks" : "the model has no temperature"
    )
    return undefined
  }
  const clamped = Math.min(1, Math.max(0, given))
  if (clamped !== given) losses.drop("temperature", "Anthropic's temperature goes from 0 to 1")
  return clamped
}

const lowerTopP = (
  given: number | undefined,
  temperature: number | undefined,
  traits: AnthropicTraits,
  thinks: boolean,
  losses: Losses
): number | undefined => {
  // 1 is the default and cuts nothing off.
  if (given === undefined || (given === 1 && traits.sampling !== "both")) return undefined
  const isTaken = traits.sampling === "both" || (traits.sampling === "one" && temperature === undefined)
  if (isTaken && (!thinks || given >= THINKING_TOP_P)) return given
  losses.drop("top_p", "the model does not take `top_p` here (with a temperature, while it thinks, or at all)")
  return undefined
}

/** `stop_sequences`: Anthropic refuses those of white space only. */
export const lowerStop = (stop: unknown, losses: Losses): ReadonlyArray<string> => {
  const given = stopsIn(stop)
  const sequences = given.filter((entry) => !isBlank(entry))
  if (sequences.length < given.length) losses.drop("stop", "Anthropic takes no stop sequences of white space only")
  return sequences
}

// `response_format`: natively where model and schema allow it, else as a tool that the model has to call (`providers/structured`).

/** Undefined: natively, or not at all. */
export const schemaWay = ({ deployment, request }: UpstreamCall): JsonSchemaWay | undefined => {
  const schema = schemaIn(request.body)
  const traits = servedTraits(deployment)
  return schema === undefined || isNative(schema, traits) || !traits.forcedTools ? undefined : "tool"
}

/** `output_config.format`; undefined when it is not used. Reports what can't be guaranteed. */
const nativeFormat = (call: UpstreamCall, losses: Losses): JsonObject | undefined => {
  const schema = answerSchema(call.request.body, "Anthropic", losses)
  if (schema === undefined) return undefined
  const traits = servedTraits(call.deployment)
  if (isNative(schema, traits)) return { type: "json_schema", schema: nativeSchema(schema) }
  if (!traits.forcedTools) {
    const isVertex = call.deployment.quirks?.anthropicHost === "vertex"
    const why = isVertex ? NOT_ON_VERTEX : "this model can't guarantee this schema"
    losses.refuse("response_format.json_schema.schema", why)
  }
  return undefined
}

const isNative = (schema: JsonObject, traits: AnthropicTraits): boolean => traits.jsonSchema && fitsNatively(schema)

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
  refuseOutputs(request, losses)
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
