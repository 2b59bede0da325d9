/** The counts of traffic: sums, and histograms of times. Amounts in nano-USD, times in milliseconds. */
import { LogHistogram } from "../collections/LogHistogram.ts"

/** New ones go to the end, because stored rows are lists in this order. */
const counters = [
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
  "autoBaseline",
  "unpriced"
] as const

export type Counter = (typeof counters)[number]

export type TrafficCounts = { -readonly [Name in Counter]: number }

export const SCORE_CLASSES = 20

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
  /** Requests with a response of unknown price, which cost nothing here. */
  unpriced = 0
  /** The number of requests by score of `auto`, in 20 classes from 0 to 1. Zeros at the end are omitted. */
  readonly scores: Array<number> = []
  /** Epoch ms; 0: nothing yet. */
  lastAt = 0
  /** Of complete responses. */
  readonly latency: LogHistogram
  readonly firstToken: LogHistogram
  /** Time spent in the gateway itself. */
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

  /** `score`: 0 to 1. */
  scored(score: number): void {
    this.addScores(Math.min(SCORE_CLASSES - 1, Math.floor(score * SCORE_CLASSES)), 1)
  }

  private addScores(place: number, count: number): void {
    while (this.scores.length <= place) this.scores.push(0)
    this.scores[place]! += count
  }

  merge(other: TrafficSums): void {
    for (const [place, count] of other.scores.entries()) this.addScores(place, count)
    for (const name of counters) this[name] += other[name]
    if (other.lastAt > this.lastAt) this.lastAt = other.lastAt
    this.latency.merge(other.latency)
    this.firstToken.merge(other.firstToken)
    this.overhead.merge(other.overhead)
    this.pace.merge(other.pace)
  }
}

type StoredSums = readonly [
  counts: ReadonlyArray<number>,
  lastAt: number,
  latency: ReadonlyArray<number>,
  firstToken: ReadonlyArray<number>,
  overhead: ReadonlyArray<number>,
  pace: ReadonlyArray<number>,
  /** Left out where there are none. */
  scores?: ReadonlyArray<number>
]

/** As text, for a store. */
export const encodeSums = (sums: TrafficSums): string =>
  JSON.stringify([
    counters.map((name) => sums[name]),
    sums.lastAt,
    sums.latency,
    sums.firstToken,
    sums.overhead,
    sums.pace,
    ...(sums.scores.length === 0 ? [] : [sums.scores])
  ])

export const decodeSums = (body: string): TrafficSums => {
  const [counts, lastAt, latency, firstToken, overhead, pace, scores = []] = JSON.parse(body) as StoredSums
  const times = [latency, firstToken, overhead, pace].map((one) => LogHistogram.of(one))
  const sums = new TrafficSums(...times)
  sums.scores.push(...scores)
  for (const [index, name] of counters.entries()) sums[name] = counts[index] ?? 0
  sums.lastAt = lastAt
  return sums
}
