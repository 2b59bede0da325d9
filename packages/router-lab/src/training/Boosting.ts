/**
 * Learns boosted trees: each tree corrects a little of what the trees before it left over, on its own sample of rows and features. The
 * same rows and seed give the same trees, bit by bit.
 */
import type { Trees } from "@model-gateway/gateway/internal/classifier/model/Tuned"
import { seededRandom } from "../SeededRandom.ts"

export interface TreeSettings {
  readonly trees: number
  readonly depth: number
  /** How much of what it found a tree may say. */
  readonly rate: number
  /** Fewest rows in a leaf. */
  readonly leastRows: number
  /** Rows of zero that are added to every leaf. */
  readonly penalty: number
  /** Shares of the rows and of the features that a tree sees. */
  readonly rowShare: number
  readonly featureShare: number
}

/** Between the quantiles of a feature, at most this many bins. */
const BINS = 24
/** Splits that explain less are rounding errors. */
const LEAST_GAIN = 1e-9

/**
 * Trees that predict `labels` from `inputs`, which are best centred: no tree knows a constant. `weights`: how much each row counts.
 * A twentieth of a second for 1,000 rows.
 */
export const boost = (
  inputs: ReadonlyArray<Float64Array>,
  labels: Float64Array,
  weights: Float64Array,
  settings: TreeSettings,
  seed: number
): Trees => {
  const random = seededRandom(seed)
  const columns = inputs[0]!.map((_, feature) => feature)
  const binned = Array.from(columns, (feature) => binsOf(inputs, feature))
  const left = Float64Array.from(labels)
  const nodes = 2 ** settings.depth - 1
  const features: Array<number> = []
  const thresholds: Array<number> = []
  const leaves: Array<number> = []
  for (let tree = 0; tree < settings.trees; tree++) {
    const sample: Array<number> = []
    for (let row = 0; row < inputs.length; row++) if (random() < settings.rowShare) sample.push(row)
    const seen = binned.filter(({ cuts }) => random() < settings.featureShare && cuts.length > 0)
    const splits = Array.from({ length: nodes }, (): Split | undefined => undefined)
    let level: Array<ReadonlyArray<number>> = [sample]
    for (let node = 0; level.length < nodes + 1;) {
      const next: Array<ReadonlyArray<number>> = []
      for (const rows of level) {
        const split = bestSplit(rows, seen, left, weights, settings)
        splits[node++] = split
        next.push(
          split === undefined ? rows : rows.filter((row) => split.column.bins[row]! <= split.bin),
          split === undefined ? [] : rows.filter((row) => split.column.bins[row]! > split.bin)
        )
      }
      level = next
    }
    const added = level.map((rows) => rounded(settings.rate * leafOf(rows, left, weights, settings.penalty)))
    for (const split of splits) {
      features.push(split?.column.feature ?? -1)
      thresholds.push(split === undefined ? 0 : split.column.cuts[split.bin]!)
    }
    leaves.push(...added)
    for (let row = 0; row < left.length; row++) {
      let node = 0
      while (node < nodes) {
        const split = splits[node]
        node = 2 * node + (split !== undefined && split.column.bins[row]! > split.bin ? 2 : 1)
      }
      left[row]! -= added[node - nodes]!
    }
  }
  return { depth: settings.depth, features, thresholds, leaves }
}

/** A feature of all rows, as the number of the bin its value is in: values from `cuts[bin]` up are in a later one. */
interface Column {
  readonly feature: number
  readonly cuts: ReadonlyArray<number>
  readonly bins: Uint8Array
}

interface Split {
  readonly column: Column
  readonly bin: number
}

const binsOf = (inputs: ReadonlyArray<Float64Array>, feature: number): Column => {
  const sorted = Float64Array.from(inputs, (input) => input[feature]!).sort()
  const cuts: Array<number> = []
  for (let bin = 1; bin < BINS; bin++) {
    // Rounded here, so that the file says exactly what was learnt.
    const cut = rounded(sorted[Math.floor((bin * sorted.length) / BINS)]!)
    if (cut > sorted[0]! && cut > (cuts.at(-1) ?? -Infinity)) cuts.push(cut)
  }
  const bins = Uint8Array.from(inputs, (input) => {
    let bin = 0
    while (bin < cuts.length && input[feature]! >= cuts[bin]!) bin++
    return bin
  })
  return { feature, cuts, bins }
}

const bestSplit = (
  rows: ReadonlyArray<number>,
  columns: ReadonlyArray<Column>,
  left: Float64Array,
  weights: Float64Array,
  { leastRows, penalty }: TreeSettings
): Split | undefined => {
  if (rows.length < 2 * leastRows) return undefined
  let all = 0
  let total = 0
  for (const row of rows) {
    all += weights[row]!
    total += weights[row]! * left[row]!
  }
  const whole = (total * total) / (all + penalty)
  let best: Split | undefined
  let most = LEAST_GAIN
  const counts = new Float64Array(BINS)
  const heaviness = new Float64Array(BINS)
  const sums = new Float64Array(BINS)
  for (const column of columns) {
    counts.fill(0)
    heaviness.fill(0)
    sums.fill(0)
    for (const row of rows) {
      const bin = column.bins[row]!
      counts[bin]!++
      heaviness[bin]! += weights[row]!
      sums[bin]! += weights[row]! * left[row]!
    }
    let [below, weight, sum] = [0, 0, 0]
    for (let bin = 0; bin < column.cuts.length; bin++) {
      below += counts[bin]!
      weight += heaviness[bin]!
      sum += sums[bin]!
      if (below < leastRows || rows.length - below < leastRows) continue
      const gain = (sum * sum) / (weight + penalty) + (total - sum) ** 2 / (all - weight + penalty) - whole
      if (gain > most) {
        most = gain
        best = { column, bin }
      }
    }
  }
  return best
}

const leafOf = (rows: ReadonlyArray<number>, left: Float64Array, weights: Float64Array, penalty: number): number => {
  let weight = 0
  let sum = 0
  for (const row of rows) {
    weight += weights[row]!
    sum += weights[row]! * left[row]!
  }
  return sum / (weight + penalty)
}

const rounded = (value: number): number => Number(value.toPrecision(4))
