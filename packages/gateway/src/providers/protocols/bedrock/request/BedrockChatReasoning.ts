/** `reasoning_effort`, in the words of the model's family, for `additionalModelRequestFields`. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { objectOf } from "../../../json/LooseJson.ts"
import { effortIn, nearestEffort } from "../../shared/Efforts.ts"
import type { Losses } from "../../shared/Losses.ts"
import { isThinking, lowerThinking, type ThinkingRoom } from "../../anthropic/request/AnthropicChatThinking.ts"
import type { BedrockTurn } from "./BedrockChatConversation.ts"
import type { ConverseTraits } from "../BedrockModels.ts"

interface Reasoning {
  readonly more: JsonObject
  /** An Anthropic model will think. */
  readonly thinks: boolean
  /** The output limit that the thoughts were measured for, which has to be said then. */
  readonly maxTokens?: number
}

/** As Anthropic's rules need to know it: which kinds of blocks there are. */
export const roomIn = (
  turns: ReadonlyArray<BedrockTurn>,
  forcedTool: boolean,
  maxTokens: number
): Omit<ThinkingRoom, "traits"> => ({
  maxTokens,
  forcedTool,
  turns: turns.slice(-2).map(({ content, role }) => ({ role, content: content.slice(0, 1).map(kindOf) }))
})

const kindOf = (block: JsonObject): JsonObject => {
  if ("toolResult" in block) return { type: "tool_result" }
  return { type: "reasoningContent" in block ? "thinking" : "text" }
}

const NOTHING: Reasoning = { more: {}, thinks: false }

/** `room`: for Anthropic's models. */
export const lowerReasoning = (
  body: JsonObject,
  traits: ConverseTraits,
  room: Omit<ThinkingRoom, "traits">,
  losses: Losses
): Reasoning => {
  if (traits.claude !== undefined) {
    const { effort, thinking } = lowerThinking(body, { ...room, traits: traits.claude }, losses)
    const more = {
      ...(thinking === undefined ? {} : { thinking }),
      ...(effort === undefined ? {} : { output_config: { effort } })
    }
    const thinks = isThinking(thinking)
    // Whoever names a budget knows the model's own limit.
    const own = objectOf(body["thinking"])
    const isMeasured = thinking?.["type"] === "enabled" && typeof own?.["budget_tokens"] !== "number"
    return isMeasured ? { more, thinks, maxTokens: room.maxTokens } : { more, thinks }
  }
  const effort = effortIn(body, losses)
  if (effort === undefined) return NOTHING
  const level = nearestEffort(effort, LEVELS)
  // Nova's words for it are its own.
  if (level !== effort && traits.reasoning !== undefined) {
    losses.drop("reasoning_effort", `the nearest effort that this model has is "${level}"`)
  }
  return { more: level === "none" ? unasked(traits, losses) : asked(level, traits, losses), thinks: false }
}

const LEVELS = ["none", "low", "medium", "high"]

const asked = (level: string, { reasoning }: ConverseTraits, losses: Losses): JsonObject => {
  switch (reasoning) {
    case "nova":
      return { reasoningConfig: { type: "enabled", maxReasoningEffort: novaEffort(level, losses) } }
    case "reasoning_effort":
    case "reasoning_config":
      return { [reasoning]: level }
    default:
      losses.drop("reasoning_effort", "this model has no setting for reasoning effort")
      return {}
  }
}

/**
 * With high effort Nova 2 takes no output limit (`@ai-sdk/amazon-bedrock` 5.0.101, read 2026-11-22), and without one nothing would
 * bound what it costs.
 */
const novaEffort = (level: string, losses: Losses): string => {
  if (level !== "high") return level
  losses.drop("reasoning_effort", "with high effort this model takes no output limit, so it gets medium")
  return "medium"
}

const unasked = ({ reasoning }: ConverseTraits, losses: Losses): JsonObject => {
  if (reasoning !== "reasoning_effort") return {}
  losses.drop("reasoning_effort", "this model always reasons")
  return { reasoning_effort: "low" }
}
