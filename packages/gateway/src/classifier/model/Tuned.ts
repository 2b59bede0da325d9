/** What is learnt from outcomes on top of the linear part: weights for the features, boosted trees, and weights of words and pairs. */
import { Schema } from "effect"
import { SHAPES } from "../features/Shape.ts"
import { PAIR_BUCKETS, type PromptWords, weigh, WORD_BUCKETS } from "../features/Words.ts"

const above = (least: number) =>
  Schema.makeFilter<number>((value) => (value > least ? undefined : `Expected a number above ${least}, got ${value}`))

const FeatureWeight = Schema.Struct({
  /** As in `featureNames`, in the same order. */
  name: Schema.String,
  /** Over the training sources, each counting the same. */
  mean: Schema.Finite,
  deviation: Schema.Finite.check(above(0)),
  /** What one standard deviation adds to the raw score, in ranks: 0.1 moves a typical prompt up by about a tenth of the mix. */
  weight: Schema.Finite
})

export const Linear = Schema.Struct({
  /** Deviations from the mean count up to this many standard deviations: no feature decides alone. */
  clip: Schema.Finite.check(above(0)),
  features: Schema.Array(FeatureWeight)
})
export type Linear = typeof Linear.Type

export interface CompiledLinear {
  readonly names: ReadonlyArray<string>
  readonly means: Float64Array
  readonly deviations: Float64Array
  readonly weights: Float64Array
  readonly clip: number
}

export const prepareLinear = ({ clip, features }: Linear): CompiledLinear => ({
  names: features.map(({ name }) => name),
  means: Float64Array.from(features, ({ mean }) => mean),
  deviations: Float64Array.from(features, ({ deviation }) => deviation),
  weights: Float64Array.from(features, ({ weight }) => weight),
  clip
})

/** What feature `index` adds to the raw score when its value is `value`, in ranks. */
export const contribution = (
  { clip, deviations, means, weights }: CompiledLinear,
  index: number,
  value: number
): number => weights[index]! * Math.max(-clip, Math.min(clip, (value - means[index]!) / deviations[index]!))

export const linearScore = (linear: CompiledLinear, features: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < linear.weights.length; i++) sum += contribution(linear, i, features[i]!)
  return sum
}

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

export const compileTrees = ({ depth, ...trees }: Trees): ((values: ArrayLike<number>) => number) => {
  // Nothing is as large as NaN: a node that looks at nothing sends everything left, as others do with what is unknown.
  const thresholds = Float64Array.from(trees.thresholds, (threshold, node) =>
    trees.features[node] === -1 ? Number.NaN : threshold
  )
  const features = Int16Array.from(trees.features, (feature) => Math.max(0, feature))
  const leaves = Float64Array.from(trees.leaves)
  const nodes = 2 ** depth - 1
  const count = features.length / nodes
  // All trees take one step before any takes the next, without branches: less than half the time of walking tree by tree.
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

/** One signed byte for each of `length` numbers, in base64. */
const bytes = (length: number) =>
  Schema.String.check(
    Schema.makeFilter((text) => {
      const found = Buffer.from(text, "base64").length
      return found === length ? undefined : `Expected ${length} bytes in base64, got ${found}`
    })
  )

const Scale = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))

export const TOPICS = 16
/** What trees look at beside the features; the last two are the score before, and what the pool adds in it. */
export const OTHERS = TOPICS + SHAPES + 2

/** In deviations from its mean, and the square of that: what is worth most may lie in the middle. */
const Curve = Schema.Struct({
  mean: Schema.Finite,
  deviation: Schema.Finite.check(Schema.isGreaterThan(0)),
  weight: Schema.Finite,
  square: Schema.Finite
})

export type Curve = typeof Curve.Type

export const TunedPart = Schema.Struct({
  /** How many rows it was learnt from. */
  rows: Schema.Int,
  /** How much the score before counts. */
  prior: Schema.Finite,
  /** Of the features, in the order and units of the linear part, in addition to its own. */
  weights: Schema.Array(Schema.Finite),
  /** Of the score before. */
  known: Schema.optionalKey(Curve),
  /** Of what the pool adds in it. */
  added: Schema.optionalKey(Curve),
  /** `scale` times a byte is what a bucket adds, over the square root of the prompt's buckets. */
  words: Schema.NullOr(Schema.Struct({ centre: Schema.Finite, scale: Scale, buckets: bytes(PAIR_BUCKETS) })),
  /** They look at the features, then at the topics, the shape of the options, the score before, and what the pool adds in it. */
  trees: Schema.Struct({ trees: Trees, scale: Scale, topics: bytes(WORD_BUCKETS * TOPICS) }),
  /** The sum of all that, times `slope`, plus `offset`, has the scale of the linear score. */
  slope: Schema.Finite.check(Schema.isGreaterThan(0)),
  offset: Schema.Finite
})
export type TunedPart = typeof TunedPart.Type

/** What is wrong with the parts of `part` beside each other, where there are `features` features; undefined when all is well. */
export const faultOf = (
  name: "pool" | "tuned",
  { trees, weights }: TunedPart,
  features: number
): string | undefined => {
  if (weights.length !== features) return `\`${name}.weights\` has ${weights.length} entries; it must have ${features}`
  const { depth, features: nodes, leaves, thresholds } = trees.trees
  const [inner, outer] = [2 ** depth - 1, 2 ** depth]
  const count = nodes.length / inner
  if (!Number.isInteger(count) || thresholds.length !== nodes.length || leaves.length !== count * outer) {
    return `\`${name}.trees\` has ${nodes.length} features, ${thresholds.length} thresholds and ${leaves.length} leaves; trees of depth ${depth} have ${inner}, ${inner} and ${outer} each`
  }
  const unknown = nodes.find((node) => node >= features + OTHERS)
  return unknown === undefined
    ? undefined
    : `\`${name}.trees\` looks at feature ${unknown}; there are ${features + OTHERS}`
}

/** A byte above 127 is the negative number of the same bits. */
export const unpack = (text: string): Int8Array => new Int8Array(Buffer.from(text, "base64"))

/** The raw score of a prompt, of the same scale as the score before. `null` words: only the features are known. */
export type Scorer = (linear: number, features: Float64Array, words: PromptWords | null) => number

export const scorerOf = (part: TunedPart, linear: CompiledLinear): Scorer => {
  const { clip, deviations, means } = linear
  const { offset, prior, slope } = part
  const weights = Float64Array.from(part.weights)
  const buckets = part.words === null ? null : unpack(part.words.buckets)
  const centre = part.words?.centre ?? 0
  const wordScale = part.words?.scale ?? 0
  const trees = compileTrees(part.trees.trees)
  const topics = unpack(part.trees.topics)
  const topicScale = part.trees.scale
  const known = part.known ?? NOTHING_KNOWN
  const added = part.added ?? NOTHING_KNOWN
  // Filled anew for each prompt.
  const inputs = new Float64Array(weights.length + OTHERS)
  return (score, features, words) => {
    const addedToIt = part.added === undefined ? 0 : score - linearScore(linear, features)
    let sum = prior * score + heightOf(known, score) + heightOf(added, addedToIt)
    for (let i = 0; i < weights.length; i++) {
      sum += weights[i]! * Math.max(-clip, Math.min(clip, (features[i]! - means[i]!) / deviations[i]!))
    }
    if (buckets !== null && words !== null) sum += wordScale * weigh(words.pairs, buckets) - centre
    inputs.set(features)
    // Where no words were learnt nothing was about topics either.
    writeOthers(inputs, weights.length, topics, topicScale, buckets === null ? null : words)
    inputs[inputs.length - 2] = score
    inputs[inputs.length - 1] = addedToIt
    return slope * (sum + trees(inputs)) + offset
  }
}

const NOTHING_KNOWN: Curve = { mean: 0, deviation: 1, weight: 0, square: 0 }
const FARTHEST = 3

export const standardOf = ({ deviation, mean }: Pick<Curve, "mean" | "deviation">, value: number): number =>
  Math.max(-FARTHEST, Math.min(FARTHEST, (value - mean) / deviation))

const heightOf = (curve: Curve, value: number): number => {
  const standard = standardOf(curve, value)
  return curve.weight * standard + curve.square * standard * standard
}

/** Writes the topics and the shape of a prompt to `inputs` from `at` on; nothing known is NaN, which trees send left. */
export const writeOthers = (
  inputs: Float64Array,
  at: number,
  topics: Int8Array,
  scale: number,
  words: PromptWords | null
): void => {
  if (words === null) {
    inputs.fill(Number.NaN, at, at + TOPICS + SHAPES)
    return
  }
  const { words: row } = words
  const factor = scale / Math.sqrt(Math.max(1, row.length))
  // Four sums at a time stay out of memory. Of bytes, they are the same in any order.
  for (let topic = 0; topic < TOPICS; topic += 4) {
    let [a, b, c, d] = [0, 0, 0, 0]
    for (let k = 0; k < row.length; k++) {
      const start = row[k]! * TOPICS + topic
      a += topics[start]!
      b += topics[start + 1]!
      c += topics[start + 2]!
      d += topics[start + 3]!
    }
    inputs[at + topic] = factor * a
    inputs[at + topic + 1] = factor * b
    inputs[at + topic + 2] = factor * c
    inputs[at + topic + 3] = factor * d
  }
  inputs.set(words.shape, at + TOPICS)
}
