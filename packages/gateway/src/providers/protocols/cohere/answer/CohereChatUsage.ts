/**
 * What an answer is billed for: `billed_units`. `tokens` counts also what Cohere adds and the model writes unseen, which "you are not charged
 * for" (https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work.md, read 2026-11-22; recorded: 119 billed of 1,549).
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, totalTokens, type Usage } from "../../../../core/domain/Usage.ts"
import { countOf, isGarbage, isObject } from "../../../json/LooseJson.ts"
import { wireUsage } from "../../shared/ChatUsage.ts"

/** Undefined where neither is told, or one of the two numbers is none. */
export const usageOf = (raw: unknown): Usage | undefined => {
  if (!isObject(raw)) return undefined
  const told = isObject(raw["billed_units"]) ? raw["billed_units"] : raw["tokens"]
  if (!isObject(told) || isGarbage(told["input_tokens"]) || isGarbage(told["output_tokens"])) return undefined
  const usage = { ...noUsage, input: countOf(told["input_tokens"]), output: countOf(told["output_tokens"]) }
  return totalTokens(usage) === 0 ? undefined : usage
}

/** With Cohere's own counts, which are not what is billed. */
export const toldUsage = (usage: Usage, raw: unknown): JsonObject => ({ ...wireUsage(usage), ...ownCounts(raw) })

export const ownCounts = (raw: unknown): JsonObject => {
  if (!isObject(raw)) return {}
  const { cached_tokens: cached, tokens } = raw
  return {
    ...(isObject(tokens) ? { tokens } : {}),
    ...(typeof cached === "number" ? { cached_tokens: cached } : {})
  }
}
