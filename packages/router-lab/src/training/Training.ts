/**
 * One regression on labelled prompts of many sources. Within a source it learns which prompts are hard. Between families of sources
 * it learns, carefully, which kinds are: look-ups are easier than code. How hard a family is as a whole counts no more than a few
 * rows would, since with so few families nearly anything tells them apart. No chance is involved anywhere.
 */
import {
  featureManners,
  featureNames,
  featureSigns,
  featureScales
} from "@model-gateway/gateway/internal/classifier/features/PromptFeatures"
import { linearScore, prepareLinear, type Linear } from "@model-gateway/gateway/internal/classifier/model/Tuned"
import { mean, meanRow, momentsOf, signedRidge } from "./Ridge.ts"

export interface Example {
  /** A data set with answers of certain models. */
  readonly source: string
  /** Sources with prompts of one kind: a data set answered by other models, or another of its subjects. */
  readonly family: string
  /** From `extract`. */
  readonly features: Float64Array
  /** Quality of the weak and of the strong model's answer, 0 to 1. */
  readonly weak: number
  readonly strong: number
}

/** All found by leaving whole families out of the training pool. */
export interface TrainingSettings {
  /** A source counts for so many prompts at most. */
  readonly mostRows: number
  /** How much the differences between families count beside those within sources. */
  readonly between: number
  /** Against the variance of a feature, which is about 1. */
  readonly penalty: number
  readonly clip: number
}

export const defaultSettings: TrainingSettings = { mostRows: 1000, between: 1, penalty: 0.4, clip: 2.5 }

const STEPS = 200

/**
 * Features with weights in units of quality. What is learnt is where the weak model fails, not what the strong one adds: where the
 * strong one is mostly right both say the same, and where it fails too, what it adds falls as prompts get harder.
 */
export const regressionOn = (
  examples: ReadonlyArray<Example>,
  settings: TrainingSettings = defaultSettings
): Linear => {
  const sources = [...Map.groupBy(examples, ({ source }) => source).values()]
  const { deviations, means } = standardOf(sources)
  const inputOf = ({ features }: Example): Float64Array =>
    features.map((value, i) =>
      featureManners[i]! ? 0 : Math.max(-settings.clip, Math.min(settings.clip, (value - means[i]!) / deviations[i]!))
    )
  const labelOf = ({ weak }: Example): number => -weak
  const families = [...Map.groupBy(examples, ({ family }) => family).values()]
  const counts = sources.map((rows) => Math.min(rows.length, settings.mostRows))
  const count = counts.reduce((sum, each) => sum + each, 0)
  const moments = [
    ...sources.map((rows, i) => ({
      share: counts[i]! / count,
      ...momentsOf(rows.map(inputOf), rows.map(labelOf))
    })),
    {
      share: settings.between,
      ...momentsOf(
        families.map((rows) => meanRow(rows.map(inputOf))),
        families.map((rows) => mean(rows.map(labelOf)))
      )
    }
  ]
  const sumOf = (valueOf: (each: (typeof moments)[number]) => number): number =>
    moments.reduce((sum, each) => sum + each.share * valueOf(each), 0)
  const covariance = featureNames.map((_, i) =>
    Float64Array.from(featureNames, (_, j) => sumOf((each) => each.covariance[i]![j]!))
  )
  const response = Float64Array.from(featureNames, (_, i) => sumOf((each) => each.response[i]!))
  const weights = signedRidge({ covariance, response }, featureSigns, settings.penalty)
  return {
    clip: settings.clip,
    features: featureNames.map((name, i) => ({ name, mean: means[i]!, deviation: deviations[i]!, weight: weights[i]! }))
  }
}

/** How much a raw score changes for each rank: scores are spread over the ranks as evenly as a straight line can do it. */
export const perRankOf = (quantiles: ReadonlyArray<number>): number => {
  const width = quantiles[0.95 * STEPS]! - quantiles[0.05 * STEPS]!
  // Where nothing was learnt all scores are the same, and nothing is to be scaled.
  return width > 1e-9 ? width / 0.9 : 1
}

/** What a model file keeps of the raw scores of the reference mix. */
export const quantilesOf = (scores: ReadonlyArray<number>): ReadonlyArray<number> => {
  const raw = Float64Array.from(scores).sort()
  return Array.from({ length: STEPS + 1 }, (_, step) => raw[Math.round((step / STEPS) * (raw.length - 1))]!)
}

export const scoresBy = (linear: Linear, rows: ReadonlyArray<Float64Array>): ReadonlyArray<number> => {
  const prepared = prepareLinear(linear)
  return rows.map((features) => linearScore(prepared, features))
}

/** Four significant digits: enough for a score of four decimals' honesty, few enough to read. */
export const rounded = (value: number): number => Number(value.toPrecision(4))

/** Mean and standard deviation of each feature, each source counting the same. A feature that never varies gets deviation 1. */
const standardOf = (sources: ReadonlyArray<ReadonlyArray<Example>>) => {
  const means = meanRow(sources.map((rows) => meanRow(rows.map((row) => row.features))))
  const squares = meanRow(
    sources.map((rows) => meanRow(rows.map((row) => row.features.map((value, i) => (value - means[i]!) ** 2))))
  )
  return {
    means: means.map((value, i) => (featureScales[i]! > 0 ? 0 : value)),
    deviations: squares.map((square, i) => featureScales[i]! || (square > 1e-12 ? Math.sqrt(square) : 1))
  }
}
