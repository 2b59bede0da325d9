/**
 * What rankings are measured against. `random`: as good as no router. `length`: what any router must beat to be worth its code.
 * `oracle`: what nobody can do, since it has seen the answers.
 */
import { type OutcomeSet, type Ranking, rank } from "../metrics/Metrics.ts"

export type Baseline = "random" | "length" | "oracle"

/**
 * The rankings by `scores`, one for each router, beside the baselines, in the order they are shown. The lengths of the prompts and all
 * scores are in the order of `set`. Random is the mean over all orders, not one of them.
 */
export const besideOthers = <Router extends string>(
  set: OutcomeSet,
  lengths: ReadonlyArray<number>,
  scores: Readonly<Record<Router, ArrayLike<number>>>
): Readonly<Record<Baseline | Router, Ranking>> => {
  const routers = Object.fromEntries(
    Object.entries<ArrayLike<number>>(scores).map(([name, values]) => [name, rank(values)])
  ) as Record<Router, Ranking>
  return {
    random: rank(new Float64Array(lengths.length)),
    length: rank(lengths),
    ...routers,
    oracle: rank(set.strong.map((strong, index) => strong - set.weak[index]!))
  }
}
