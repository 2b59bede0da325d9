/**
 * Gradient-boosted shallow regression trees: each tree corrects a little of what the trees before it left over, on its own sample of
 * rows and features. Our own, small and seeded: the same rows and seed give the same trees, bit by bit.
 */
import { Schema } from "effect"
import { seededRandom } from "../SeededRandom.ts"

/** Whole numbers from `least` to `most`. */
const whole = (least: number, most: number) => Schema.Int.check(Schema.isBetween({ minimum: least, maximum: most }))

const DEEPEST = 6

/** All trees are complete, node by node in heap order: the children of node `k` of a tree are `2k + 1` and `2k + 2`. */
export const Trees = Schema.Struct({
  depth: whole(1, DEEPEST),
  /** What a node looks at; -1 sends everything left. `2 ** depth - 1` a tree. */
  features: Schema.Array(whole(-1, 1_000)),
  /** Values from here up go right. As many as `features`. */
  thresholds: Schema.Array(Schema.Finite),
  /** What a leaf adds. `2 ** depth` a tree. */
  leaves: Schema.Array(Schema.Finite)
})
export type Trees = typeof Trees.Type

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
  /** The last bin that goes left. */
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

/** What all trees together say about the features of a prompt. */
export const compileTrees = ({ depth, ...trees }: Trees): ((values: ArrayLike<number>) => number) => {
  // Nothing is as large as NaN: a node that looks at nothing sends everything left, as others do with what is unknown.
  const thresholds = Float64Array.from(trees.thresholds, (threshold, node) =>
    trees.features[node] === -1 ? Number.NaN : threshold
  )
  const features = Int16Array.from(trees.features, (feature) => Math.max(0, feature))
  const leaves = Float64Array.from(trees.leaves)
  const nodes = 2 ** depth - 1
  const count = features.length / nodes
  // The node each tree has come to. All take one step before any takes the next, and no step is a branch: a processor that has nothing
  // to guess and much to do at a time takes less than half of what it takes to walk tree by tree.
  const at = new Int32Array(count)
  return (values) => {
    at.fill(0)
    for (let level = 0; level < depth; level++) {
      for (let tree = 0; tree < count; tree++) {
        const node = at[tree]!
        const index = tree * nodes + node
        at[tree] = 2 * node + 1 + Number(values[features[index]!]! >= thresholds[index]!)
      }
    }
    let sum = 0
    for (let tree = 0; tree < count; tree++) sum += leaves[tree * (nodes + 1) + at[tree]! - nodes]!
    return sum
  }
}
