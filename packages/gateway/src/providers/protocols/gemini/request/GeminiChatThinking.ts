/** `reasoning_effort` as thinking: a level where the model knows those, else a budget of tokens. */
import { effortOfShare, SHARES } from "../../../../core/operations/messages/ChatEffort.ts"
import { objectOf, type JsonObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { BUDGETS, type Effort, effortIn, isEffort, nearestEffort } from "../../shared/Efforts.ts"
import type { GeminiTraits } from "../GeminiModels.ts"

/** Thoughts count within the output limit: there has to be room for the response. */
const MOST_SHARE = SHARES.high

/** `own`: Google's own `thinkingConfig`: callers who know it mean it. */
export const lowerThinking = (
  body: JsonObject,
  own: JsonObject | undefined,
  traits: GeminiTraits,
  maxOutput: number | undefined,
  losses: Losses
): JsonObject => {
  const isTaken =
    (own?.["thinkingBudget"] === undefined || traits.takesBudget) &&
    (own?.["thinkingLevel"] === undefined || traits.thinking === "level")
  // An effort says the same.
  if (own !== undefined && (isTaken || body["reasoning_effort"] === undefined))
    return { thinkingConfig: withinTraits(own, traits, losses) }
  const shown = own?.["includeThoughts"] === false ? { includeThoughts: false } : undefined
  const thinking = objectOf(body["thinking"])
  const tokens = thinking?.["type"] === "enabled" ? thinking["budget_tokens"] : undefined
  if (traits.thinking === "budget" && typeof tokens === "number") {
    return { thinkingConfig: within(tokens, traits, maxOutput, losses) }
  }
  const meant = effortOf(thinking, maxOutput)
  const effort = effortIn(body, losses) ?? (isEffort(meant) ? meant : undefined)
  if (effort === undefined) return {}
  const config = traits.thinking === "level" ? level(effort, traits, losses) : budget(effort, traits, maxOutput, losses)
  return config === undefined ? {} : { thinkingConfig: { ...config, ...shown } }
}

/** Anthropic's `thinking`, where no effort is named. */
const effortOf = (thinking: JsonObject | undefined, maxOutput: number | undefined): string | undefined => {
  if (thinking === undefined) return undefined
  if (thinking["type"] === "disabled") return "none"
  const { budget_tokens: tokens } = thinking
  return typeof tokens === "number" && maxOutput !== undefined ? effortOfShare(tokens / maxOutput) : "high"
}

/** A budget in tokens stays one. */
const within = (
  asked: number,
  { budget: [least, most] }: GeminiTraits,
  maxOutput: number | undefined,
  losses: Losses
): JsonObject => {
  const tokens = Math.max(least, Math.min(asked, most, maxOutput ?? most))
  if (tokens !== asked) losses.drop("thinking", `this model takes a budget of ${least} to ${most} tokens`)
  return { thinkingBudget: tokens, includeThoughts: true }
}

const withinTraits = (own: JsonObject, { takesBudget }: GeminiTraits, losses: Losses): JsonObject => {
  const { thinkingBudget, ...rest } = own
  if (takesBudget || thinkingBudget === undefined) return own
  // -1 leaves it to the model.
  if (thinkingBudget !== -1)
    losses.drop("extra_body.google.thinking_config.thinking_budget", "this model takes levels of thinking, no budget")
  return rest
}

const level = (effort: Effort, { levels }: GeminiTraits, losses: Losses): JsonObject => {
  const found = nearestEffort(effort, levels)
  if (effort === "none") losses.drop("reasoning_effort", "this model always thinks")
  else if (found !== effort) losses.drop("reasoning_effort", `the nearest effort that this model has is "${found}"`)
  return { thinkingLevel: found, ...(effort === "none" ? {} : { includeThoughts: true }) }
}

const budget = (
  effort: Effort,
  { budget: [least, most], canStop, thinking }: GeminiTraits,
  maxOutput: number | undefined,
  losses: Losses
): JsonObject | undefined => {
  if (thinking === "none") {
    if (effort !== "none") losses.drop("reasoning_effort", "how much this model thinks can't be chosen")
    return undefined
  }
  if (effort === "none") {
    if (!canStop && least > 0) losses.drop("reasoning_effort", "this model always thinks")
    return { thinkingBudget: canStop ? 0 : least }
  }
  const room = maxOutput === undefined ? most : Math.floor(maxOutput * MOST_SHARE)
  const tokens = Math.max(least, Math.min(BUDGETS[effort], most, room))
  return { thinkingBudget: tokens, includeThoughts: true }
}
