/** What a model takes through Gemini's protocol, as the model catalogue has it. What the catalogue does not say, passes. */
import type { ModelFacts } from "../../../core/domain/models/ModelFacts.ts"
import { byFacts } from "../shared/ModelTraits.ts"

export type GeminiTraits = ReturnType<typeof traitsOf>

const LEVELS = ["low", "medium", "high"]
const ANY_BUDGET: readonly [number, number] = [0, 24_576]

const traitsOf = (facts: ModelFacts) => {
  const { choices, output, penalties, prefill, protocol = {}, reasoning = {}, sampling, schemas, tools } = facts
  const { mode } = reasoning
  return {
    /** `level`: how much to think is a word. `budget`: a number of tokens. `none`: does not think, or can't be told how much. */
    thinking: mode === "level" || mode === "budget" ? mode : "none",
    /** The words, least first. */
    levels: reasoning.efforts ?? LEVELS,
    /** Tokens: the least and the most that a budget may be. */
    budget: typeof reasoning.budget === "object" ? reasoning.budget : ANY_BUDGET,
    /** It can be told not to think. */
    canStop: reasoning.off === "budget",
    takesBudget: reasoning.budget !== false,
    /** Calls in the history must carry the signature of the thoughts that led to them. */
    needsSignatures: tools?.signatures === true,
    /** A JSON schema for the response goes together with tools. */
    schemaWithTools: schemas === "native",
    mediaInResults: protocol["mediaInResults"] === true,
    drawsImages: output?.includes("image") === true,
    hasResolutions: protocol["resolutions"] !== 1,
    /** A response that searched is billed once, however many searches it made. */
    searchesOnce: protocol["searchesBilled"] === "once",
    /** `frequencyPenalty` and `presencePenalty` are taken, and have an effect. */
    penalties: penalties === undefined || penalties === "taken",
    /** Temperature, `top_p` and `top_k` have an effect. */
    sampling: sampling !== "ignored" && sampling !== "refused",
    candidates: choices !== 1,
    /** Instructions have a place of their own. */
    systemInstruction: protocol["systemInstruction"] !== false,
    /** The conversation may end with the model: the response goes on from there. */
    prefill: prefill !== false
  } as const
}

export const modelTraits: (facts?: ModelFacts) => GeminiTraits = byFacts(traitsOf)

/** `models/<name>`; a name with a folder (`tunedModels/…`, `endpoints/…`) stands as it is. */
export const modelPath = (model: string): string => {
  const path = model.includes("/") ? model : `models/${model}`
  return `/${path.split("/").map(encodeURIComponent).join("/")}`
}
