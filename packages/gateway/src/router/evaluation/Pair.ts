/** Which two of the deployments in an outcomes file are told apart: the one to save calls to, and the one that takes them. */
import { Result } from "effect"
import type { OutcomeRow } from "../Outcomes.ts"

/** What is known of one deployment, over all rows that name it. */
export interface Answered {
  readonly name: string
  readonly rows: number
  /** Mean, 0 to 1. */
  readonly quality: number
  /** Mean of a request, in USD; undefined unless every row says. */
  readonly costUsd: number | undefined
}

export interface Pair {
  readonly weak: string
  readonly strong: string
}

/** The deployments that a file names, those in most rows first. */
export const answeredIn = (rows: ReadonlyArray<OutcomeRow>): ReadonlyArray<Answered> => {
  const sums = new Map<string, { rows: number; quality: number; cost: number | undefined }>()
  for (const { outcomes } of rows) {
    for (const [name, { costUsd, quality }] of outcomes) {
      const sum = sums.get(name) ?? { rows: 0, quality: 0, cost: 0 }
      sum.rows += 1
      sum.quality += quality
      sum.cost = sum.cost === undefined || costUsd === undefined ? undefined : sum.cost + costUsd
      sums.set(name, sum)
    }
  }
  return Array.from(sums, ([name, { cost, quality, rows: count }]) => ({
    name,
    rows: count,
    quality: quality / count,
    costUsd: cost === undefined ? undefined : cost / count
  })).toSorted((a, b) => b.rows - a.rows || (a.name < b.name ? -1 : 1))
}

/**
 * The pair, of those that answered at least half as often as the busiest: strong is the best, weak the cheapest of the others, or the
 * worst where costs are not known. What `named` says goes first. Fails with a sentence when there is no such pair.
 */
export const pairIn = (rows: ReadonlyArray<OutcomeRow>, named: Partial<Pair> = {}): Result.Result<Pair, string> => {
  const all = answeredIn(rows)
  const names = all.map(({ name }) => name)
  const unknown = [named.weak, named.strong].find((name) => name !== undefined && !names.includes(name))
  if (unknown !== undefined) return Result.fail(`no row has an outcome of "${unknown}"; there are ${names.join(", ")}`)
  if (named.weak !== undefined && named.weak === named.strong)
    return Result.fail(`"${named.weak}" can't be both the weak and the strong deployment`)
  if (all.length < 2)
    return Result.fail(
      `outcomes of at least two deployments are needed; there are only those of ${names.join() || "none"}`
    )
  const often = all.filter(
    ({ name, rows: count }) => count * 2 >= all[0]!.rows || name === named.weak || name === named.strong
  )
  const strong =
    named.strong ??
    best(
      often.filter(({ name }) => name !== named.weak),
      ({ quality }) => quality
    )
  const others = often.filter(({ name }) => name !== strong)
  const isPriced = others.every(({ costUsd }) => costUsd !== undefined)
  const weak = named.weak ?? best(others, ({ costUsd, quality }) => -(isPriced ? costUsd! : quality))
  if (weak === undefined || strong === undefined) {
    return Result.fail(`only ${all[0]!.name} answered often enough to be compared; name two deployments`)
  }
  return Result.succeed({ weak, strong })
}

const best = (from: ReadonlyArray<Answered>, worth: (one: Answered) => number): string | undefined =>
  from.toSorted((a, b) => worth(b) - worth(a))[0]?.name
