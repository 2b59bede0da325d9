/** What is counted of traffic: sums, and histograms of times. Amounts in nano-USD, times in milliseconds. */
import { LogHistogram } from "../collections/LogHistogram.ts"

/** New ones go to the end: stored rows are lists in this order. */
export const counters = [
  "requests",
  "ok",
  "failed",
  "cut",
  "clientGone",
  "refused",
  "retried",
  "attempts",
  "input",
  "cachedInput",
  "output",
  "reasoning",
  "cost",
  "estimatedCost",
  "autoRequests",
  "autoCost",
  "autoBaseline"
] as const

export type Counter = (typeof counters)[number]

export type TrafficCounts = { -readonly [Name in Counter]: number }

export class TrafficSums implements TrafficCounts {
  requests = 0
  ok = 0
  failed = 0
  cut = 0
  clientGone = 0
  refused = 0
  /** Requests that took more than one attempt. */
  retried = 0
  attempts = 0
  input = 0
  cachedInput = 0
  output = 0
  reasoning = 0
  cost = 0
  estimatedCost = 0
  autoRequests = 0
  autoCost = 0
  autoBaseline = 0
  /** Epoch ms; 0: nothing yet. */
  lastAt = 0
  /** Of whole answers. */
  readonly latency: LogHistogram
  readonly firstToken: LogHistogram
  /** What the gateway itself took. */
  readonly overhead: LogHistogram
  /** Output tokens a second, after the first. */
  readonly pace: LogHistogram

  constructor(
    latency = new LogHistogram(),
    firstToken = new LogHistogram(),
    overhead = new LogHistogram(),
    pace = new LogHistogram()
  ) {
    this.latency = latency
    this.firstToken = firstToken
    this.overhead = overhead
    this.pace = pace
  }

  merge(other: TrafficSums): void {
    for (const name of counters) this[name] += other[name]
    if (other.lastAt > this.lastAt) this.lastAt = other.lastAt
    this.latency.merge(other.latency)
    this.firstToken.merge(other.firstToken)
    this.overhead.merge(other.overhead)
    this.pace.merge(other.pace)
  }
}

type Body = readonly [
  counts: ReadonlyArray<number>,
  lastAt: number,
  latency: ReadonlyArray<number>,
  firstToken: ReadonlyArray<number>,
  overhead: ReadonlyArray<number>,
  pace: ReadonlyArray<number>
]

/** As text, for a store. */
export const encodeSums = (sums: TrafficSums): string =>
  JSON.stringify([
    counters.map((name) => sums[name]),
    sums.lastAt,
    sums.latency,
    sums.firstToken,
    sums.overhead,
    sums.pace
  ])

export const decodeSums = (body: string): TrafficSums => {
  const [counts, lastAt, ...times] = JSON.parse(body) as Body
  const sums = new TrafficSums(...times.map((one) => LogHistogram.of(one)))
  for (const [index, name] of counters.entries()) sums[name] = counts[index] ?? 0
  sums.lastAt = lastAt
  return sums
}
