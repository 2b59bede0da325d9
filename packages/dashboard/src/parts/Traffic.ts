/** The admin API's traffic, as charts and tiles want it. */
import { useEffect, useState } from "preact/hooks"
import { gatewayNow, onClock } from "../api/Clock.ts"
import type { TrafficReport, TrafficRow } from "@model-gateway/protocol"

const HOUR_MS = 3_600_000

export const ranges = {
  "1h": { ms: HOUR_MS, interval: "minute", stepMs: 60_000 },
  "24h": { ms: 24 * HOUR_MS, interval: "hour", stepMs: HOUR_MS },
  "7d": { ms: 7 * 24 * HOUR_MS, interval: "hour", stepMs: HOUR_MS },
  "30d": { ms: 30 * 24 * HOUR_MS, interval: "day", stepMs: 24 * HOUR_MS }
} as const
export type RangeName = keyof typeof ranges

/** Until now, and the time before that is as long. */
const spanOf = (name: RangeName) => {
  const { interval, ms, stepMs } = ranges[name]
  const from = Math.ceil((gatewayNow() - ms) / stepMs) * stepMs
  const iso = (at: number) => new Date(at).toISOString()
  return {
    name,
    interval,
    from: iso(from),
    before: iso(from - ms),
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone
  }
}

const MOVES_MS = 60_000

/** The span that ends now, as long as the page is open: it moves on with the time. */
export const useSpan = (name: RangeName) => {
  const [span, setSpan] = useState(() => spanOf(name))
  useEffect(() => {
    const move = () => setSpan((old) => (old.from === spanOf(name).from ? old : spanOf(name)))
    move()
    const timer = setInterval(() => {
      if (!document.hidden) move()
    }, MOVES_MS)
    const stop = onClock(move)
    return () => {
      clearInterval(timer)
      stop()
    }
  }, [name])
  return span.name === name ? span : spanOf(name)
}

/** The beginnings of all intervals of a report, those without traffic too. */
export const byTime = ({ from, interval, to }: TrafficReport): ReadonlyArray<number> => {
  const last = Date.parse(to)
  const times: Array<number> = []
  let at = Date.parse(from)
  while (at < last && times.length < 1000) {
    times.push(at)
    at = nextOf(at, interval ?? "hour")
  }
  return times
}

/** A day has 23 or 25 hours twice a year; the report counts in the viewer's zone, and so does this. */
const nextOf = (at: number, interval: "minute" | "hour" | "day"): number => {
  if (interval === "minute") return at + 60_000
  if (interval === "hour") return at + HOUR_MS
  const date = new Date(at)
  date.setDate(date.getDate() + 1)
  return date.getTime()
}

/** A value for each time, summed over those rows that count; null: no row. */
export const pick = (
  { rows }: TrafficReport,
  times: ReadonlyArray<number>,
  value: (row: TrafficRow) => number | null,
  counts: (row: TrafficRow) => boolean = () => true
): ReadonlyArray<number | null> => {
  const places = new Map(times.map((time, index) => [time, index]))
  const found = Array.from(times, (): number | null => null)
  for (const row of rows) {
    const place = places.get(Date.parse(row.start ?? ""))
    const one = value(row)
    if (place !== undefined && one !== null && counts(row)) found[place] = (found[place] ?? 0) + one
  }
  return found
}

export interface Leader {
  readonly name: string
  /** The deployments in it: one, or all that are not among the first. null: none was chosen. */
  readonly names: ReadonlySet<string | null>
  readonly requests: number
  readonly failed: number
  readonly cost: number
}

const NONE = "none chosen"

/** The dearest deployments, and all others as one, so that everything adds up. */
export const leaders = ({ rows }: TrafficReport, most: number): ReadonlyArray<Leader> => {
  const sums = new Map<string | null, { requests: number; failed: number; cost: number }>()
  for (const { cost_usd, cut, deployment = null, failed, requests } of rows) {
    const sum = sums.get(deployment) ?? { requests: 0, failed: 0, cost: 0 }
    sum.requests += requests
    sum.failed += failed + cut
    sum.cost += cost_usd
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
      failed: sumOf(({ failed }) => failed),
      cost: sumOf(({ cost }) => cost)
    }
  ]
}

/** What answers to `auto` would have cost at the strongest bucket, less what they did cost. */
export const savedBy = ({ rows }: TrafficReport): number =>
  rows
    .filter(({ bucket }) => bucket !== undefined && bucket !== null && bucket !== "none")
    .reduce((sum, { auto_baseline_usd, cost_usd }) => sum + auto_baseline_usd - cost_usd, 0)
