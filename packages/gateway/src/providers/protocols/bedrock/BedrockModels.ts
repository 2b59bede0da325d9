/**
 * What a model takes through Converse, as the model catalogue has it. Sources of the catalogue's facts, read 2026-11-22: system prompts and
 * tools, https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html; forced tools,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html; schemas,
 * https://github.com/langchain-ai/langchain-aws/issues/883, `@ai-sdk/amazon-bedrock` 5.0.101 and recorded exchanges; caching,
 * https://portkey.ai/docs/integrations/llms/bedrock/prompt-caching; reasoning of Nova,
 * https://docs.aws.amazon.com/nova/latest/nova2-userguide/reasoning-capabilities.html.
 */
import type { Deployment } from "../../../core/domain/Deployment.ts"
import type { ModelFacts } from "../../../core/domain/models/ModelFacts.ts"
import { isObject, type JsonObject } from "../../json/LooseJson.ts"
import type { Losses } from "../shared/Losses.ts"
import { byFacts } from "../shared/ModelTraits.ts"
import { type IdForm, lettersOnly, plainIdsUpTo } from "../shared/ToolIds.ts"
import { isClaude, modelTraits, type AnthropicTraits } from "../anthropic/AnthropicModels.ts"

export interface ConverseTraits {
  /** What Anthropic's models do through the Messages API; undefined: it is none of them. */
  readonly claude: AnthropicTraits | undefined
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

const IDS: { readonly [form: string]: IdForm } = {
  letters9: lettersOnly(9),
  /** Kimi wants ids of its own form back (`functions.f:0`), which Bedrock takes, as recorded. */
  any: { ...BEDROCK_IDS, isValid: (id) => id !== "" && id.length <= 64 }
}

const oneOf = <Word extends string>(value: unknown, ...words: ReadonlyArray<Word>): Word | undefined =>
  words.find((word) => word === value)

const traitsOf = (facts: ModelFacts): ConverseTraits => {
  const { cache, protocol = {}, schemas, stop, tools } = facts
  if (isClaude(facts)) {
    return {
      claude: modelTraits(facts),
      system: true,
      forcedTools: tools?.forced === false ? "none" : "named",
      strictTools: protocol["converseStrict"] === true,
      schemas: protocol["converseSchemas"] === true,
      reasoning: "claude",
      topK: "top_k",
      stopSequences: true,
      caches: cache?.breakpoints === undefined ? "nowhere" : "everywhere",
      toolIds: BEDROCK_IDS
    }
  }
  return {
    claude: undefined,
    system: protocol["systemInstruction"] !== false,
    forcedTools: tools?.forced !== true ? "none" : tools.named === false ? "any" : "named",
    strictTools: tools?.strict === true && protocol["converse"] === true,
    schemas: schemas === "native" && protocol["converse"] === true,
    reasoning: oneOf(protocol["reasoningAs"], "nova", "reasoning_effort", "reasoning_config"),
    topK: oneOf(protocol["topK"], "top_k", "k", "inferenceConfig"),
    stopSequences: stop !== false,
    caches: oneOf(protocol["cachePoints"], "everywhere", "not in tools") ?? "nowhere",
    toolIds: IDS[String(protocol["toolIds"])] ?? BEDROCK_IDS
  }
}

const traits = byFacts(traitsOf)

export const converseTraits = ({ facts }: Pick<Deployment, "facts">): ConverseTraits => traits(facts)

/** Encoded: a model's name has a colon, and a profile's ARN has slashes. A signature counts it encoded once more. */
export const modelPath = (model: string, action: string): string => `/model/${encodeURIComponent(model)}/${action}`

/** `cache_control`, as the block that follows what is to be cached. */
export const cachePoint = (
  mark: unknown,
  place: "tools" | "messages",
  { caches }: ConverseTraits,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  if (!isObject(mark)) return []
  if (caches === "nowhere" || (caches === "not in tools" && place === "tools")) {
    losses.drop("cache_control", "the model caches nothing here")
    return []
  }
  // Five minutes is what a point without a time has.
  return [{ cachePoint: mark["ttl"] === "1h" ? { type: "default", ttl: "1h" } : { type: "default" } }]
}
