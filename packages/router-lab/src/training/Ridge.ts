/** Ridge regression in closed form on small dense matrices. */

/** Second moments of centred rows: `covariance` of the inputs with each other, `response` of the inputs with the label. */
interface Moments {
  readonly covariance: ReadonlyArray<Float64Array>
  readonly response: Float64Array
}

/** The moments of `rows` with their `labels`, each row counting the same. */
export const momentsOf = (rows: ReadonlyArray<Float64Array>, labels: ReadonlyArray<number>): Moments => {
  const width = rows[0]!.length
  const means = meanRow(rows)
  const labelMean = mean(labels)
  const covariance = Array.from({ length: width }, () => new Float64Array(width))
  const response = new Float64Array(width)
  const centred = new Float64Array(width)
  for (const [index, row] of rows.entries()) {
    for (let i = 0; i < width; i++) centred[i] = row[i]! - means[i]!
    const label = labels[index]! - labelMean
    for (let i = 0; i < width; i++) {
      const line = covariance[i]!
      response[i]! += (centred[i]! * label) / rows.length
      for (let j = 0; j <= i; j++) line[j]! += (centred[i]! * centred[j]!) / rows.length
    }
  }
  for (let i = 0; i < width; i++) for (let j = i + 1; j < width; j++) covariance[i]![j] = covariance[j]![i]!
  return { covariance, response }
}

/** The weights that minimise the mean squared error plus `penalty` times their squared length. `penalty` > 0. */
export const ridge = ({ covariance, response }: Moments, penalty: number): Float64Array => {
  const width = response.length
  const lower = covariance.map((line, i) => {
    const copy = Float64Array.from(line)
    copy[i]! += penalty
    return copy
  })
  // Cholesky in place, then forward and back substitution.
  for (let j = 0; j < width; j++) {
    for (let i = j; i < width; i++) {
      let sum = lower[i]![j]!
      for (let k = 0; k < j; k++) sum -= lower[i]![k]! * lower[j]![k]!
      lower[i]![j] = i === j ? Math.sqrt(sum) : sum / lower[j]![j]!
    }
  }
  const weights = Float64Array.from(response)
  for (let i = 0; i < width; i++) {
    for (let k = 0; k < i; k++) weights[i]! -= lower[i]![k]! * weights[k]!
    weights[i]! /= lower[i]![i]!
  }
  for (let i = width - 1; i >= 0; i--) {
    for (let k = i + 1; k < width; k++) weights[i]! -= lower[k]![i]! * weights[k]!
    weights[i]! /= lower[i]![i]!
  }
  return weights
}

/**
 * As `ridge`, where no weight may be of another sign than its feature's: 1, -1, or 0 for either. The others make up for what a weight
 * may not say, which they don't where it is only taken away afterwards.
 */
export const signedRidge = (
  { covariance, response }: Moments,
  signs: ReadonlyArray<1 | -1 | 0>,
  penalty: number
): Float64Array => {
  const weights = new Float64Array(response.length)
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < weights.length; i++) {
      const line = covariance[i]!
      let left = response[i]! + line[i]! * weights[i]!
      for (let j = 0; j < weights.length; j++) left -= line[j]! * weights[j]!
      const weight = left / (line[i]! + penalty)
      weights[i] = weight * signs[i]! < 0 ? 0 : weight
    }
  }
  return weights
}
/** One weight after the other, so often that nothing moves any more. */
const ROUNDS = 300

export const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The mean of each column. */
export const meanRow = (rows: ReadonlyArray<Float64Array>): Float64Array => {
  const sums = new Float64Array(rows[0]!.length)
  for (const row of rows) for (let i = 0; i < sums.length; i++) sums[i]! += row[i]! / rows.length
  return sums
}
