/** How much a model is to reason, in the words of every API: an effort, a share of the output, a budget of tokens. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import { SHARES } from "../../../core/operations/messages/ChatEffort.ts"
import { isGiven } from "./LowerChat.ts"
import type { Losses } from "./Losses.ts"

export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const
export type Effort = (typeof EFFORTS)[number]

export const isEffort = (value: unknown): value is Effort => EFFORTS.some((effort) => effort === value)

/** `reasoning_effort`; undefined: none is named, or it was refused. */
export const effortIn = ({ reasoning_effort: given }: JsonObject, losses: Losses): Effort | undefined => {
  if (!isGiven(given) || isEffort(given)) return isEffort(given) ? given : undefined
  losses.refuse(
    "reasoning_effort",
    "`reasoning_effort` must be none, minimal, low, medium, high or xhigh at this provider"
  )
  return undefined
}

/** The least effort that a model has and that is no less than what was asked for, else its most. Undefined list: all are known. */
export const nearestEffort = (asked: string, known: ReadonlyArray<string> | undefined): string => {
  const order: ReadonlyArray<string> = EFFORTS
  const wanted = order.indexOf(asked)
  if (known === undefined || wanted < 0 || known.includes(asked)) return asked
  return known.find((effort) => order.indexOf(effort) >= wanted) ?? known.at(-1) ?? asked
}

/** Budgets as Google's own compatible API makes them of efforts: https://ai.google.dev/gemini-api/docs/openai (read 2026-11-22). */
export const BUDGETS: { readonly [E in Exclude<Effort, "none">]: number } = {
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768
}

/** Anthropic takes no smaller one: https://platform.claude.com/docs/en/build-with-claude/extended-thinking (read 2026-11-22). */
const LEAST_BUDGET = 1_024

/** Tokens of thinking within a response of `room` tokens; undefined where there is no room for a response beside it. */
export const budgetWithin = (effort: Exclude<Effort, "none">, room: number): number | undefined => {
  const budget = Math.max(LEAST_BUDGET, Math.floor(SHARES[effort] * room))
  return budget < room ? budget : undefined
}
