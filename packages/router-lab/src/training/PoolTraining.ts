/**
 * Makes the model that ships. Two say how hard a prompt is, each in its own units: a regression on the labelled prompts of all
 * sources, and what `router train` learns, from questions that many models answered: of all subjects together, because which subjects
 * are hard is half of what they know. What is expected of proofs, designs and greetings is added at the end, in full. Seeded: the same
 * data give the same model, bit by bit.
 */
import { featureExpectations } from "@model-gateway/gateway/internal/classifier/features/PromptFeatures"
import type { PromptWords } from "@model-gateway/gateway/internal/classifier/features/Words"
import {
  type Linear,
  prepareLinear,
  scorerOf,
  type TunedPart
} from "@model-gateway/gateway/internal/classifier/model/Tuned"
import type { ModelFile } from "@model-gateway/gateway/internal/classifier/model/ModelFile"
import { defaultSettings as learning, fit, type LearnSettings } from "./Learn.ts"
import {
  defaultSettings as regression,
  type Example,
  perRankOf,
  quantilesOf,
  regressionOn,
  rounded,
  scoresBy,
  type TrainingSettings
} from "./Training.ts"

/** A prompt as far as it is looked at. */
export interface Seen {
  readonly features: Float64Array
  readonly words: PromptWords
}

/** A question that many models answered. */
export interface Question extends Seen {
  /** The share of the weaker ones that failed. */
  readonly difficulty: number
}

/** All found by leaving whole families of sources out of the training pool. */
export interface PoolSettings {
  readonly regression: TrainingSettings
  /** How much of equal spread what is learnt from the questions counts beside it. */
  readonly learnt: number
  readonly learning: LearnSettings
}

export const defaultSettings: PoolSettings = {
  regression,
  learnt: 0.75,
  // The features say all they know, however many rows there are.
  learning: {
    ...learning,
    fewRows: Infinity,
    featurePenalty: 1000,
    wordPenalty: 80,
    leastTrees: 120,
    rowsPerTree: 1000
  }
}

const SEED = 1

export type Made = Pick<ModelFile, "linear" | "quantiles"> & { readonly pool?: TunedPart }

/** What the questions teach by words, trees and topics. */
interface Fitted {
  /** In units of quality, without the score before. */
  readonly part: TunedPart
  /** What was learnt from the other questions says about each, by its features: of what it has seen it says too much. */
  readonly unseen: ReadonlyMap<Float64Array, number>
}

/** Of `linear` only the spread of the features counts. */
export const fitQuestions = (
  linear: Linear,
  questions: ReadonlyArray<Question>,
  settings: PoolSettings = defaultSettings
): Fitted => {
  const base = { linear: prepareLinear(linear), pool: null }
  const learnt = (rows: ReadonlyArray<Question>): TunedPart => ({
    ...fit(
      base,
      rows.map(({ difficulty, features, words }) => ({ features, words, gap: difficulty, importance: 1 })),
      SEED,
      settings.learning
    ),
    prior: 0
  })
  const unseen = Array.from({ length: FOLDS }, (_, fold) => {
    const score = scorerOf(learnt(questions.filter((_, i) => i % FOLDS !== fold)), base.linear)
    return questions
      .filter((_, i) => i % FOLDS === fold)
      .map(({ features, words }) => [features, score(0, features, words)] as const)
  })
  return { part: learnt(questions), unseen: new Map(unseen.flat()) }
}

const FOLDS = 3

/**
 * The model that `examples` and `questions` give; `reference` is what a score is the rank in. Without questions there is only what
 * the regression says. `fitted`: what `fitQuestions` gave, where it is known already.
 */
export const make = (
  examples: ReadonlyArray<Example>,
  questions: ReadonlyArray<Question>,
  reference: ReadonlyArray<Seen>,
  settings: PoolSettings = defaultSettings,
  fitted?: Fitted
): Made => {
  const own = regressionOn(examples, settings.regression)
  const scored = reference.map(({ features }) => features)
  const plain = scoresBy(own, scored)
  /** `scale`: from the units of the regression to ranks. */
  const withExpectations = (scale: number): Linear => ({
    clip: own.clip,
    features: own.features.map(({ deviation, mean: average, name, weight }, i) => ({
      name,
      mean: rounded(average),
      deviation: rounded(deviation),
      weight: rounded(scale * weight + featureExpectations[i]!)
    }))
  })
  if (questions.length === 0) {
    const linear = withExpectations(1 / perRankOf(quantilesOf(plain)))
    return { linear, quantiles: quantilesOf(scoresBy(linear, scored)).map(rounded) }
  }

  const { part, unseen } = fitted ?? fitQuestions(own, questions, settings)
  const score = scorerOf(part, prepareLinear(own))
  const learnt = reference.map(({ features, words }) => unseen.get(features) ?? score(0, features, words))
  const [units, learntUnits] = [spreadOf(plain), spreadOf(learnt) / settings.learnt]
  const perRank = perRankOf(quantilesOf(plain.map((each, i) => each / units + learnt[i]! / learntUnits)))
  const linear = withExpectations(1 / units / perRank)
  const slope = rounded(1 / learntUnits / perRank)
  const offset = rounded(-slope * (learnt.reduce((sum, each) => sum + each, 0) / learnt.length))
  const pool = { ...part, prior: 1 / slope, slope, offset }
  const raw = scoresBy(linear, scored).map((each, i) => each + slope * learnt[i]! + offset)
  return { linear, pool, quantiles: quantilesOf(raw).map(rounded) }
}

/** Their standard deviation; 1 where they are all the same. */
const spreadOf = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return variance > 1e-12 ? Math.sqrt(variance) : 1
}
