/**
 * How sure the figures are: the same figures over many draws of the prompts, with replacement. Each ranking is sorted once; a draw is
 * nothing but how often each prompt counts, and all rankings see the same draws, so that they can be compared pair by pair.
 */
import {
  type FigureName,
  figureNames,
  type Figures,
  figuresOf,
  type OutcomeSet,
  type Ranking,
  totalsOf
} from "../metrics/Metrics.ts"

type Interval = readonly [low: number, high: number]

export interface Estimate {
  readonly value: number
  /** The middle 95 % of the draws. NaN where fewer than nine in ten draws give the figure a meaning. */
  readonly interval: Interval
}

export type Estimates = Readonly<Record<FigureName, Estimate>>

export interface Draws {
  readonly figures: Figures
  /** One for each draw, in the order of the draws. */
  readonly drawn: ReadonlyArray<Figures>
}

interface BootstrapOptions {
  /** 0 ≤ x < 1; a seeded one makes the intervals the same each time. */
  readonly random: () => number
  readonly draws?: number
  readonly qualityShare?: number
}

export const DEFAULT_DRAWS = 1_000

/** The figures of each ranking of the same prompts, and of the draws. 12,000 prompts drawn 1,000 times take about a second. */
export const bootstrap = <Name extends string>(
  set: OutcomeSet,
  rankings: Readonly<Record<Name, Ranking>>,
  { draws = DEFAULT_DRAWS, qualityShare, random }: BootstrapOptions
): Readonly<Record<Name, Draws>> => {
  const count = set.weak.length
  const names = Object.keys(rankings) as Array<Name>
  const once = new Uint16Array(count).fill(1)
  const results = Object.fromEntries(
    names.map((name) => [
      name,
      { figures: figuresOf(set, rankings[name], once, qualityShare), drawn: [] as Array<Figures> }
    ])
  ) as Record<Name, { readonly figures: Figures; readonly drawn: Array<Figures> }>
  const times = new Uint16Array(count)
  for (let draw = 0; draw < draws; draw++) {
    times.fill(0)
    for (let i = 0; i < count; i++) times[Math.floor(random() * count)]! += 1
    const totals = totalsOf(set, times)
    for (const name of names) results[name].drawn.push(figuresOf(set, rankings[name], times, qualityShare, totals))
  }
  return results
}

/** Value and interval of every figure. */
export const estimatesOf = ({ drawn, figures }: Draws): Estimates =>
  Object.fromEntries(
    figureNames.map((name) => [
      name,
      { value: figures[name], interval: intervalOf(drawn.map((each) => each[name])) } satisfies Estimate
    ])
  ) as Record<FigureName, Estimate>

/** The figures of several independent sets of prompts, averaged: of the whole, and draw by draw. */
export const meanOf = (sets: ReadonlyArray<Draws>): Draws => {
  const averaged = (all: ReadonlyArray<Figures>): Figures =>
    Object.fromEntries(
      figureNames.map((name) => [name, all.reduce((sum, each) => sum + each[name], 0) / all.length])
    ) as unknown as Figures
  return {
    figures: averaged(sets.map(({ figures }) => figures)),
    drawn: sets[0]!.drawn.map((_, draw) => averaged(sets.map(({ drawn }) => drawn[draw]!)))
  }
}

/** How far the APGR of one ranking is above another's, on the same draws. */
export const lead = (ours: Draws, theirs: Draws): Estimate => ({
  value: ours.figures.apgr - theirs.figures.apgr,
  interval: intervalOf(ours.drawn.map((each, draw) => each.apgr - theirs.drawn[draw]!.apgr))
})

/** The middle 95 % of `values`. */
export const intervalOf = (values: ReadonlyArray<number>): Interval => {
  const sorted = Float64Array.from(values.filter((value) => !Number.isNaN(value))).sort()
  if (sorted.length === 0 || sorted.length < values.length * 0.9) return [Number.NaN, Number.NaN]
  return [sorted[Math.floor(sorted.length * 0.025)]!, sorted[Math.ceil(sorted.length * 0.975) - 1]!]
}
