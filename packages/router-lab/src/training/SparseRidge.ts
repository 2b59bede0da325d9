/** Linear algebra on rows that are nearly all zeros: the distinct buckets of a prompt's words, each with a value of its bucket's. */
import { weigh } from "@model-gateway/gateway/internal/classifier/features/Words"

/** Rows of one matrix. The value at `rows[i]`'s bucket `b` is `scales[b] / sqrt(number of buckets in the row)`. */
export interface SparseRows {
  readonly rows: ReadonlyArray<ArrayLike<number>>
  /** One for each bucket. */
  readonly scales: Float64Array
}

/** How a bucket counts: rare ones more than common ones, and those of fewer than `least` rows not at all. */
export const rarity = (
  rows: ReadonlyArray<ArrayLike<number>>,
  buckets: number,
  { least, power }: { readonly least: number; readonly power: number }
): Float64Array => {
  const counts = new Float64Array(buckets)
  for (const row of rows) for (let i = 0; i < row.length; i++) counts[row[i]!]!++
  return counts.map((count) => (count < least ? 0 : Math.log((rows.length + 1) / count) ** power))
}

/**
 * Ridge regression by conjugate gradients: weights that minimise the squared error on `labels`, each row counting `importance`, plus
 * `penalty` times their squared length. Times the scales already: for `weigh`. Rows and labels are centred; `centre` is what `weigh`
 * says about a mean row.
 */
export const sparseRidge = (
  { rows, scales }: SparseRows,
  labels: Float64Array,
  importance: Float64Array,
  penalty: number
): { readonly weights: Float64Array; readonly centre: number } => {
  const width = scales.length
  const whole = importance.reduce((sum, each) => sum + each, 0)
  const labelMean = labels.reduce((sum, label, i) => sum + label * importance[i]!, 0) / whole
  const means = new Float64Array(width)
  /** Adds `factor` of row `i` to `target`, unscaled. */
  const add = (target: Float64Array, i: number, factor: number): void => {
    const row = rows[i]!
    const each = factor / Math.sqrt(row.length)
    for (let k = 0; k < row.length; k++) target[row[k]!]! += each
  }
  for (let i = 0; i < rows.length; i++) add(means, i, importance[i]! / whole)
  const response = new Float64Array(width)
  for (let i = 0; i < rows.length; i++) add(response, i, importance[i]! * (labels[i]! - labelMean))
  for (let b = 0; b < width; b++) response[b]! *= scales[b]!

  const times = (weights: Float64Array): Float64Array => {
    const folded = weights.map((weight, b) => weight * scales[b]!)
    const centre = dot(folded, means)
    const product = new Float64Array(width)
    let total = 0
    for (let i = 0; i < rows.length; i++) {
      const part = importance[i]! * (weigh(rows[i]!, folded) - centre)
      total += part
      if (rows[i]!.length > 0) add(product, i, part)
    }
    for (let b = 0; b < width; b++) product[b] = scales[b]! * (product[b]! - total * means[b]!) + penalty * weights[b]!
    return product
  }
  const weights = conjugateGradients(times, response).map((weight, b) => weight * scales[b]!)
  return { weights, centre: dot(weights, means) }
}

const STEPS = 30
const CLOSE = 1e-8

/** Solves `times(x) = target` for a symmetric positive `times`, as exactly as a prediction needs. */
const conjugateGradients = (times: (x: Float64Array) => Float64Array, target: Float64Array): Float64Array => {
  const x = new Float64Array(target.length)
  const rest = Float64Array.from(target)
  const direction = Float64Array.from(target)
  const first = dot(rest, rest)
  let size = first
  for (let step = 0; step < STEPS && size > CLOSE * first; step++) {
    const product = times(direction)
    const length = size / dot(direction, product)
    for (let i = 0; i < x.length; i++) {
      x[i]! += length * direction[i]!
      rest[i]! -= length * product[i]!
    }
    const before = size
    size = dot(rest, rest)
    for (let i = 0; i < x.length; i++) direction[i] = rest[i]! + (size / before) * direction[i]!
  }
  return x
}

export const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}
