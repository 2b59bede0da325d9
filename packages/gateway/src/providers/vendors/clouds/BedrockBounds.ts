/** What Bedrock bills for the contents of requests: as the model's maker does, where that is known. */
import { type ModelFacts, noFacts } from "../../../core/domain/models/ModelFacts.ts"
import type { BoundRules } from "../../../core/domain/pricing/BoundRules.ts"
import { isClaude } from "../../protocols/anthropic/AnthropicModels.ts"
import { anthropicBounds } from "../AnthropicBounds.ts"

/**
 * Whose thoughts, if there are any, are within `maxTokens`, which limits all that is generated:
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InferenceConfiguration.html (2026-11-22). Nobody says so of Nova 2, whose
 * highest effort takes no limit at all: its window bounds it.
 */
const INSIDE: BoundRules = { reasoning: "inside" }

export const bedrockBounds = (facts: ModelFacts = noFacts): BoundRules => {
  if (isClaude(facts)) return anthropicBounds(facts)
  return facts.protocol?.["reasoningAs"] === "nova" ? {} : INSIDE
}
