/**
 * Makes the default model from labelled prompts of many sources. One ridge regression per source learns which prompts of that
 * source need the strong model, and their mean is what they agree on: one regression over everything would learn to tell the
 * sources apart. One more, over the sources' averages, learns which kinds of prompt need it. No chance is involved anywhere.
 */
import { featureNames, featureSigns } from "./Features.ts"
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
  readonly clip: number
}

export const defaultSettings: TrainingSettings = { withinPenalty: 30, betweenPenalty: 1, betweenWeight: 1, clip: 2.5 }

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
    return { inputs, labels: rows.map((row) => row.strong - row.weak), weak: mean(rows.map((row) => row.weak)) }
  })

  const weights = new Float64Array(featureNames.length)
  const trust = standardized.reduce((sum, source) => sum + source.weak, 0)
  for (const { inputs, labels, weak } of standardized) {
    const own = ridge(momentsOf(inputs, labels), settings.withinPenalty / inputs.length)
    // Where the weak model fails nearly always, the label says what the strong one fails too, not what needs it: such a source counts less.
    for (let i = 0; i < weights.length; i++) weights[i]! += (own[i]! * weak) / trust
  }
  const averages = momentsOf(
    standardized.map(({ inputs }) => meanRow(inputs)),
    standardized.map(({ labels }) => mean(labels))
  )
  const between = ridge(averages, settings.betweenPenalty)
  for (let i = 0; i < weights.length; i++) {
    const weight = weights[i]! + settings.betweenWeight * between[i]!
    weights[i] = weight * featureSigns[i]! < 0 ? 0 : weight
  }

  const features = featureNames.map((name, i) => ({
    name,
    mean: means[i]!,
    deviation: deviations[i]!,
    weight: weights[i]!
  }))
  return calibrated({ features, clip: settings.clip }, reference)
}

/** Scales the weights to ranks and adds the quantiles; rounds first, so that the quantiles are those of the model as written. */
const calibrated = (linear: Linear, reference: ReadonlyArray<Float64Array>): Trained => {
  const spread = quantilesOf(linear, reference)
  const perRank = (spread[0.95 * STEPS]! - spread[0.05 * STEPS]!) / 0.9
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
