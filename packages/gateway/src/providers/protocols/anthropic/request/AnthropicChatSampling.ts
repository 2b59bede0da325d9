/** Temperature and its kin: what a model takes, and what it takes while it thinks. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isBlank } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { numberIn, stopsIn } from "../../shared/LowerChat.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"

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
