/** What a model takes through Gemini's protocol, as the model catalogue has it. What the catalogue does not say, passes. */
import type { ModelFacts } from "../../../core/domain/models/ModelFacts.ts"
import { byFacts } from "../shared/ModelTraits.ts"

export interface GeminiTraits {
  /** `level`: how much to think is a word. `budget`: a number of tokens. `none`: does not think, or can't be told how much. */
  readonly thinking: "level" | "budget" | "none"
  /** The words, least first. */
  readonly levels: ReadonlyArray<string>
  /** Tokens: the least and the most that a budget may be. */
  readonly budget: readonly [least: number, most: number]
  /** It can be told not to think. */
  readonly canStop: boolean
  readonly takesBudget: boolean
  /** Calls in the history must carry the signature of the thoughts that led to them. */
  readonly needsSignatures: boolean
  /** A JSON schema for the response goes together with tools. */
  readonly schemaWithTools: boolean
  readonly mediaInResults: boolean
  readonly drawsImages: boolean
  readonly hasResolutions: boolean
  /** A response that searched is billed once, however many searches it made. */
  readonly searchesOnce: boolean
  /** `frequencyPenalty` and `presencePenalty` are taken, and have an effect. */
  readonly penalties: boolean
  /** Temperature, `top_p` and `top_k` have an effect. */
  readonly sampling: boolean
  readonly candidates: boolean
  /** Instructions have a place of their own. */
  readonly systemInstruction: boolean
  /** The conversation may end with the model: the response goes on from there. */
  readonly prefill: boolean
}

const LEVELS = ["low", "medium", "high"]
const ANY_BUDGET: readonly [number, number] = [0, 24_576]

const traitsOf = (facts: ModelFacts) => {
  const { choices, output, penalties, prefill, protocol = {}, reasoning = {}, sampling, schemas, tools } = facts
  const { mode } = reasoning
  return {
    thinking: mode === "level" || mode === "budget" ? mode : "none",
    levels: reasoning.efforts ?? LEVELS,
    budget: typeof reasoning.budget === "object" ? reasoning.budget : ANY_BUDGET,
    canStop: reasoning.off === "budget",
    takesBudget: reasoning.budget !== false,
    needsSignatures: tools?.signatures === true,
    schemaWithTools: schemas === "native",
    mediaInResults: protocol["mediaInResults"] === true,
    drawsImages: output?.includes("image") === true,
    hasResolutions: protocol["resolutions"] !== 1,
    searchesOnce: protocol["searchesBilled"] === "once",
    penalties: penalties === undefined || penalties === "taken",
    sampling: sampling !== "ignored" && sampling !== "refused",
    candidates: choices !== 1,
    systemInstruction: protocol["systemInstruction"] !== false,
    prefill: prefill !== false
  } satisfies GeminiTraits
}

export const modelTraits: (facts?: ModelFacts) => GeminiTraits = byFacts(traitsOf)

/** `models/<name>`; a name with a folder (`tunedModels/…`, `endpoints/…`) stands as it is. */
export const modelPath = (model: string): string => {
  const path = model.includes("/") ? model : `models/${model}`
  return `/${path.split("/").map(encodeURIComponent).join("/")}`
}
