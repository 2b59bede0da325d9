/** How much a request of the Messages API asks a model to think, as `reasoning_effort` of chat. */
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"

/**
 * The part of the output limit for thinking; low, medium and high as OpenRouter has them
 * (https://openrouter.ai/docs/use-cases/reasoning-tokens, read 2026-11-22).
 */
export const SHARES = { minimal: 0, low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.9 } as const

/** Half way between the shares of low, medium and high: a budget is the effort that it is nearest to. */
export const effortOfShare = (share: number): string =>
  share < (SHARES.low + SHARES.medium) / 2 ? "low" : share < (SHARES.medium + SHARES.high) / 2 ? "medium" : "high"

const EFFORTS: ReadonlySet<unknown> = new Set(["low", "medium", "high", "xhigh", "max"])

/** Undefined: the model's default. An effort counts without `thinking`, too: models that think by default obey it. */
export const chatEffort = ({ max_tokens: most, output_config: config, thinking }: JsonObject): string | undefined => {
  const { budget_tokens: budget, type } = (Predicate.isObject(thinking) ? thinking : {}) as JsonObject
  if (type === "disabled") return "none"
  const named = Predicate.hasProperty(config, "effort") ? config.effort : undefined
  if (typeof named === "string" && EFFORTS.has(named)) return named
  if (typeof budget !== "number" || typeof most !== "number") return undefined
  return effortOfShare(budget / most)
}
