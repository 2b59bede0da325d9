/** What a model takes through the Messages API, as the model catalogue has it. What the catalogue does not say, passes. */
import type { Deployment } from "../../../core/domain/Deployment.ts"
import type { ModelFacts } from "../../../core/domain/models/ModelFacts.ts"
import { byFacts } from "../shared/ModelTraits.ts"

export type AnthropicTraits = ReturnType<typeof traitsOf>

export const isClaude = ({ protocol }: Pick<ModelFacts, "protocol">): boolean => protocol?.["maker"] === "anthropic"

/** The least that every model had. */
const LEAST_OUTPUT = 4_096

const traitsOf = ({ key, limits, prefill, protocol = {}, reasoning = {}, sampling, schemas, tools }: ModelFacts) => {
  const { mode, off } = reasoning
  const most = limits?.maxOutput ?? numberIn(protocol["mostOutput"])
  /** Whether `maxOutput` is the model's own, or a guess for a name that is not in the catalogue. */
  return {
    known: key !== undefined && most !== undefined,
    /** Tokens, thinking included. */
    maxOutput: most ?? LEAST_OUTPUT,
    /** `output_config.format` and strict tools. */
    jsonSchema: schemas === "native" || schemas === "native_without_tools",
    /** `adaptive`: thinks as it sees fit, steered by effort. `budget`: a number of tokens. `none`: does not think. */
    thinking: mode === "none" ? "none" : mode === undefined || mode === "budget" ? "budget" : "adaptive",
    /** The values of `output_config.effort`, from the least; undefined: it takes none, or they are not known. */
    efforts: reasoning.efforts ?? (mode === "hybrid" ? [] : undefined),
    /** The least thinking there is: off, notes between tool calls, or low effort. */
    leastThinking: off === "between_tools" ? off : off === "refused" || off === "least" ? "low_effort" : "disabled",
    /** The most effort that goes with the least thinking. */
    leastThinkingUpTo: reasoning.offUpTo,
    takesBudget: reasoning.budget !== false && mode !== "none",
    /** `one`: temperature or top_p, not both. `none`: neither. */
    sampling: sampling === "refused" || sampling === "default" ? "none" : sampling === "one" ? "one" : "both",
    /** `tool_choice` any and tool. */
    forcedTools: tools?.forced !== false,
    /** Thoughts come back empty unless a summary is asked for. */
    silentThinking: protocol["silentThoughts"] === true,
    /** The conversation may end with the assistant: the response goes on from there. */
    prefill: prefill !== false,
    /** `speed: fast`. */
    fast: key === undefined || protocol["fast"] === true,
    /** Instructions may be turns of the conversation. */
    systemTurns: protocol["systemTurns"] === "taken"
  } as const
}

const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const modelTraits: (facts?: ModelFacts) => AnthropicTraits = byFacts(traitsOf)

export const NOT_ON_VERTEX =
  "Vertex takes JSON schemas for Claude only if a policy of the Google Cloud organization allows them: choose another deployment, or leave the schema out"

/**
 * As they are where the model is served. Anthropic's own API alone takes instructions as turns:
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages (2026-11-27).
 * Vertex refuses schemas unless an organisation's policy allows them: `@ai-sdk/google-vertex` 5.0.141.
 */
export const servedTraits = ({
  facts,
  protocol,
  quirks
}: Pick<Deployment, "facts" | "protocol" | "quirks">): AnthropicTraits => {
  const traits = modelTraits(facts)
  if (quirks?.anthropicHost === "vertex") return { ...traits, jsonSchema: false, systemTurns: false }
  return protocol === "anthropic-messages" ? traits : { ...traits, systemTurns: false }
}
