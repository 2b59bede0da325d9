/**
 * What a ranking is measured against. `random`: as good as no router. `length`: what any router must beat to be worth its code.
 * `oracle`: what nobody can do, since it has seen the answers.
 */
import { type OutcomeSet, type Ranking, rank } from "./Metrics.ts"

export type RankingName = "random" | "length" | "ours" | "oracle"

/** In the order they are shown. */
export const rankingNames: ReadonlyArray<RankingName> = ["random", "length", "ours", "oracle"]

/**
 * The rankings of `prompts`, which `set` is about in the same order, beside the one of `scores`. Random is the mean over all
 * orders, not one of them.
 */
export const besideOthers = (
  set: OutcomeSet,
  prompts: ReadonlyArray<string>,
  scores: ArrayLike<number>
): Readonly<Record<RankingName, Ranking>> => ({
  random: rank(new Float64Array(prompts.length)),
  length: rank(prompts.map((prompt) => prompt.length)),
  ours: rank(scores),
  oracle: rank(set.strong.map((strong, index) => strong - set.weak[index]!))
})
