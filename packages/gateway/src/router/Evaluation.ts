/**
 * How good a ranking of prompts is at saving calls to the strong model. The metric is RouteLLM's average performance gap
 * recovered (arXiv 2406.18665).
 */

export interface Outcome {
  readonly score: number
  readonly weak: number
  readonly strong: number
  /** How much the prompt counts; 1 when absent. */
  readonly weight?: number
}

/**
 * The prompts with the highest scores go to the strong model. At each share of strong calls, how much of the quality between all-weak
 * (0) and all-strong (1) is reached; the mean over all shares. Chance gives 0.5. Equal scores are taken as in random order. NaN when
 * the models are equally good.
 */
export const apgr = (outcomes: ReadonlyArray<Outcome>): number =>
  areaOf(
    outcomes.toSorted((a, b) => b.score - a.score),
    (index, sorted) => sorted[index]!.weight ?? 1
  )

/** The middle 95 % of the APGR over `resamples` of the prompts, drawn with `random` (0 ≤ x < 1). */
export const apgrInterval = (
  outcomes: ReadonlyArray<Outcome>,
  random: () => number,
  resamples = 200
): readonly [number, number] => {
  const sorted = outcomes.toSorted((a, b) => b.score - a.score)
  const areas = Array.from({ length: resamples }, () => {
    const drawn = new Uint16Array(sorted.length)
    for (let i = 0; i < sorted.length; i++) drawn[Math.floor(random() * sorted.length)]! += 1
    return areaOf(sorted, (index) => drawn[index]!)
  }).toSorted((a, b) => a - b)
  return [areas[Math.floor(resamples * 0.025)]!, areas[Math.ceil(resamples * 0.975) - 1]!]
}

const areaOf = (
  sorted: ReadonlyArray<Outcome>,
  weightAt: (index: number, sorted: ReadonlyArray<Outcome>) => number
): number => {
  let area = 0
  let gained = 0
  let total = 0
  for (let from = 0; from < sorted.length;) {
    let gain = 0
    let weight = 0
    const { score } = sorted[from]!
    for (; from < sorted.length && sorted[from]!.score === score; from++) {
      const each = weightAt(from, sorted)
      weight += each
      gain += each * (sorted[from]!.strong - sorted[from]!.weak)
    }
    area += weight * (gained + gain / 2)
    gained += gain
    total += weight
  }
  return area / (total * gained)
}

/** A stream of numbers 0 ≤ x < 1 that is the same for the same seed (mulberry32). */
export const seededRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
