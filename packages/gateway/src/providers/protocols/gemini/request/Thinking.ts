/** `reasoning_effort` as thinking: a level where the model knows those, else a budget of tokens. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { Losses } from "../../../Losses.ts"
import type { ModelTraits } from "../Models.ts"

/** As Google's own compatible API has them: https://ai.google.dev/gemini-api/docs/openai (2026-11-22). */
const BUDGETS = new Map([
  ["minimal", 1_024],
  ["low", 1_024],
  ["medium", 8_192],
  ["high", 24_576],
  ["xhigh", 32_768],
  ["max", 32_768]
])

/** The part of the output that thinking may take: thoughts count within the output limit. */
const MOST_SHARE = 0.8

const EFFORTS = ["minimal", "low", "medium", "high", "xhigh", "max"]

/** `own`: Google's own `thinkingConfig`: callers who know it mean it. */
export const lowerThinking = (
  body: JsonObject,
  own: JsonObject | undefined,
  traits: ModelTraits,
  maxOutput: number | undefined,
  losses: Losses
): JsonObject => {
  if (own !== undefined) return { thinkingConfig: own }
  const effort = body["reasoning_effort"]
  if (effort === undefined || effort === null || effort === "") return {}
  if (typeof effort !== "string" || (effort !== "none" && !BUDGETS.has(effort))) {
    losses.refuse("reasoning_effort", "`reasoning_effort` must be none, minimal, low, medium, high or xhigh here")
    return {}
  }
  const config = traits.thinking === "level" ? level(effort, traits, losses) : budget(effort, traits, maxOutput, losses)
  return config === undefined ? {} : { thinkingConfig: config }
}

const level = (effort: string, { levels }: ModelTraits, losses: Losses): JsonObject => {
  if (effort === "none") losses.drop("reasoning_effort", "this model always thinks")
  const wanted = Math.max(0, EFFORTS.indexOf(effort))
  // The nearest level that is not less; the highest where there is none.
  const found = levels.find((one) => EFFORTS.indexOf(one) >= wanted) ?? levels.at(-1)
  return { thinkingLevel: found, ...(effort === "none" ? {} : { includeThoughts: true }) }
}

const budget = (
  effort: string,
  { budget: [least, most], thinking }: ModelTraits,
  maxOutput: number | undefined,
  losses: Losses
): JsonObject | undefined => {
  if (thinking === "none") {
    if (effort !== "none") losses.drop("reasoning_effort", "how much this model thinks can't be chosen")
    return undefined
  }
  if (effort === "none") {
    if (least > 0) losses.drop("reasoning_effort", "this model always thinks")
    return { thinkingBudget: least }
  }
  const room = maxOutput === undefined ? most : Math.floor(maxOutput * MOST_SHARE)
  const tokens = Math.max(least, Math.min(BUDGETS.get(effort)!, most, room))
  return { thinkingBudget: tokens, includeThoughts: true }
}
