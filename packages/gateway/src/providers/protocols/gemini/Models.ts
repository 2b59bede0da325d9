/**
 * What the model families take, and what they answer 400 to. Sources, unless one stands beside a line: the model catalogue of
 * `@ai-sdk/google` 4.0.121, and recorded exchanges.
 */

export interface ModelTraits {
  /** `level`: how much to think is a word. `budget`: a number of tokens. `none`: does not think. */
  readonly thinking: "level" | "budget" | "none"
  /** The words, least first. */
  readonly levels: ReadonlyArray<string>
  /** Tokens: the least and the most that a budget may be. A model whose least is 0 can be told not to think. */
  readonly budget: readonly [least: number, most: number]
  /** Calls in the history must carry the signature of the thoughts that led to them. */
  readonly needsSignatures: boolean
  /** A JSON schema for the answer goes together with tools. */
  readonly schemaWithTools: boolean
  /** Results of tools can hold images and files. */
  readonly mediaInResults: boolean
  /** It answers with images too. */
  readonly drawsImages: boolean
  /** `frequencyPenalty` and `presencePenalty` are taken: 2.5 on AI Studio refuses them. */
  readonly penalties: boolean
  /** Temperature, `top_p` and `top_k` have an effect. */
  readonly sampling: boolean
  /** Several answers to one request. */
  readonly candidates: boolean
  /** Instructions have a place of their own. */
  readonly systemInstruction: boolean
}

const older: ModelTraits = {
  thinking: "none",
  levels: [],
  budget: [0, 0],
  needsSignatures: false,
  schemaWithTools: false,
  mediaInResults: false,
  drawsImages: false,
  penalties: true,
  sampling: true,
  candidates: true,
  systemInstruction: true
}

/** Ranges of the budget: https://ai.google.dev/gemini-api/docs/thinking (2026-11-22). */
const flash25: ModelTraits = { ...older, thinking: "budget", budget: [0, 24_576], penalties: false }
const pro25: ModelTraits = { ...flash25, budget: [128, 32_768] }
/** `candidateCount` is gone: https://ai.google.dev/gemini-api/docs/latest-model (2026-11-22, as https://github.com/SamuelZ12/screen-scribe/pull/17 has it). */
const gemini3: ModelTraits = {
  ...older,
  candidates: false,
  thinking: "level",
  levels: ["minimal", "low", "medium", "high"],
  needsSignatures: true,
  schemaWithTools: true,
  mediaInResults: true
}
/** Can't think less than a little. */
const deliberate: ModelTraits = { ...gemini3, levels: ["low", "medium", "high"] }
/** Sampling is ignored, and will be refused: the same page, as https://github.com/TypeWhisper/typewhisper-win/pull/406 has it. */
const later: ModelTraits = { ...gemini3, sampling: false }
const laterDeliberate: ModelTraits = { ...deliberate, sampling: false }
/** Thinks without being told how much. */
const drawing3: ModelTraits = { ...gemini3, thinking: "none", drawsImages: true, schemaWithTools: false }

/** The first that matches counts. */
const families: ReadonlyArray<readonly [RegExp, ModelTraits]> = [
  [/gemma/, { ...older, systemInstruction: false }],
  [/gemini-2\.\d.*image/, { ...older, drawsImages: true }],
  [/gemini-(?:[3-9]|\d\d).*image|nano-banana/, drawing3],
  [/gemini-2\.5-flash/, flash25],
  [/gemini-2\.5-pro/, pro25],
  [/gemini-(?:1|2)[.-]|gemini-pro(?:-vision)?$|robotics-er-1\.5|learnlm|^text-|aqa/, older],
  [/gemini-4-hydrogen/, { ...laterDeliberate, levels: [...deliberate.levels, "xhigh"] }],
  [/gemini-3(?:\.\d+)?-pro/, deliberate],
  [/gemini-(?:[4-9]|\d\d)(?:\.\d+)?-pro|gemini-pro-latest/, laterDeliberate],
  [/gemini-3\.[7-9]-flash(?!-lite)|gemini-[4-9](?:\.\d+)?-flash(?!-lite)|gemini-flash-latest/, laterDeliberate],
  [/gemini-3(?:\.[1-4])?-|gemini-3\.5-flash(?!-lite)/, gemini3],
  // Newer than this list: like the newest in it.
  [/gemini-/, later]
]

const remembered = new Map<string, ModelTraits>()
const REMEMBERED_LIMIT = 1_000

export const modelTraits = (model: string): ModelTraits => {
  const known = remembered.get(model)
  if (known !== undefined) return known
  const spelling = model.toLowerCase()
  const traits = families.find(([pattern]) => pattern.test(spelling))?.[1] ?? older
  if (remembered.size < REMEMBERED_LIMIT) remembered.set(model, traits)
  return traits
}

/** `models/<name>`; a name with a folder (`tunedModels/…`, `endpoints/…`) stands as it is. */
export const modelPath = (model: string): string => {
  const path = model.includes("/") ? model : `models/${model}`
  return `/${path.split("/").map(encodeURIComponent).join("/")}`
}
