/**
 * Makes the default model from labelled prompts of many sources. One ridge regression per source learns which prompts of that
 * source are hard, and what they agree on is kept: one regression over everything would learn to tell the sources apart. One more,
 * over the sources' averages, learns which kinds of prompt are. Both only correct what is expected before any label is seen. No
 * chance is involved anywhere.
 */
import { featureExpectations, featureNames, featureSigns } from "./Features.ts"
import { linearScore, prepareLinear } from "./Model.ts"
import type { Linear, ModelFile } from "./ModelFile.ts"
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
export type Trained = Pick<ModelFile, "linear" | "quantiles">

/** All found by leaving whole sources out of the training pool. */
export interface TrainingSettings {
  /** Penalty of a source's regression, in rows: a source with few prompts is pulled to zero more. */
  readonly withinPenalty: number
  /** Penalty of the regression over the sources' averages, in units of the features' variance. */
  readonly betweenPenalty: number
  /** How much the second counts against the first. */
  readonly betweenWeight: number
  /** A weight is pulled to zero by this many standard errors of its mean over the sources: what they don't agree on is noise. */
  readonly agreement: number
  /** How much `featureExpectations` count. */
  readonly expectedWeight: number
  readonly clip: number
}

export const defaultSettings: TrainingSettings = {
  withinPenalty: 300,
  betweenPenalty: 3,
  betweenWeight: 0.25,
  agreement: 2,
  expectedWeight: 1,
  clip: 2.5
}

const STEPS = 200

/** Trains on `examples`; `reference` are the features of the prompts that a score is the rank in. */
export const train = (
  examples: ReadonlyArray<Example>,
  reference: ReadonlyArray<Float64Array>,
  settings: TrainingSettings = defaultSettings
): Trained => {
  const sources = bySource(examples)
  const { means, deviations } = standardOf(sources)
  const standardized = sources.map((rows) => {
    const inputs = rows.map((row) =>
      row.features.map((value, i) =>
        Math.max(-settings.clip, Math.min(settings.clip, (value - means[i]!) / deviations[i]!))
      )
    )
    // The weak model's failure, not what the strong one adds: where the strong one is mostly right both say the same, and where it
    // fails too, what it adds falls as prompts get harder.
    const labels = unitVariance(rows.map((row) => -row.weak))
    return { inputs, labels, weak: mean(rows.map((row) => row.weak)) }
  })

  // Where the weak model fails nearly always, a failure says little: such a source counts less.
  const trust = standardized.reduce((sum, source) => sum + source.weak, 0)
  const within = agreed(
    standardized.map(({ inputs, labels }) => ridge(momentsOf(inputs, labels), settings.withinPenalty / inputs.length)),
    standardized.map(({ weak }) => weak / trust),
    settings.agreement
  )
  const averages = momentsOf(
    standardized.map(({ inputs }) => meanRow(inputs)),
    standardized.map(({ labels }) => mean(labels))
  )
  const between = ridge(averages, settings.betweenPenalty)

  const features = featureNames.map((name, i) => {
    const weight = within[i]! + settings.betweenWeight * between[i]! + settings.expectedWeight * featureExpectations[i]!
    return { name, mean: means[i]!, deviation: deviations[i]!, weight: weight * featureSigns[i]! < 0 ? 0 : weight }
  })
  return calibrated({ features, clip: settings.clip }, reference)
}

/** Of labels that are all the same nothing can be learnt: they stay as they are. */
const unitVariance = (labels: ReadonlyArray<number>): ReadonlyArray<number> => {
  const middle = mean(labels)
  const variance = mean(labels.map((label) => (label - middle) ** 2))
  return variance > 1e-12 ? labels.map((label) => label / Math.sqrt(variance)) : labels
}

/** The mean of the sources' weights, `shares` adding up to 1, each pulled to zero by what the sources disagree on. */
const agreed = (
  weights: ReadonlyArray<Float64Array>,
  shares: ReadonlyArray<number>,
  agreement: number
): Float64Array => {
  const concentration = shares.reduce((sum, part) => sum + part * part, 0)
  return featureNames.reduce((result, _, i) => {
    const middle = weights.reduce((sum, own, source) => sum + shares[source]! * own[i]!, 0)
    const variance = weights.reduce((sum, own, source) => sum + shares[source]! * (own[i]! - middle) ** 2, 0)
    // Of one source alone there is no disagreement to see.
    const error = concentration < 1 ? (variance * concentration) / (1 - concentration) : 0
    result[i] = middle * Math.max(0, 1 - (agreement * agreement * error) / (middle * middle + 1e-12))
    return result
  }, new Float64Array(featureNames.length))
}

/** Scales the weights to ranks and adds the quantiles; rounds first, so that the quantiles are those of the model as written. */
const calibrated = (linear: Linear, reference: ReadonlyArray<Float64Array>): Trained => {
  const spread = quantilesOf(linear, reference)
  const width = spread[0.95 * STEPS]! - spread[0.05 * STEPS]!
  // Where nothing was learnt all scores are the same, and nothing is to be scaled.
  const perRank = width > 1e-9 ? width / 0.9 : 1
  const features = linear.features.map(({ name, mean, deviation, weight }) => ({
    name,
    mean: rounded(mean),
    deviation: rounded(deviation),
    weight: rounded(weight / perRank)
  }))
  const scaled = { clip: linear.clip, features }
  return { linear: scaled, quantiles: quantilesOf(scaled, reference).map(rounded) }
}

const quantilesOf = (linear: Linear, reference: ReadonlyArray<Float64Array>): ReadonlyArray<number> => {
  const prepared = prepareLinear(linear)
  return quantilesOfScores(reference.map((features) => linearScore(prepared, features)))
}

/** What a model file keeps of the raw scores of the reference mix. */
export const quantilesOfScores = (scores: ReadonlyArray<number>): ReadonlyArray<number> => {
  const raw = Float64Array.from(scores).sort()
  return Array.from({ length: STEPS + 1 }, (_, step) => raw[Math.round((step / STEPS) * (raw.length - 1))]!)
}

/** Four significant digits: enough for a score of four decimals' honesty, few enough to read. */
const rounded = (value: number): number => Number(value.toPrecision(4))

const bySource = (examples: ReadonlyArray<Example>): ReadonlyArray<ReadonlyArray<Example>> => [
  ...Map.groupBy(examples, (example) => example.source).values()
]

/** Mean and standard deviation of each feature, each source counting the same. A feature that never varies gets deviation 1. */
const standardOf = (sources: ReadonlyArray<ReadonlyArray<Example>>) => {
  const means = meanRow(sources.map((rows) => meanRow(rows.map((row) => row.features))))
  const squares = meanRow(
    sources.map((rows) => meanRow(rows.map((row) => row.features.map((value, i) => (value - means[i]!) ** 2))))
  )
  return { means, deviations: squares.map((square) => (square > 1e-12 ? Math.sqrt(square) : 1)) }
}
