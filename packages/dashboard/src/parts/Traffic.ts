/** The admin API's traffic, as charts and tiles want it. */
import type { TrafficReport, TrafficRow } from "@model-gateway/protocol"
import { byTime } from "./Span.ts"

/** A value for each time, summed over those rows that count; null: no row. */
export const pick = (
  { rows }: TrafficReport,
  times: ReadonlyArray<number>,
  value: (row: TrafficRow) => number | null,
  counts: (row: TrafficRow) => boolean = () => true
): ReadonlyArray<number | null> => {
  const found = Array.from(times, (): number | null => null)
  let place = 0
  // In the order of time.
  for (const row of rows) {
    const start = Date.parse(row.start ?? "")
    for (let next = times[place + 1]; next !== undefined && next <= start; next = times[place + 1]) place++
    const one = value(row)
    if (one !== null && counts(row) && place < found.length) found[place] = (found[place] ?? 0) + one
  }
  return found
}

/** How requests ended, in the order in which bars stack. */
export const endings = [
  ["completed", (row: TrafficReport["total"]) => row.ok],
  ["failed or cut", (row: TrafficReport["total"]) => row.failed + row.cut],
  ["refused", (row: TrafficReport["total"]) => row.refused],
  ["client disconnected", (row: TrafficReport["total"]) => row.client_gone]
] as const

/** As series of a chart, with what of each there is in all. */
export const seriesOf = (
  report: TrafficReport,
  show: (value: number) => string,
  of: ReadonlyArray<readonly [name: string, value: (row: TrafficReport["total"]) => number]>
) => {
  const times = byTime(report)
  return of.map(([name, value]) => ({ name, whole: show(value(report.total)), values: pick(report, times, value) }))
}

export interface Leader {
  readonly name: string
  /** The deployments in it: one, or all that are not among the first. null: none was chosen. */
  readonly names: ReadonlySet<string | null>
  readonly requests: number
  /** Answered, failed or cut; and those that failed or were cut. */
  readonly ended: number
  readonly failed: number
  readonly cost: number
  /** Answers whose price nobody knows. */
  readonly unpriced: number
}

type Sums = { -readonly [Name in Exclude<keyof Leader, "name" | "names">]: number }

const NONE = "no deployment"

/** The most expensive deployments, and all others as one, so that everything adds up. */
export const leaders = ({ rows }: TrafficReport, most: number): ReadonlyArray<Leader> => {
  const sums = new Map<string | null, Sums>()
  for (const { cost_usd, cut, deployment = null, failed, ok, requests, unpriced } of rows) {
    const sum = sums.get(deployment) ?? { requests: 0, ended: 0, failed: 0, cost: 0, unpriced: 0 }
    sum.requests += requests
    sum.ended += ok + failed + cut
    sum.failed += failed + cut
    sum.cost += cost_usd
    sum.unpriced += unpriced
    sums.set(deployment, sum)
  }
  const all = Array.from(sums, ([name, sum]): Leader => ({
    name: name ?? NONE,
    names: new Set([name]),
    ...sum
  })).toSorted((a, b) => b.cost - a.cost || b.requests - a.requests)
  if (all.length <= most) return all
  const others = all.slice(most - 1)
  const sumOf = (value: (one: Leader) => number) => others.reduce((sum, one) => sum + value(one), 0)
  return [
    ...all.slice(0, most - 1),
    {
      name: `${others.length} others`,
      names: new Set(others.flatMap(({ names }) => [...names])),
      requests: sumOf(({ requests }) => requests),
      ended: sumOf(({ ended }) => ended),
      failed: sumOf(({ failed }) => failed),
      cost: sumOf(({ cost }) => cost),
      unpriced: sumOf(({ unpriced }) => unpriced)
    }
  ]
}

/** What answers to `auto` would have cost at the strongest bucket, less what they did cost. */
export const savedBy = ({ rows }: TrafficReport): number =>
  rows
    .filter(({ bucket }) => bucket !== undefined && bucket !== null && bucket !== "none")
    .reduce((sum, { auto_baseline_usd, cost_usd }) => sum + auto_baseline_usd - cost_usd, 0)
