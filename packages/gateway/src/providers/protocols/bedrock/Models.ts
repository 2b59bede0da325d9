/**
 * What the families of models take through Converse, and what they answer 400 to.
 *
 * Sources, all read 2026-11-22: system prompts and tools,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html; forced tools,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html (a named tool: Claude and Nova) and its CDK page
 * (any tool: Mistral Large too); schemas, https://github.com/langchain-ai/langchain-aws/issues/883 and recorded exchanges; caching,
 * https://portkey.ai/docs/integrations/llms/bedrock/prompt-caching; reasoning of Nova,
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.html; what gpt-oss refuses, `@ai-sdk/amazon-bedrock` 5.0.101.
 */
import type { Deployment } from "../../../core/domain/Deployment.ts"
import { type IdForm, lettersOnly, plainIdsUpTo } from "../shared/ToolIds.ts"
import { modelTraits, type ModelTraits } from "../anthropic/Models.ts"

export interface ConverseTraits {
  /** What Anthropic's models do is known in Anthropic's room; undefined: it is none. */
  readonly claude: ModelTraits | undefined
  /** Instructions have a field of their own; other models get them in front of the first message. */
  readonly system: boolean
  /** `named`: one tool, or any. `any`: one of them. `none`: it can't be made to call a tool. */
  readonly forcedTools: "named" | "any" | "none"
  /** `toolSpec.strict`. */
  readonly strictTools: boolean
  /** `outputConfig.textFormat`. */
  readonly schemas: boolean
  /** How `reasoning_effort` is said: Anthropic's way, Nova's, or as a field of this name. */
  readonly reasoning: "claude" | "nova" | "reasoning_effort" | "reasoning_config" | undefined
  /** Where `top_k` goes in `additionalModelRequestFields`. */
  readonly topK: "top_k" | "k" | "inferenceConfig" | undefined
  readonly stopSequences: boolean
  /** Where `cachePoint` may stand. */
  readonly caches: "everywhere" | "not in tools" | "nowhere"
  readonly toolIds: IdForm
}

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolUseBlock.html (2026-11-22). */
const BEDROCK_IDS = plainIdsUpTo(64)

/** Kimi wants ids of its own form back (`functions.f:0`), which Bedrock takes, as recorded. */
const ANY_IDS: IdForm = { ...BEDROCK_IDS, isValid: (id) => id !== "" && id.length <= 64 }

/** Anything that is not known. */
const unknown: ConverseTraits = {
  claude: undefined,
  system: true,
  forcedTools: "none",
  strictTools: false,
  schemas: false,
  reasoning: undefined,
  topK: undefined,
  stopSequences: true,
  caches: "nowhere",
  toolIds: BEDROCK_IDS
}

const nova: ConverseTraits = { ...unknown, forcedTools: "named", topK: "inferenceConfig", caches: "not in tools" }
const openWeights: ConverseTraits = { ...unknown, schemas: true }
const mistral: ConverseTraits = { ...unknown, toolIds: lettersOnly(9), topK: "top_k" }

/** The first that matches counts. */
const families: ReadonlyArray<readonly [RegExp, ConverseTraits]> = [
  [/nova-2/, { ...nova, reasoning: "nova" }],
  [/nova-/, nova],
  [/gpt-oss/, { ...openWeights, reasoning: "reasoning_effort", stopSequences: false }],
  [/qwen/, { ...openWeights, reasoning: "reasoning_config" }],
  [/mistral-large-3|ministral|magistral|voxtral/, { ...mistral, schemas: true, forcedTools: "any" }],
  [/mistral-large|pixtral/, { ...mistral, forcedTools: "any" }],
  [/mistral-7b|mixtral/, { ...mistral, system: false }],
  [/mistral/, mistral],
  [/kimi/, { ...openWeights, toolIds: ANY_IDS }],
  [/gemma|minimax|glm|nemotron|deepseek[.-]v3/, openWeights],
  [/titan|command-text|command-light/, { ...unknown, system: false }],
  [/cohere/, { ...unknown, topK: "k" }]
]

/**
 * Claude models with schemas and strict tools here. Bedrock has a copy of Anthropic's checks of its own, which refuses what the newest
 * models can do elsewhere; Sonnet 4.6 does not keep to schemas (`@ai-sdk/amazon-bedrock` 5.0.101, read 2026-11-22).
 */
const CLAUDE_SCHEMAS = /claude-(?:sonnet|opus|haiku)-4-5|claude-opus-4-6/
const CLAUDE_STRICT = /claude-(?:sonnet|opus|haiku)-4-[56]/
/** Since 3.5 Haiku and 3.7 Sonnet. */
const CLAUDE_CACHES = /claude-(?:3-5-(?:haiku|sonnet-20241022)|3-7|(?:sonnet|opus|haiku|fable)-[4-9])/

const claudeTraits = (model: string): ConverseTraits => {
  const claude = modelTraits(model)
  return {
    ...unknown,
    claude,
    forcedTools: claude.forcedTools ? "named" : "none",
    strictTools: CLAUDE_STRICT.test(model),
    schemas: CLAUDE_SCHEMAS.test(model),
    reasoning: "claude",
    topK: "top_k",
    caches: CLAUDE_CACHES.test(model) ? "everywhere" : "nowhere"
  }
}

const remembered = new Map<string, ConverseTraits>()
const REMEMBERED_LIMIT = 1_000

/** Of a model, with or without the region in front of it, or of the profile that an ARN names. */
export const converseTraits = ({ baseModel, model }: Pick<Deployment, "baseModel" | "model">): ConverseTraits => {
  const name = (baseModel ?? model).toLowerCase()
  const known = remembered.get(name)
  if (known !== undefined) return known
  const traits = /claude/.test(name)
    ? claudeTraits(name)
    : (families.find(([pattern]) => pattern.test(name))?.[1] ?? unknown)
  if (remembered.size < REMEMBERED_LIMIT) remembered.set(name, traits)
  return traits
}
