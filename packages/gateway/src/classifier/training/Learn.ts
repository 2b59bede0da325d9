/**
 * Learns from outcomes what the linear part doesn't know: which prompts of *these* callers need the strong model. Three learners of
 * the difference in quality, added up, and the linear part with them: boosted trees on features, topics and the shape of options, a
 * ridge regression on words, marks and pairs of them, and one on the features, which says the less the more rows the others have.
 * Each says little where there is little to learn from, so that few rows leave the linear part's word standing. Seeded: the same rows
 * and seed give the same file, bit by bit.
 */
import { seededRandom } from "../SeededRandom.ts"
import { type CompiledLinear, linearScore } from "../model/LinearModel.ts"
import { type CompiledModel, rankOf } from "../model/Model.ts"
import { momentsOf, ridge } from "./Ridge.ts"
import { rarity, sparseRidge } from "../model/Sparse.ts"
import { topicsOf } from "./Topics.ts"
import { boost, type TreeSettings } from "../model/Trees.ts"
import { pack, scorerOf, TOPICS, treeInputs, type TunedPart } from "../model/Tuned.ts"
import { PAIR_BUCKETS, WORD_BUCKETS, type Words } from "../features/Words.ts"

export interface LearnRow {
  /** From `extract`. */
  readonly features: Float64Array
  /** From `wordsOf`; null where only the features are known. */
  readonly words: Words | null
  /** Quality of the strong side minus the weak side's, -1 to 1. */
  readonly gap: number
  /** How much the row counts; 1, or less where part of it is a guess. */
  readonly importance: number
}

/** All found by learning from 60 to 8,600 rows of the training pool's sources and measuring on their rest. */
export interface LearnSettings {
  /** How much the linear part counts beside what is learnt, in quality per rank. */
  readonly prior: number
  /** Penalties of the two regressions, in rows. */
  readonly featurePenalty: number
  readonly wordPenalty: number
  /**
   * How much the words count. A larger penalty ranks better and says less: it keeps the order of what many rows say, and this gives
   * its size back.
   */
  readonly wordWeight: number
  /** With so many rows whose words are known, the regression on the features counts half. */
  readonly fewRows: number
  /** A tree for so many rows, from `leastTrees` up to those of `trees`: what many rows say takes more of them. */
  readonly rowsPerTree: number
  readonly leastTrees: number
  readonly trees: TreeSettings
}

export const defaultSettings: LearnSettings = {
  prior: 0.1,
  featurePenalty: 300,
  wordPenalty: 40,
  wordWeight: 2,
  fewRows: 100,
  rowsPerTree: 16,
  leastTrees: 200,
  trees: { trees: 500, depth: 4, rate: 0.02, leastRows: 20, penalty: 30, rowShare: 0.5, featureShare: 0.25 }
}

export interface Learnt {
  readonly tuned: TunedPart
  /** Raw scores at equal steps of rank, as in a model file. */
  readonly quantiles: ReadonlyArray<number>
  /** The raw score of each row by a model that learnt from other prompts only: what to measure by. */
  readonly unseen: Float64Array
}

const FOLDS = 5

/**
 * Learns from `rows` on top of `model`, whose own tuned part, if any, doesn't count. At least two rows whose gaps differ.
 *
 * A score stays comparable with `model`'s: learning changes the order of the callers' prompts, not how many of them are how demanding.
 * So the ranks of the training prompts by `model` are given to the same prompts in the new order, as scored by models that had not
 * seen them.
 */
export const learn = (
  model: Pick<CompiledModel, "linear" | "quantiles">,
  rows: ReadonlyArray<LearnRow>,
  seed: number,
  settings: LearnSettings = defaultSettings
): Learnt => {
  const { linear, quantiles } = model
  const scores = rows.map(({ features }) => linearScore(linear, features))
  const folds = foldsOf(rows, seed)
  const unseen = new Float64Array(rows.length)
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = rows.filter((_, i) => folds[i] !== fold)
    if (others.length === 0) continue
    const score = scorerOf(fit(linear, others, seed, settings), linear)
    for (const [i, row] of rows.entries()) {
      if (folds[i] === fold) unseen[i] = score(scores[i]!, row.features, row.words)
    }
  }
  const [ours, theirs] = [spreadOf(unseen), spreadOf(scores)]
  const slope = rounded(ours.deviation > 0 && theirs.deviation > 0 ? theirs.deviation / ours.deviation : 1)
  const offset = rounded(theirs.mean - slope * ours.mean)
  for (let i = 0; i < unseen.length; i++) unseen[i] = slope * unseen[i]! + offset
  return {
    tuned: { ...fit(linear, rows, seed, settings), slope, offset },
    quantiles: quantilesOf(
      unseen.toSorted(),
      Float64Array.from(scores, (score) => rankOf(quantiles, score)).sort(),
      quantiles.length - 1
    ),
    unseen
  }
}

/** Which fifth each row is in: drawn by lot, whatever order the rows are in. */
const foldsOf = (rows: ReadonlyArray<LearnRow>, seed: number): Uint8Array => {
  const random = seededRandom(seed)
  return Uint8Array.from(rows, () => Math.floor(random() * FOLDS))
}

/** What is learnt, in units of quality: slope 1, offset 0. It ranks as `learn` does; its scores are comparable with nothing. */
export const fit = (
  linear: CompiledLinear,
  rows: ReadonlyArray<LearnRow>,
  seed: number,
  settings: LearnSettings
): TunedPart => {
  const whole = rows.reduce((sum, row) => sum + row.importance, 0)
  const mean = rows.reduce((sum, row) => sum + row.importance * row.gap, 0) / whole
  const read = rows.filter((row): row is LearnRow & { readonly words: Words } => row.words !== null)
  return {
    rows: rows.length,
    prior: settings.prior,
    weights: featureWeights(linear, rows, settings.featurePenalty, settings.fewRows / (settings.fewRows + read.length)),
    words: read.length > 0 ? wordWeights(read, settings) : null,
    trees: grownTrees(rows, read, mean, seed, settings),
    slope: 1,
    offset: 0
  }
}

const featureWeights = (
  { clip, deviations, means }: CompiledLinear,
  rows: ReadonlyArray<LearnRow>,
  penalty: number,
  share: number
): ReadonlyArray<number> => {
  // A row that counts half is a row of half the length.
  const inputs = rows.map(({ features, importance }) =>
    features.map((value, i) => {
      const standard = Math.max(-clip, Math.min(clip, (value - means[i]!) / deviations[i]!))
      return standard * Math.sqrt(importance)
    })
  )
  const labels = rows.map(({ gap, importance }) => gap * Math.sqrt(importance))
  return Array.from(ridge(momentsOf(inputs, labels), penalty / rows.length), (weight) => rounded(share * weight))
}

const wordWeights = (
  rows: ReadonlyArray<LearnRow & { readonly words: Words }>,
  { wordPenalty, wordWeight }: LearnSettings
): NonNullable<TunedPart["words"]> => {
  const pairs = rows.map(({ words }) => words.pairs)
  const { centre, weights } = sparseRidge(
    { rows: pairs, scales: rarity(pairs, PAIR_BUCKETS, { least: 2, power: 0.5 }) },
    Float64Array.from(rows, ({ gap }) => gap),
    Float64Array.from(rows, ({ importance }) => importance),
    wordPenalty
  )
  const { scale, text } = pack(weights.map((weight) => wordWeight * weight))
  return { centre: rounded(wordWeight * centre), scale, buckets: text }
}

const grownTrees = (
  rows: ReadonlyArray<LearnRow>,
  read: ReadonlyArray<LearnRow & { readonly words: Words }>,
  mean: number,
  seed: number,
  { leastTrees, rowsPerTree, trees: most }: LearnSettings
): NonNullable<TunedPart["trees"]> => {
  const words = read.map((row) => row.words.words)
  const scales = rarity(words, WORD_BUCKETS, { least: 2, power: 1 })
  const directions = topicsOf({ rows: words, scales }, TOPICS, seed)
  const packed = pack(
    Float64Array.from({ length: WORD_BUCKETS * TOPICS }, (_, i) => directions[i % TOPICS]![Math.floor(i / TOPICS)]!)
  )
  const trees = boost(
    treeInputs(packed, rows),
    Float64Array.from(rows, ({ gap }) => gap - mean),
    Float64Array.from(rows, ({ importance }) => importance),
    { ...most, trees: Math.max(leastTrees, Math.min(most.trees, Math.round(rows.length / rowsPerTree))) },
    seed
  )
  return { trees, scale: packed.scale, topics: packed.text }
}

/**
 * Raw scores at equal steps of rank: where a share of `ranks` lies below a rank, the same share of `scores` does. Both ascending.
 * Outside of the ranks that were seen, the scores go on as steep as they went between them.
 */
const quantilesOf = (scores: Float64Array, ranks: Float64Array, steps: number): ReadonlyArray<number> => {
  const last = ranks.length - 1
  const [low, high] = [ranks[0]!, ranks[last]!]
  const steepness = high > low ? (scores[last]! - scores[0]!) / (high - low) : 1
  const values: Array<number> = []
  let at = 0
  for (let step = 0; step <= steps; step++) {
    const rank = step / steps
    while (at < last && ranks[at + 1]! <= rank) at++
    const value =
      rank < low
        ? scores[0]! - steepness * (low - rank)
        : at === last
          ? scores[last]! + steepness * (rank - high)
          : between(scores, ranks, at, rank)
    values.push(Math.max(values.at(-1) ?? -Infinity, Number(value.toPrecision(6))))
  }
  // Where nothing varies, there still is an order.
  if (!(values[steps]! > values[0]!)) values[steps] = values[0]! + 1
  return values
}

const between = (scores: Float64Array, ranks: Float64Array, at: number, rank: number): number => {
  const part = ranks[at + 1]! > ranks[at]! ? (rank - ranks[at]!) / (ranks[at + 1]! - ranks[at]!) : 0
  return scores[at]! + part * (scores[at + 1]! - scores[at]!)
}

const spreadOf = (values: ArrayLike<number>): { readonly mean: number; readonly deviation: number } => {
  let [mean, square] = [0, 0]
  for (let i = 0; i < values.length; i++) mean += values[i]! / values.length
  for (let i = 0; i < values.length; i++) square += (values[i]! - mean) ** 2 / values.length
  return { mean, deviation: Math.sqrt(square) }
}

const rounded = (value: number): number => Number(value.toPrecision(4))
