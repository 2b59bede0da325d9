/**
 * Makes the default model from labelled prompts of many sources. One ridge regression per source learns which prompts of that
 * source are hard, and their mean is kept: one regression over everything would learn to tell the sources apart. It only corrects
 * what is expected before any label is seen. No chance is involved anywhere.
 */
import { featureExpectations, featureNames, featureSigns, featureScales } from "../features/Features.ts"
import { linearScore, prepareLinear, type Linear } from "../model/LinearModel.ts"
import type { ModelFile } from "../model/ModelFile.ts"
import { mean, meanRow, momentsOf, ridge } from "./Ridge.ts"

export interface Example {
  readonly source: string
  /** From `extract`. */
  readonly features: Float64Array
  /** Quality of the weak and of the strong model's answer, 0 to 1. */
  readonly weak: number
  readonly strong: number
}

/** The parts of a model file that training finds. */
type Trained = Pick<ModelFile, "linear" | "quantiles">

/** All found by leaving whole sources out of the training pool. */
interface TrainingSettings {
  /** Penalty of a source's regression, in rows: a source with few prompts is pulled to zero more. */
  readonly withinPenalty: number
  /** How much `featureExpectations` count. */
  readonly expectedWeight: number
  readonly clip: number
}

export const defaultSettings: TrainingSettings = {
  withinPenalty: 300,
  expectedWeight: 1,
  clip: 2.5
}

const STEPS = 200

/** Trains on `examples`; `reference` are the features of the prompts that a score is the rank in. */
export const train = (
  examples: ReadonlyArray<Example>,
  reference: ReadonlyArray<Float64Array>,
  settings: TrainingSettings = defaultSettings
): Trained => calibrated(meanOfSources(examples, settings), reference)

/** The mean of the sources' regressions, in units of quality. */
export const meanOfSources = (examples: ReadonlyArray<Example>, settings: TrainingSettings): Linear => {
  const sources = bySource(examples)
  const { means, deviations } = standardOf(sources)
  const own = sources.map((rows) => {
    const inputs = rows.map((row) =>
      row.features.map((value, i) =>
        Math.max(-settings.clip, Math.min(settings.clip, (value - means[i]!) / deviations[i]!))
      )
    )
    // The weak model's failure, not what the strong one adds: where the strong one is mostly right both say the same, and where it
    // fails too, what it adds falls as prompts get harder.
    const labels = rows.map((row) => -row.weak)
    return { weights: ridge(momentsOf(inputs, labels), settings.withinPenalty / rows.length), trust: trustOf(rows) }
  })
  const trust = own.reduce((sum, source) => sum + source.trust, 0)

  const features = featureNames.map((name, i) => {
    const learnt = own.reduce((sum, source) => sum + (source.trust / trust) * source.weights[i]!, 0)
    const weight = learnt + settings.expectedWeight * featureExpectations[i]!
    return { name, mean: means[i]!, deviation: deviations[i]!, weight: weight * featureSigns[i]! < 0 ? 0 : weight }
  })
  return { features, clip: settings.clip }
}

/**
 * What a source's word is worth: one over the variance of an APGR measured on it, up to a factor. No source counts for more than
 * 1,000 prompts, and one whose strong model is no better says nothing.
 */
export const trustOf = (rows: ReadonlyArray<Example>): number => {
  const gaps = rows.map(({ strong, weak }) => strong - weak)
  const gap = mean(gaps)
  const variance = mean(gaps.map((each) => (each - gap) ** 2))
  return variance > 1e-12 ? (Math.min(rows.length, 1000) * gap * gap) / variance : rows.length
}

/** How much a raw score changes for each rank: scores are spread over the ranks as evenly as a straight line can do it. */
export const perRankOf = (quantiles: ReadonlyArray<number>): number => {
  const width = quantiles[0.95 * STEPS]! - quantiles[0.05 * STEPS]!
  // Where nothing was learnt all scores are the same, and nothing is to be scaled.
  return width > 1e-9 ? width / 0.9 : 1
}

/** Scales the weights to ranks and adds the quantiles; rounds first, so that the quantiles are those of the model as written. */
const calibrated = (linear: Linear, reference: ReadonlyArray<Float64Array>): Trained => {
  const perRank = perRankOf(quantilesOf(linear, reference))
  const features = linear.features.map(({ name, mean, deviation, weight }) => ({
    name,
    mean: rounded(mean),
    deviation: rounded(deviation),
    weight: rounded(weight / perRank)
  }))
  const scaled = { clip: linear.clip, features }
  return { linear: scaled, quantiles: quantilesOf(scaled, reference).map(rounded) }
}

export const quantilesOf = (linear: Linear, reference: ReadonlyArray<Float64Array>): ReadonlyArray<number> => {
  const prepared = prepareLinear(linear)
  return quantilesOfScores(reference.map((features) => linearScore(prepared, features)))
}

/** What a model file keeps of the raw scores of the reference mix. */
export const quantilesOfScores = (scores: ReadonlyArray<number>): ReadonlyArray<number> => {
  const raw = Float64Array.from(scores).sort()
  return Array.from({ length: STEPS + 1 }, (_, step) => raw[Math.round((step / STEPS) * (raw.length - 1))]!)
}

/** Four significant digits: enough for a score of four decimals' honesty, few enough to read. */
export const rounded = (value: number): number => Number(value.toPrecision(4))

const bySource = (examples: ReadonlyArray<Example>): ReadonlyArray<ReadonlyArray<Example>> => [
  ...Map.groupBy(examples, (example) => example.source).values()
]

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
