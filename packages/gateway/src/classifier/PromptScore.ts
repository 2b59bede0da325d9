/** How demanding a prompt is: the score that `model: "auto"` routes by, and the words that explain it. */
import { type Classified, type Contribution, contributionInWords } from "../core/routing/Classifier.ts"
import { defaultModel } from "./model/Builtin.ts"
import { asksNothing } from "./features/PromptFeatures.ts"
import { type CompiledModel, rankOf, read } from "./model/Model.ts"
import type { PromptWords } from "./features/Words.ts"
import { contribution } from "./model/Tuned.ts"

/** Contributions that are told apart, and those that become reasons. */
const FEATURES = 5
const REASONS = 4
/** Smaller contributions are noise to a reader. */
const WORTH_SAYING = 0.01
/** Still smaller ones are told as 0. */
const LEAST_TOLD = 0.000_05
/** What a model knows beside its features, as a reason names it: from public questions, and from an operator's own prompts. */
const LEARNT = ["words, and forms together", "learnt from outcomes"] as const

/** The score of what asks least: 0 says that nothing is asked. */
const LEAST = 0.0001
const scoreOf = (model: CompiledModel, raw: number): number => Math.max(LEAST, rankOf(model.quantiles, raw))

/** Classifies the text of one user message. Reads the first 4,000 and last 2,000 characters of what it asks. */
export const classify = (prompt: string, model: CompiledModel = defaultModel): Classified => {
  const { features: values, words } = read(model, prompt)
  if (asksNothing(values)) return { score: 0, reasons: ["nothing is asked"] }
  const added = new Float64Array(values.length + LEARNT.length)
  const raw = addUp(model, values, words, added)
  const features = strongest(model.linear.names, values, added)
  return { score: scoreOf(model, raw), reasons: reasonsOf(features), features }
}

/** The score of a prompt and everything that made it, largest contribution first; nothing where nothing is asked. */
export const explain = (
  prompt: string,
  model: CompiledModel = defaultModel
): { readonly score: number; readonly contributions: ReadonlyArray<Contribution> } => {
  const { features: values, words } = read(model, prompt)
  if (asksNothing(values)) return { score: 0, contributions: [] }
  const added = new Float64Array(values.length + LEARNT.length)
  const raw = addUp(model, values, words, added)
  const contributions = Array.from(values, (value, i) => ({ name: model.linear.names[i]!, value, added: added[i]! }))
  for (const [i, part] of [model.pool, model.tuned].entries()) {
    const each = added[values.length + i]!
    if (part !== null) contributions.push({ name: LEARNT[i]!, value: each, added: each })
  }
  return {
    score: scoreOf(model, raw),
    contributions: contributions.toSorted((a, b) => Math.abs(b.added) - Math.abs(a.added))
  }
}

/** The raw score; fills `added` with what each feature gave, and last what was learnt beside them. */
const addUp = (model: CompiledModel, values: Float64Array, words: PromptWords | null, added: Float64Array): number => {
  let raw = 0
  for (let i = 0; i < values.length; i++) {
    const each = contribution(model.linear, i, values[i]!)
    added[i] = each
    raw += each
  }
  if (model.pool !== null) {
    const known = model.pool(raw, values, words)
    added[values.length] = known - raw
    raw = known
  }
  if (model.tuned === null) return raw
  const tuned = model.tuned(raw, values, words)
  added[values.length + 1] = tuned - raw
  return tuned
}

const strongest = (
  names: ReadonlyArray<string>,
  values: Float64Array,
  added: Float64Array
): ReadonlyArray<Contribution> => {
  const top: Array<number> = []
  for (let i = 0; i < added.length; i++) {
    const size = Math.abs(added[i]!)
    if (size < LEAST_TOLD) continue
    let place = top.length
    while (place > 0 && Math.abs(added[top[place - 1]!]!) < size) place--
    if (place < FEATURES) top.splice(place, 0, i)
    if (top.length > FEATURES) top.pop()
  }
  return top.map((i) => ({
    name: names[i] ?? LEARNT[i - names.length]!,
    value: values[i] ?? added[i]!,
    added: added[i]!
  }))
}

const reasonsOf = (features: ReadonlyArray<Contribution>): ReadonlyArray<string> => {
  const reasons: Array<string> = []
  for (const feature of features) {
    if (reasons.length === REASONS || Math.abs(feature.added) < WORTH_SAYING) break
    reasons.push(contributionInWords(feature))
  }
  return reasons
}
