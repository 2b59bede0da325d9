/** `reasoning_effort` as thinking: by effort where the model steers itself, else as a budget of tokens. */
import type { AnthropicTurn } from "./AnthropicChatConversation.ts"
import { isObject, type JsonObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { budgetWithin, effortIn, nearestEffort } from "../../shared/Efforts.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"

interface Thinking {
  /** Undefined leaves it to the model. */
  readonly thinking: JsonObject | undefined
  /** `output_config.effort`. */
  readonly effort: string | undefined
}

export interface ThinkingRoom {
  readonly traits: AnthropicTraits
  /** Output tokens of the response, thinking included. */
  readonly maxTokens: number
  readonly forcedTool: boolean
  readonly turns: ReadonlyArray<AnthropicTurn>
}

const DEFAULT_EFFORT = "high"

const NOT_ASKED: Thinking = { thinking: undefined, effort: undefined }

export const isThinking = (thinking: JsonObject | undefined): boolean =>
  thinking !== undefined && thinking["type"] !== "disabled"

export const lowerThinking = (body: JsonObject, room: ThinkingRoom, losses: Losses): Thinking => {
  // Anthropic's own field: callers who know it mean it. Others have `enabled` without a budget, as chat of other vendors takes it.
  const own = isObject(body["thinking"]) ? body["thinking"] : undefined
  const isOn = own?.["type"] === "enabled" && typeof own["budget_tokens"] !== "number"
  if (own !== undefined && !isOn) {
    if (own["type"] !== "enabled" || budgetFits(room)) return { thinking: own, effort: undefined }
    losses.drop("thinking", "thinking with a budget is not possible in this conversation")
    return NOT_ASKED
  }
  const effort = effortIn(body, losses) ?? (isOn ? DEFAULT_EFFORT : undefined)
  if (effort === undefined) return NOT_ASKED
  if (effort === "none") return least(room.traits, losses)
  if (room.traits.thinking === "adaptive") return adaptive(effort, room.traits, losses)
  const budget = budgetWithin(effort, room.maxTokens)
  if (room.traits.thinking === "budget" && budget !== undefined && budgetFits(room)) {
    return { thinking: { type: "enabled", budget_tokens: budget }, effort: undefined }
  }
  losses.drop(
    "reasoning_effort",
    "this model can't think here: not at all, within `max_tokens`, or in this conversation"
  )
  return NOT_ASKED
}

const least = (traits: AnthropicTraits, losses: Losses): Thinking => {
  if (traits.thinking === "none") return NOT_ASKED
  if (traits.leastThinking === "disabled") return { thinking: { type: "disabled" }, effort: undefined }
  losses.drop("reasoning_effort", "this model always thinks")
  return traits.leastThinking === "low_effort"
    ? { thinking: undefined, effort: "low" }
    : { thinking: { type: "between_tools" }, effort: undefined }
}

const adaptive = (effort: string, { efforts, silentThinking }: AnthropicTraits, losses: Losses): Thinking => {
  const sent = nearestEffort(effort, efforts ?? KNOWN_EFFORTS)
  if (sent !== effort) losses.drop("reasoning_effort", `the nearest effort that this model has is "${sent}"`)
  return { thinking: { type: "adaptive", ...(silentThinking ? { display: "summarized" } : {}) }, effort: sent }
}

const KNOWN_EFFORTS = ["low", "medium", "high", "xhigh", "max"]

/**
 * A budget goes with neither a forced tool nor a prefill, and an open tool call must begin with the (signed) thoughts that led to it,
 * which histories from elsewhere do not have.
 */
export const budgetFits = ({ forcedTool, turns }: Pick<ThinkingRoom, "forcedTool" | "turns">): boolean => {
  if (forcedTool || turns.at(-1)?.role === "assistant") return false
  const answered = turns.at(-1)?.content[0]?.["type"] === "tool_result"
  const opening = String(turns.at(-2)?.content[0]?.["type"])
  return !answered || opening === "thinking" || opening === "redacted_thinking"
}
