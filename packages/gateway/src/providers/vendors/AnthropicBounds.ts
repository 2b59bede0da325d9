/** What Anthropic bills for a request's contents. */
import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import { isClaude } from "../protocols/anthropic/AnthropicModels.ts"
import { formulaBounds } from "./Formulas.ts"

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

/**
 * Tokens for each of o200k's: 0.98 to 1.47 in 143 recorded requests. Claude 4.7 and later make up to 1.35 times as many as those before
 * (https://www.anthropic.com/news/claude-opus-4-7, 2026-11-22, as copied on GitHub).
 */
const TOKENS_PER_O200K = 1.6
const LATER_TOKENS_PER_O200K = 2

/** Of a model that no one knows: an image or a page takes as many as with the newest. */
const MOST = 4_784

export const anthropicBounds = (facts: ModelFacts = noFacts): BoundRules => ({
  image: () => MOST,
  // Each page is its text and a picture: https://platform.claude.com/docs/en/build-with-claude/pdf-support (2026-11-22).
  pageImage: MOST,
  ...formulaBounds(facts),
  // `max_tokens` holds for thinking too: https://platform.claude.com/docs/en/build-with-claude/extended-thinking (2026-11-22).
  reasoning: "inside",
  ...(facts.tokenizer === "claude"
    ? { tokensPerO200k: TOKENS_PER_O200K }
    : { tokensPerO200k: LATER_TOKENS_PER_O200K, estimatedMore: 1.2 })
})
