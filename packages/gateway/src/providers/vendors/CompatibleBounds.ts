/**
 * Facts about model families at servers that speak OpenAI's protocol, whoever runs them. The operator sets the others (`bounds:`).
 */
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import { GEMINI_AUDIO, GEMINI_PER_O200K, geminiDrawing, geminiTiles } from "./google/GoogleBounds.ts"
import { openAiDrawing } from "./OpenAiImages.ts"

/** Google, through its compatible API. */
const gemini3: BoundRules = {
  // At ultra high, the most there is; the default is 1,120.
  image: () => 2_240,
  pageImage: 1_120,
  audioTokensPerSecond: GEMINI_AUDIO,
  reasoning: "inside",
  tokensPerO200k: GEMINI_PER_O200K
}

const gemini2: BoundRules = {
  image: (size) => (size === undefined ? undefined : geminiTiles(size)),
  pageImage: 258,
  audioTokensPerSecond: GEMINI_AUDIO,
  reasoning: "inside",
  tokensPerO200k: GEMINI_PER_O200K
}

/** The first that matches counts. */
const families: ReadonlyArray<readonly [RegExp, BoundRules]> = [
  [/gemini-3/, gemini3],
  [/gemini-[12]/, gemini2],
  // `max_tokens` holds for the chain of thought too: https://api-docs.deepseek.com/guides/reasoning_model (2026-11-22).
  [/deepseek-(?:chat|reasoner)/, { reasoning: "inside" }],
  // These do not reason: there is nothing that could come on top.
  [
    /(?:^|[/-])(?:llama-?[23]|mixtral|codestral|gemma-?[23]|gpt-4o|gpt-4\.1|gpt-3\.5)(?!.*(?:reason|think|deepseek|-r1))/,
    { reasoning: "inside" }
  ]
]

/** The marks and roles of ChatML and of Llama 3 are five or six tokens a message, so eight are seldom too few. */
const UNKNOWN_TEMPLATE: BoundRules = { messageFrame: 8 }

export const compatibleBounds = (model: string): BoundRules => {
  const drawing = openAiDrawing(model)
  if (drawing !== undefined) return { ...UNKNOWN_TEMPLATE, drawing }
  const known = families.find(([family]) => family.test(model.toLowerCase()))?.[1]
  const geminis = geminiDrawing(model.toLowerCase())
  return { ...UNKNOWN_TEMPLATE, ...known, ...(geminis === undefined ? {} : { drawing: geminis }) }
}
