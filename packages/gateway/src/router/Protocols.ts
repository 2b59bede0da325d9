/**
 * What learning from outcomes is worth, measured as an operator would meet it: learn from some labelled prompts with what ships, then
 * rank prompts that were not learnt from. The benchmark's protocols B and C, and whatever other split one wants to know about.
 */
import { seededRandom } from "./Evaluation.ts"
import { extract } from "./Features.ts"
import { defaultSettings, fit, type LearnRow } from "./Learn.ts"
import { type CompiledModel, linearScore } from "./Model.ts"
import { scorerOf } from "./Tuned.ts"
import { wordsOf } from "./Words.ts"

/** A prompt and the quality, 0 to 1, of what the weak and the strong model made of it. */
export interface LabelledPrompt {
  readonly prompt: string
  readonly weak: number
  readonly strong: number
}

export interface Split {
  /** The prompts that were not learnt from, and their raw scores by the model that was learnt. */
  readonly unseen: ReadonlyArray<LabelledPrompt>
  readonly scores: Float64Array
}

/** The labels that RouteLLM's routers were given of MMLU. */
const B_LABELS = 1_531
const B_SPLITS = 10
const C_SHARE = 0.7
const C_SPLITS = 3

/** B: learn from 1,531 prompts of one benchmark, rank the others; ten times over. */
export const protocolB = (model: CompiledModel, prompts: ReadonlyArray<LabelledPrompt>): ReadonlyArray<Split> =>
  splitsOf(model, prompts, B_LABELS, B_SPLITS)

/** C: learn from 70 % of the prompts of several benchmarks thrown together, rank the others; three times over. */
export const protocolC = (model: CompiledModel, prompts: ReadonlyArray<LabelledPrompt>): ReadonlyArray<Split> =>
  splitsOf(model, prompts, Math.round(C_SHARE * prompts.length), C_SPLITS)

/** Learns from `labels` of the prompts, drawn anew for each of `splits`. Split `i` has the seed `i + 1`, for everything. */
export const splitsOf = (
  model: CompiledModel,
  prompts: ReadonlyArray<LabelledPrompt>,
  labels: number,
  splits: number,
  settings = defaultSettings
): ReadonlyArray<Split> => {
  const rows = prompts.map(({ prompt, strong, weak }, group): LearnRow => ({
    features: extract(prompt),
    words: wordsOf(prompt),
    gap: strong - weak,
    importance: 1,
    group
  }))
  return Array.from({ length: splits }, (_, split) => {
    const order = shuffled(rows.length, split + 1)
    const known = order.slice(0, labels)
    const unknown = order.slice(labels)
    const learnt = fit(
      model.linear,
      known.map((index) => rows[index]!),
      split + 1,
      settings
    )
    const score = scorerOf(learnt, model.linear)
    return {
      unseen: unknown.map((index) => prompts[index]!),
      scores: Float64Array.from(unknown, (index) => {
        const { features, words } = rows[index]!
        return score(linearScore(model.linear, features), features, words)
      })
    }
  })
}

/** The numbers below `count` in an order that `seed` decides. */
export const shuffled = (count: number, seed: number): ReadonlyArray<number> => {
  const random = seededRandom(seed)
  const order = Array.from({ length: count }, (_, index) => index)
  for (let i = count - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[order[i], order[j]] = [order[j]!, order[i]!]
  }
  return order
}
