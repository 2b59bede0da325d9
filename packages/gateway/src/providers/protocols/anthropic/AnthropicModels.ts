/** What a model takes through the Messages API, as the model catalogue has it. What the catalogue does not say, passes. */
import type { Deployment } from "../../../core/domain/Deployment.ts"
import type { ModelFacts } from "../../../core/domain/models/ModelFacts.ts"
import { byFacts } from "../shared/ModelTraits.ts"

export interface AnthropicTraits {
  /** Whether `maxOutput` is the model's own, or a guess for a name that is not in the catalogue. */
  readonly known: boolean
  /** The most output tokens one response may have, thinking included. */
  readonly maxOutput: number
  /** `output_config.format` and strict tools. */
  readonly jsonSchema: boolean
  /** `adaptive`: thinks as it sees fit, steered by effort. `budget`: a number of tokens. `none`: does not think. */
  readonly thinking: "adaptive" | "budget" | "none"
  /** The values of `output_config.effort`, from the least; undefined: it takes none, or nobody knows. */
  readonly efforts: ReadonlyArray<string> | undefined
  /** The least thinking there is: off, notes between tool calls, or low effort. */
  readonly leastThinking: "disabled" | "between_tools" | "low_effort"
  /** The most effort that goes with the least thinking. */
  readonly leastThinkingUpTo: string | undefined
  readonly takesBudget: boolean
  /** `one`: temperature or top_p, not both. `none`: the model has no such knobs. */
  readonly sampling: "both" | "one" | "none"
  /** `tool_choice` any and tool. */
  readonly forcedTools: boolean
  /** Thoughts come back empty unless a summary is asked for. */
  readonly silentThinking: boolean
  /** The conversation may end with the assistant: the response goes on from there. */
  readonly prefill: boolean
  /** `speed: fast`. */
  readonly fast: boolean
  /** Instructions may be turns of the conversation. */
  readonly systemTurns: boolean
}

export const isClaude = ({ protocol }: Pick<ModelFacts, "protocol">): boolean => protocol?.["maker"] === "anthropic"

/** The least that every model had. */
const LEAST_OUTPUT = 4_096

const traitsOf = ({ key, limits, prefill, protocol = {}, reasoning = {}, sampling, schemas, tools }: ModelFacts) => {
  const { mode, off } = reasoning
  const most = limits?.maxOutput ?? numberIn(protocol["mostOutput"])
  return {
    known: key !== undefined && most !== undefined,
    maxOutput: most ?? LEAST_OUTPUT,
    jsonSchema: schemas === "native" || schemas === "native_without_tools",
    thinking: mode === "none" ? "none" : mode === undefined || mode === "budget" ? "budget" : "adaptive",
    efforts: reasoning.efforts ?? (mode === "hybrid" ? [] : undefined),
    leastThinking: off === "between_tools" ? off : off === "refused" || off === "least" ? "low_effort" : "disabled",
    leastThinkingUpTo: reasoning.offUpTo,
    takesBudget: reasoning.budget !== false && mode !== "none",
    sampling: sampling === "refused" || sampling === "default" ? "none" : sampling === "one" ? "one" : "both",
    forcedTools: tools?.forced !== false,
    silentThinking: protocol["silentThoughts"] === true,
    prefill: prefill !== false,
    fast: key === undefined || protocol["fast"] === true,
    systemTurns: protocol["systemTurns"] === "taken"
  } satisfies AnthropicTraits
}

const numberIn = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

export const modelTraits: (facts?: ModelFacts) => AnthropicTraits = byFacts(traitsOf)

export const NOT_ON_VERTEX =
  "Vertex takes JSON schemas for Claude only if a policy of the Google Cloud organization allows them: choose another deployment, or leave the schema out"

/**
 * As they are where the model is served. Anthropic's own API alone takes instructions as turns:
 * https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages (2026-11-27). On Vertex schemas are refused unless an organisation's policy allows them:
 * `@ai-sdk/google-vertex` 5.0.141.
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
