/** The shape of the committed model, see `DefaultModel.ts`: what training writes and the classifier reads. */

export interface FeatureWeight {
  /** As in `featureNames`, in the same order. */
  readonly name: string
  /** Over the training sources, each counting the same. */
  readonly mean: number
  readonly deviation: number
  /** What one standard deviation adds to the raw score, in ranks: 0.1 moves a typical prompt up by about a tenth of the mix. */
  readonly weight: number
}

export interface Model {
  readonly features: ReadonlyArray<FeatureWeight>
  /** Deviations from the mean count up to this many standard deviations: no feature decides alone. */
  readonly clip: number
  /** Raw scores of the reference mix at equal steps of rank, ascending: the first is the lowest, the last the highest. */
  readonly quantiles: ReadonlyArray<number>
}

/** What feature `index` adds to the raw score when its value is `value`. */
export const contribution = (model: Model, index: number, value: number): number => {
  const { mean, deviation, weight } = model.features[index]!
  return weight * Math.max(-model.clip, Math.min(model.clip, (value - mean) / deviation))
}

/** The raw score of a prompt with these features. */
export const rawScore = (model: Model, values: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < model.features.length; i++) sum += contribution(model, i, values[i]!)
  return sum
}

/** The share of the reference mix that scores lower, 0 to 1, interpolated and rounded to four decimals. Never falls as `raw` rises. */
export const rankOf = (model: Model, raw: number): number => {
  const { quantiles } = model
  const last = quantiles.length - 1
  if (raw <= quantiles[0]!) return 0
  if (raw >= quantiles[last]!) return 1
  let low = 0
  let high = last
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (quantiles[middle]! <= raw) low = middle
    else high = middle
  }
  const within = (raw - quantiles[low]!) / (quantiles[high]! - quantiles[low]!)
  return Math.round(((low + within) / last) * 10_000) / 10_000
}
