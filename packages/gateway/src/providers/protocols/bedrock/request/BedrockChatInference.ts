/** Output limit, sampling and stop sequences: what all models take (`inferenceConfig`), and what one family has. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { lowerSampling, lowerStop } from "../../anthropic/request/AnthropicChatSampling.ts"
import type { ConverseTraits } from "../BedrockModels.ts"

export interface Inference {
  readonly inferenceConfig: JsonObject
  /** For `additionalModelRequestFields`. */
  readonly more: JsonObject
}

/** `thinks`: with thoughts Anthropic's models take less. `maxTokens`: the output limit to send, if any. */
export const lowerInference = (
  { request: { body } }: Pick<UpstreamCall, "request">,
  traits: ConverseTraits,
  { maxTokens, thinks }: { readonly maxTokens: number | undefined; readonly thinks: boolean },
  losses: Losses
): Inference => {
  const { claude } = traits
  const {
    temperature,
    top_k: topK,
    top_p: topP
  } = claude === undefined ? sampling(body, losses) : lowerSampling(body, claude, thinks, losses)
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
  const given = number(body, "temperature", losses)
  const temperature = given === undefined ? undefined : Math.min(1, Math.max(0, given))
  if (temperature !== given) losses.drop("temperature", "Bedrock's temperature goes from 0 to 1")
  return { temperature, top_p: number(body, "top_p", losses), top_k: number(body, "top_k", losses) }
}

const number = (body: JsonObject, name: string, losses: Losses): number | undefined => {
  const value = body[name]
  if (value === undefined || value === null || value === "") return undefined
  if (typeof value === "number" && Number.isFinite(value)) return value
  losses.refuse(name, `\`${name}\` must be a number`)
  return undefined
}

const stops = (stop: unknown, traits: ConverseTraits, losses: Losses): ReadonlyArray<unknown> => {
  if (traits.claude !== undefined) return lowerStop(stop, losses)
  const given = (typeof stop === "string" ? [stop] : arrayOf(stop)).filter(
    (entry) => typeof entry === "string" && entry !== ""
  )
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
