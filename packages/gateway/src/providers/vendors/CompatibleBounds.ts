/** Facts about model families at servers that speak OpenAI's protocol. The operator sets the others (`bounds:`). */
import { type ModelFacts, noFacts } from "../../core/domain/models/ModelFacts.ts"
import type { BoundRules } from "../../core/domain/pricing/BoundRules.ts"
import { googleBounds } from "./google/GoogleBounds.ts"
import { drawingRules } from "./OpenAiBounds.ts"

/** Google, through its compatible API: at ultra high resolution an image or a page is twice what it is by default. */
const gemini = (facts: ModelFacts): BoundRules => {
  const { image, ...others } = googleBounds(facts)
  const isFixed = facts.images?.["formula"] === "fixed"
  return {
    ...others,
    ...(isFixed ? { image: () => 2_240, pageImage: 1_120 } : image === undefined ? {} : { image })
  }
}

/** The marks and roles of ChatML and of Llama 3 are five or six tokens a message, so eight are seldom too few. */
const UNKNOWN_TEMPLATE: BoundRules = { messageFrame: 8 }

export const compatibleBounds = (_model: string, facts: ModelFacts = noFacts): BoundRules => {
  const drawing = drawingRules(facts)
  if (drawing !== undefined) return { ...UNKNOWN_TEMPLATE, drawing }
  if (facts.protocol?.["maker"] === "google") return { ...UNKNOWN_TEMPLATE, ...gemini(facts) }
  return facts.reasoning?.countsInLimit === true ? { ...UNKNOWN_TEMPLATE, reasoning: "inside" } : UNKNOWN_TEMPLATE
}
