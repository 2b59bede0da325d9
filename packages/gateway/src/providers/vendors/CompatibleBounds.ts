/**
 * Facts about model families at servers that speak OpenAI's protocol, whoever runs them. The operator sets the others (`bounds:`).
 */
import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import { googleBounds } from "./google/GoogleBounds.ts"
import { openAiDrawing } from "./OpenAiImages.ts"

/**
 * Google, through its compatible API: at ultra high resolution, the most there is, an image is twice what it is by default, and a page of
 * a PDF too.
 */
const gemini = (facts: ModelFacts): BoundRules => {
  const { image, ...others } = googleBounds(facts)
  const isFixed = facts.images?.["formula"] === "fixed"
  return {
    ...others,
    ...(isFixed ? { image: () => 2_240, pageImage: 1_120 } : image === undefined ? {} : { image })
  }
}

/** The first that matches counts. */
const families: ReadonlyArray<readonly [RegExp, BoundRules]> = [
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

export const compatibleBounds = (model: string, facts: ModelFacts = noFacts): BoundRules => {
  const drawing = openAiDrawing(model)
  if (drawing !== undefined) return { ...UNKNOWN_TEMPLATE, drawing }
  if (facts.protocol?.["maker"] === "google") return { ...UNKNOWN_TEMPLATE, ...gemini(facts) }
  return { ...UNKNOWN_TEMPLATE, ...families.find(([family]) => family.test(model.toLowerCase()))?.[1] }
}
