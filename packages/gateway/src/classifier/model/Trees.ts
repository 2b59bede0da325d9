/** Gradient-boosted shallow regression trees, which `router train` learns. */
import { Schema } from "effect"

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
