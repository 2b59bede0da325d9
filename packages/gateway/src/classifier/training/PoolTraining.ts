/**
 * Makes the model that ships. Three say how hard a prompt is, each in its own units: the mean of the sources' regressions, one
 * regression on the questions that many models answered, of all subjects together, because which subjects are hard is half of what
 * they know, and what `router train` learns, from the same questions. What is expected of proofs, designs and greetings is added at
 * the end, in full. Seeded: the same data give the same model, bit by bit.
 */
import { featureExpectations, featureSigns } from "../features/Features.ts"
import type { Words } from "../features/Words.ts"
import { linearScore, type Linear, prepareLinear } from "../model/LinearModel.ts"
import type { ModelFile } from "../model/ModelFile.ts"
import { scorerOf, type TunedPart } from "../model/Tuned.ts"
import { defaultSettings as learning, fit, type LearnSettings } from "./Learn.ts"
import { momentsOf, signedRidge } from "./Ridge.ts"
import {
  defaultSettings as sources,
  type Example,
  meanOfSources,
  perRankOf,
  quantilesOf,
  quantilesOfScores,
  rounded
} from "./Training.ts"

/** A prompt as far as it is looked at. */
export interface Seen {
  readonly features: Float64Array
  readonly words: Words
}

/** A question that many models answered. */
export interface Question extends Seen {
  /** The share of the weaker ones that failed. */
  readonly difficulty: number
}

/** All found by leaving whole families of sources out of the training pool. */
export interface PoolSettings {
  /** How much the three count, of equal spread. */
  readonly sources: number
  readonly questions: number
  readonly learnt: number
  /** Of the regression on the questions, in rows. */
  readonly penalty: number
  readonly learning: LearnSettings
}

export const defaultSettings: PoolSettings = {
  sources: 0.3,
  questions: 0.7,
  learnt: 1,
  penalty: 1000,
  // The features say all they know, however many rows there are.
  learning: {
    ...learning,
    fewRows: Infinity,
    featurePenalty: 1000,
    wordPenalty: 80,
    wordWeight: 4,
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
 * the sources say. `fitted`: what `fitQuestions` gave, where it is known already.
 */
export const make = (
  examples: ReadonlyArray<Example>,
  questions: ReadonlyArray<Question>,
  reference: ReadonlyArray<Seen>,
  settings: PoolSettings = defaultSettings,
  fitted?: Fitted
): Made => {
  const scored = reference.map(({ features }) => features)
  const expected = perRankOf(quantilesOf(meanOfSources(examples, sources), scored))
  const mean = meanOfSources(examples, { ...sources, expectedWeight: 0 })
  const withExpectations = (weightOf: (index: number) => number): Linear => ({
    clip: mean.clip,
    features: mean.features.map(({ deviation, mean: average, name }, i) => ({
      name,
      mean: rounded(average),
      deviation: rounded(deviation),
      weight: rounded(weightOf(i) + featureExpectations[i]! / expected)
    }))
  })
  if (questions.length === 0) {
    const perRank = perRankOf(quantilesOf(mean, scored))
    const linear = withExpectations((i) => mean.features[i]!.weight / perRank)
    return { linear, quantiles: quantilesOf(linear, scored).map(rounded) }
  }

  const own = ofQuestions(mean, questions, settings.penalty)
  const { part, unseen } = fitted ?? fitQuestions(mean, questions, settings)
  const score = scorerOf(part, prepareLinear(mean))
  const [units, ownUnits] = [spreadOf(scoresBy(mean, scored)), spreadOf(scoresBy(own, scored))]
  const learnt = reference.map(({ features, words }) => unseen.get(features) ?? score(0, features, words))
  const learntUnits = spreadOf(learnt)
  const blended = {
    ...mean,
    features: mean.features.map((feature, i) => ({
      ...feature,
      weight: (settings.sources * feature.weight) / units + (settings.questions * own.features[i]!.weight) / ownUnits
    }))
  }
  const together = scoresBy(blended, scored).map((each, i) => each + (settings.learnt * learnt[i]!) / learntUnits)
  const perRank = perRankOf(quantilesOfScores(together))
  const linear = withExpectations((i) => blended.features[i]!.weight / perRank)
  const slope = rounded(settings.learnt / learntUnits / perRank)
  const offset = rounded(-slope * (learnt.reduce((sum, each) => sum + each, 0) / learnt.length))
  const pool = { ...part, prior: 1 / slope, slope, offset }
  const raw = scoresBy(linear, scored).map((each, i) => each + slope * learnt[i]! + offset)
  return { linear, pool, quantiles: quantilesOfScores(raw).map(rounded) }
}

/** One regression on all questions, in the units of `standard`'s features. */
const ofQuestions = (standard: Linear, questions: ReadonlyArray<Question>, penalty: number): Linear => {
  const { clip, features } = standard
  const inputs = questions.map((question) =>
    question.features.map((value, i) =>
      Math.max(-clip, Math.min(clip, (value - features[i]!.mean) / features[i]!.deviation))
    )
  )
  const moments = momentsOf(
    inputs,
    questions.map(({ difficulty }) => difficulty)
  )
  const weights = signedRidge(moments, featureSigns, penalty / questions.length)
  return { clip, features: features.map((feature, i) => ({ ...feature, weight: weights[i]! })) }
}

const scoresBy = (linear: Linear, rows: ReadonlyArray<Float64Array>): ReadonlyArray<number> => {
  const prepared = prepareLinear(linear)
  return rows.map((features) => linearScore(prepared, features))
}

/** Their standard deviation; 1 where they are all the same. */
const spreadOf = (values: ReadonlyArray<number>): number => {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  return variance > 1e-12 ? Math.sqrt(variance) : 1
}
