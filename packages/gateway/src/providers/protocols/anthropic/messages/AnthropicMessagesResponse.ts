/** A whole message, as it came. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import { readUsage } from "../answer/AnthropicChatUsage.ts"
import { reportedFailure } from "../AnthropicErrors.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOf } from "../../../json/LooseJson.ts"

export const lift = (text: string): Result.Result<LiftedAnswer, ProviderFailure> => {
  const body = parseJson(text)
  if (isObject(body) && body["type"] === "error") return Result.fail(reportedFailure(body))
  if (!isObject(body) || !Array.isArray(body["content"]) || !body["content"].every(isObject)) {
    return Result.fail(truncated("the provider's response is not a message"))
  }
  const usage = objectOf(body["usage"])
  return Result.succeed({ body, text, usage: readUsage(usage), serviceTier: servedAs(usage) })
}

/** What decides the price: Anthropic's fast mode and its data residency cost more, whatever the tier is. */
export const servedAs = (usage: JsonObject | undefined): string | undefined => {
  if (usage?.["speed"] === "fast") return "fast"
  return usage?.["inference_geo"] === "us" ? "us" : tierNamed(usage?.["service_tier"])
}
