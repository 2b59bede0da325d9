/**
 * Learns from outcomes what the model that ships doesn't know: which prompts of *these* callers need the strong model. Four learners
 * of the difference in quality, added up, and the score before with them: boosted trees on features, topics, the shape of options, that
 * score and what questions taught, a ridge regression on words, marks and pairs of them, one on the features, which says the less the
 * more rows the others have, and one each on the score before and on what questions taught, with their squares: a weak model may need
 * help most where prompts are neither easy nor hopeless.
 * Each says little where there is little to learn from, so that few rows leave the score before standing. Seeded: the same rows and
 * seed give the same file, bit by bit.
 */
import { seededRandom } from "../SeededRandom.ts"
import {
  type CompiledLinear,
  linearScore,
  type Curve,
  scorerOf,
  standardOf,
  TOPICS,
  type TunedPart
} from "@model-gateway/gateway/internal/classifier/model/Tuned"
import { type CompiledModel, poolScore, rankOf } from "@model-gateway/gateway/internal/classifier/model/Model"
import { momentsOf, ridge } from "./Ridge.ts"
import { rarity, sparseRidge } from "./SparseRidge.ts"
import { topicsOf } from "./Topics.ts"
import { boost, type TreeSettings } from "./Boosting.ts"
import { pack, treeInputs } from "./TunedTables.ts"
import { PAIR_BUCKETS, WORD_BUCKETS, type PromptWords } from "@model-gateway/gateway/internal/classifier/features/Words"

export interface LearnRow {
  /** From `extract`. */
  readonly features: Float64Array
  /** From `wordsOf`; null where only the features are known. */
  readonly words: PromptWords | null
  /** Quality of the strong side minus the weak side's, -1 to 1. */
  readonly gap: number
  /** How much the row counts; 1, or less where part of it is a guess. */
  readonly importance: number
}

interface KnownRow extends LearnRow {
  /** The score before. */
  readonly known: number
  /** What the pool adds in it: what questions taught, without what is expected of kinds of prompts. */
  readonly added: number
}

/** All found by learning from 60 to 8,600 rows of the training pool's sources and measuring on their rest. */
export interface LearnSettings {
  /** How much the score before counts beside what is learnt, in quality per rank. */
  readonly prior: number
  /** Penalties of the two regressions, in rows. */
  readonly featurePenalty: number
  readonly wordPenalty: number
  /** Of the regressions on the score before and on what the pool adds in it, in rows. */
  readonly knownPenalty: number
  /**
   * How much the words count. A larger penalty ranks better and says less: it keeps the order of what many rows say, and this gives
   * its size back.
   */
  readonly wordWeight: number
  /** With so many rows whose words are known, the regression on the features counts half. */
  readonly fewRows: number
  /** A tree for so many rows, from `leastTrees` up to those of `trees`; rows for more than those let each tree say more. */
  readonly rowsPerTree: number
  readonly leastTrees: number
  readonly trees: TreeSettings
}

export const defaultSettings: LearnSettings = {
  prior: 0.1,
  featurePenalty: 300,
  wordPenalty: 40,
  knownPenalty: 20,
  wordWeight: 4,
  fewRows: 100,
  rowsPerTree: 8,
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

/** What learning starts from. */
type Base = Pick<CompiledModel, "linear" | "pool">

/**
 * Learns from `rows` on top of `model`, whose own tuned part, if any, doesn't count. At least two rows whose gaps differ.
 *
 * A score stays comparable with `model`'s: learning changes the order of the callers' prompts, not how many of them are how demanding.
 * So the ranks of the training prompts by `model` are given to the same prompts in the new order, as scored by models that had not
 * seen them.
 */
export const learn = (
  model: Base & Pick<CompiledModel, "quantiles">,
  rows: ReadonlyArray<LearnRow>,
  seed: number,
  settings: LearnSettings = defaultSettings
): Learnt => {
  const { linear, quantiles } = model
  const scores = rows.map(({ features, words }) => poolScore(model, features, words))
  const folds = foldsOf(rows, seed)
  const unseen = new Float64Array(rows.length)
  for (let fold = 0; fold < FOLDS; fold++) {
    const others = rows.filter((_, i) => folds[i] !== fold)
    if (others.length === 0) continue
    const score = scorerOf(fit(model, others, seed, settings), linear)
    for (const [i, row] of rows.entries()) {
      if (folds[i] === fold) unseen[i] = score(scores[i]!, row.features, row.words)
    }
  }
  const [ours, theirs] = [spreadOf(unseen), spreadOf(scores)]
  const slope = rounded(ours.deviation > 0 && theirs.deviation > 0 ? theirs.deviation / ours.deviation : 1)
  const offset = rounded(theirs.mean - slope * ours.mean)
  for (let i = 0; i < unseen.length; i++) unseen[i] = slope * unseen[i]! + offset
  return {
    tuned: { ...fit(model, rows, seed, settings), slope, offset },
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
export const fit = (base: Base, learnt: ReadonlyArray<LearnRow>, seed: number, settings: LearnSettings): TunedPart => {
  const rows = learnt.map((row) => {
    if (base.pool === null) return { ...row, known: 0, added: 0 }
    const known = poolScore(base, row.features, row.words)
    return { ...row, known, added: known - linearScore(base.linear, row.features) }
  })
  const whole = rows.reduce((sum, row) => sum + row.importance, 0)
  const mean = rows.reduce((sum, row) => sum + row.importance * row.gap, 0) / whole
  const read = rows.filter((row): row is KnownRow & { readonly words: PromptWords } => row.words !== null)
  return {
    rows: rows.length,
    prior: settings.prior,
    weights: featureWeights(base.linear, rows, settings.featurePenalty, 1 / (1 + read.length / settings.fewRows)),
    // Without a pool the score before is made of the features, which have a regression already.
    ...(base.pool === null
      ? {}
      : {
          known: curveOf(rows, ({ known }) => known, settings.knownPenalty),
          added: curveOf(rows, ({ added }) => added, settings.knownPenalty)
        }),
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

const curveOf = (rows: ReadonlyArray<KnownRow>, valueOf: (row: KnownRow) => number, penalty: number): Curve => {
  const spread = spreadOf(rows.map(valueOf))
  const mean = rounded(spread.mean)
  const deviation = rounded(spread.deviation > 1e-9 ? spread.deviation : 1)
  const inputs = rows.map((row) => {
    const standard = standardOf({ mean, deviation }, valueOf(row))
    return Float64Array.of(standard, standard * standard).map((value) => value * Math.sqrt(row.importance))
  })
  const labels = rows.map(({ gap, importance }) => gap * Math.sqrt(importance))
  const [weight, square] = ridge(momentsOf(inputs, labels), penalty / rows.length)
  return { mean, deviation, weight: rounded(weight!), square: rounded(square!) }
}

const wordWeights = (
  rows: ReadonlyArray<LearnRow & { readonly words: PromptWords }>,
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
  rows: ReadonlyArray<KnownRow>,
  read: ReadonlyArray<KnownRow & { readonly words: PromptWords }>,
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
  const wanted = rows.length / rowsPerTree
  const trees = boost(
    treeInputs(packed, rows),
    Float64Array.from(rows, ({ gap }) => gap - mean),
    Float64Array.from(rows, ({ importance }) => importance),
    {
      ...most,
      trees: Math.max(leastTrees, Math.min(most.trees, Math.round(wanted))),
      rate: most.rate * Math.max(1, wanted / most.trees)
    },
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
