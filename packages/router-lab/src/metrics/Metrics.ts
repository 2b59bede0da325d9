/**
 * How good a ranking of prompts is at saving calls to a strong model. The prompts that rank highest go to the strong model, the
 * rest to the weak one; where to cut is left open, and the figures say what the mixes at all cuts are worth. APGR and CPT are
 * RouteLLM's (arXiv 2406.18665, section 3), computed at every prompt in place of ten steps.
 *
 * Equal scores count as in random order: between the first and the last of them, everything is linear.
 */

/** What both models make of each prompt, one number a prompt. */
export interface OutcomeSet {
  /** Quality of the answers, 0 to 1. */
  readonly weak: Float64Array
  readonly strong: Float64Array
  /** In any one unit; what both cost is 0 where nothing is known of it. */
  readonly weakCost: Float64Array
  readonly strongCost: Float64Array
}

/** What happened to one prompt; costs in any one unit, 0 when absent. */
export interface WeakAndStrong {
  readonly weak: number
  readonly strong: number
  readonly weakCost?: number
  readonly strongCost?: number
}

export const outcomeSetOf = (rows: ReadonlyArray<WeakAndStrong>): OutcomeSet => ({
  weak: Float64Array.from(rows, (row) => row.weak),
  strong: Float64Array.from(rows, (row) => row.strong),
  weakCost: Float64Array.from(rows, (row) => row.weakCost ?? 0),
  strongCost: Float64Array.from(rows, (row) => row.strongCost ?? 0)
})

export interface Ranking {
  /** Indices of the prompts, the one that needs the strong model most first. */
  readonly order: Uint32Array
  /** Where each group of equal scores ends, exclusive, ascending. */
  readonly ends: Uint32Array
}

/** The names of the figures, in the order they are shown. */
export const figureNames = ["apgr", "cpt50", "cpt80", "costAtEqualQuality", "qualityAtEqualCost"] as const

export type FigureName = (typeof figureNames)[number]

/** Each is NaN where it means nothing: no strong model that is better, no costs that differ. */
export interface Figures extends Readonly<Record<FigureName, number>> {
  /**
   * Average performance gap recovered: at each share of strong calls, how much of the quality between all-weak (0) and
   * all-strong (1) is reached; the mean over all shares. Chance gives 0.5. Above 1 is possible where the strong model does harm.
   */
  readonly apgr: number
  /** The least share of strong calls, 0 to 1, at which half of that gap is recovered. */
  readonly cpt50: number
  /** … and 80 % of it. */
  readonly cpt80: number
  /**
   * What the cheapest mix costs whose mean quality is at least `qualityShare` of always-strong's, as a share of what always-strong
   * costs. 1 is no saving; below the weak model's share of the cost it can't fall.
   */
  readonly costAtEqualQuality: number
  /**
   * The mean quality of the mix that costs as much as sending every second prompt, drawn by lot, to the strong model, as a
   * share of always-strong's quality.
   */
  readonly qualityAtEqualCost: number
}

const DEFAULT_QUALITY_SHARE = 0.95

/** The prompts in falling order of their scores. NaN ranks lowest. */
export const rank = (scores: ArrayLike<number>): Ranking => {
  const keys = Float64Array.from(scores, (score) => (Number.isNaN(score) ? -Infinity : score))
  const order = Uint32Array.from(keys, (_, index) => index).sort((a, b) => {
    const [one, other] = [keys[a]!, keys[b]!]
    return one === other ? a - b : other > one ? 1 : -1
  })
  const ends: Array<number> = []
  for (let i = 0; i < order.length; i++) {
    if (i + 1 === order.length || keys[order[i + 1]!] !== keys[order[i]!]) ends.push(i + 1)
  }
  return { order, ends: Uint32Array.from(ends) }
}

/** One sum over all prompts each: what the ends of every curve are made of. */
export interface Totals {
  readonly weight: number
  readonly weak: number
  readonly strong: number
  readonly weakCost: number
  readonly strongCost: number
}

/** `weights`: how often each prompt counts, by its index; whole numbers or not. */
export const totalsOf = (set: OutcomeSet, weights: ArrayLike<number>): Totals => {
  let [weight, weak, strong, weakCost, strongCost] = [0, 0, 0, 0, 0]
  for (let i = 0; i < set.weak.length; i++) {
    const each = weights[i]!
    weight += each
    weak += each * set.weak[i]!
    strong += each * set.strong[i]!
    weakCost += each * set.weakCost[i]!
    strongCost += each * set.strongCost[i]!
  }
  return { weight, weak, strong, weakCost, strongCost }
}

/** All figures of one ranking, in one pass. */
export const figuresOf = (
  set: OutcomeSet,
  ranking: Ranking,
  weights: ArrayLike<number>,
  qualityShare: number = DEFAULT_QUALITY_SHARE,
  totals: Totals = totalsOf(set, weights)
): Figures => {
  const gap = totals.strong - totals.weak
  const half = gap * 0.5
  const most = gap * 0.8
  const wanted = qualityShare * totals.strong - totals.weak
  const budget = (totals.strongCost - totals.weakCost) / 2
  let area = 0
  let sent = 0
  let gained = 0
  let spent = 0
  let cpt50 = Number.NaN
  let cpt80 = Number.NaN
  let cheapest = wanted <= 0 ? 0 : Infinity
  let gainedInBudget = budget > 0 ? -Infinity : Number.NaN
  let from = 0
  for (let group = 0; group < ranking.ends.length; group++) {
    const end = ranking.ends[group]!
    let weight = 0
    let gain = 0
    let cost = 0
    for (; from < end; from++) {
      const index = ranking.order[from]!
      const each = weights[index]!
      if (each === 0) continue
      weight += each
      gain += each * (set.strong[index]! - set.weak[index]!)
      cost += each * (set.strongCost[index]! - set.weakCost[index]!)
    }
    if (weight === 0) continue
    area += weight * (gained + gain / 2)
    if (Number.isNaN(cpt50) && gained + gain >= half) cpt50 = sent + (weight * (half - gained)) / gain
    if (Number.isNaN(cpt80) && gained + gain >= most) cpt80 = sent + (weight * (most - gained)) / gain
    if (gained + gain >= wanted) {
      if (gained < wanted) cheapest = Math.min(cheapest, spent + (cost * (wanted - gained)) / gain)
      cheapest = Math.min(cheapest, spent + cost)
    }
    if (gainedInBudget === -Infinity && spent + cost >= budget)
      gainedInBudget = gained + (gain * (budget - spent)) / cost
    sent += weight
    gained += gain
    spent += cost
  }
  const isBetter = gap > 0
  return {
    apgr: isBetter ? area / (totals.weight * gap) : Number.NaN,
    cpt50: isBetter ? cpt50 / totals.weight : Number.NaN,
    cpt80: isBetter ? cpt80 / totals.weight : Number.NaN,
    costAtEqualQuality:
      totals.strongCost > 0 && cheapest < Infinity ? (totals.weakCost + cheapest) / totals.strongCost : Number.NaN,
    qualityAtEqualCost: (totals.weak + gainedInBudget) / totals.strong
  }
}

/** A mix: the share of prompts that went to the strong model, and mean quality and cost of a prompt. */
export interface Mix {
  readonly share: number
  readonly quality: number
  readonly cost: number
}

/** The mixes of a ranking from all-weak to all-strong, `steps` + 1 of them at equal steps of the share. */
export const curveOf = (set: OutcomeSet, ranking: Ranking, steps: number): ReadonlyArray<Mix> => {
  const count = ranking.order.length
  const { weak, weakCost } = totalsOf(set, new Uint8Array(count).fill(1))
  const mixes: Array<Mix> = [{ share: 0, quality: weak / count, cost: weakCost / count }]
  let [from, gained, spent] = [0, 0, 0]
  for (const end of ranking.ends) {
    let [gain, cost] = [0, 0]
    for (let i = from; i < end; i++) {
      const index = ranking.order[i]!
      gain += set.strong[index]! - set.weak[index]!
      cost += set.strongCost[index]! - set.weakCost[index]!
    }
    for (; mixes.length <= steps && (mixes.length / steps) * count <= end;) {
      const part = ((mixes.length / steps) * count - from) / (end - from)
      mixes.push({
        share: mixes.length / steps,
        quality: (weak + gained + gain * part) / count,
        cost: (weakCost + spent + cost * part) / count
      })
    }
    from = end
    gained += gain
    spent += cost
  }
  return mixes
}
