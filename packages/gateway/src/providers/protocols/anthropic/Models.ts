/**
 * What the model families can do, and what they answer 400 to. Source: Anthropic's model pages as encoded in the model catalogue of
 * `@ai-sdk/anthropic` 4.0.105, and recorded exchanges.
 */

import type { Deployment } from "../../../core/domain/Deployment.ts"

export interface ModelTraits {
  /** Whether `maxOutput` is the model's own, or a guess for a name that is not in the list. */
  readonly known: boolean
  /** The most output tokens one answer may have, thinking included. */
  readonly maxOutput: number
  /** `output_config.format` and strict tools. */
  readonly jsonSchema: boolean
  /** `adaptive`: thinks as it sees fit, steered by effort. `budget`: a number of tokens. `none`: does not think. */
  readonly thinking: "adaptive" | "budget" | "none"
  /** The least thinking there is: off, notes between tool calls, or low effort. */
  readonly leastThinking: "disabled" | "between_tools" | "low_effort"
  readonly xhighEffort: boolean
  /** `one`: temperature or top_p, not both. `none`: the model has no such knobs. */
  readonly sampling: "both" | "one" | "none"
  /** `tool_choice` any and tool. */
  readonly forcedTools: boolean
  /** Thoughts come back empty unless a summary is asked for. */
  readonly silentThinking: boolean
}

/** Anything that is not known: the least that every model had. */
const unknown: ModelTraits = {
  known: false,
  maxOutput: 4_096,
  jsonSchema: false,
  thinking: "budget",
  leastThinking: "disabled",
  xhighEffort: false,
  sampling: "both",
  forcedTools: true,
  silentThinking: false
}

const claude2: ModelTraits = { ...unknown, known: true, thinking: "none" }
const claude35: ModelTraits = { ...claude2, maxOutput: 8_192 }
const claude4: ModelTraits = { ...unknown, known: true, maxOutput: 64_000 }
const claude45: ModelTraits = { ...claude4, jsonSchema: true, sampling: "one" }
const claude46: ModelTraits = { ...claude45, maxOutput: 128_000, thinking: "adaptive" }
const claude47: ModelTraits = { ...claude46, sampling: "none", xhighEffort: true, silentThinking: true }
const alwaysThinking: ModelTraits = { ...claude47, leastThinking: "low_effort" }

/** The first that matches counts. Dots in version numbers (as some resellers write them) are hyphens by then. */
const families: ReadonlyArray<readonly [RegExp, ModelTraits]> = [
  [/claude-sonnet-5-5/, { ...alwaysThinking, leastThinking: "between_tools", forcedTools: false }],
  [/claude-opus-5-5|claude-fable-5-[12]/, { ...alwaysThinking, forcedTools: false }],
  [/claude-fable-5/, alwaysThinking],
  [/claude-(?:opus|sonnet|haiku)-5|claude-opus-4-[78]/, claude47],
  [/claude-(?:opus|sonnet)-4-6/, claude46],
  [/claude-(?:opus|sonnet|haiku)-4-5/, claude45],
  [/claude-opus-4-1/, { ...claude45, maxOutput: 32_000 }],
  [/claude-sonnet-4(?:[-@]|$)/, claude4],
  [/claude-opus-4(?:[-@]|$)/, { ...claude4, maxOutput: 32_000 }],
  [/claude-3-7/, claude4],
  [/claude-3-5/, claude35],
  [/claude-(?:instant|v?[23])(?:[-.:]|$)/, claude2],
  // Newer than this list: like the newest in it, with the smallest output of the current ones.
  [/claude-/, { ...claude47, known: false, maxOutput: 64_000 }]
]

const remembered = new Map<string, ModelTraits>()
const REMEMBERED_LIMIT = 1_000

/** The traits of `model`, in whatever way a reseller spells its name. */
export const modelTraits = (model: string): ModelTraits => {
  const known = remembered.get(model)
  if (known !== undefined) return known
  const spelling = model.toLowerCase().replaceAll(".", "-")
  const traits = families.find(([pattern]) => pattern.test(spelling))?.[1] ?? unknown
  if (remembered.size < REMEMBERED_LIMIT) remembered.set(model, traits)
  return traits
}

/**
 * As they are where the model is served. On Vertex schemas are refused unless an organisation's policy allows them:
 * `@ai-sdk/google-vertex` 5.0.141.
 */
export const servedTraits = ({ model, quirks }: Pick<Deployment, "model" | "quirks">): ModelTraits => {
  const traits = modelTraits(model)
  return quirks?.anthropicHost === "vertex" ? { ...traits, jsonSchema: false } : traits
}
