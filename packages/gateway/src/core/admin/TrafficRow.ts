/**
 * Traffic in rows: what happened in one interval, by where requests went (`fleet`), or by who sent them (`callers`). One cut for
 * both would have as many rows as requests.
 */
import type { TrafficSums } from "./TrafficSums.ts"

const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** Milliseconds of each grain, in UTC, and how long its rows are kept. Callers have no minutes. */
export const grains = {
  minute: { ms: MINUTE_MS, keepMs: 48 * HOUR_MS },
  hour: { ms: HOUR_MS, keepMs: 90 * DAY_MS },
  day: { ms: DAY_MS, keepMs: 2 * 366 * DAY_MS }
} as const

export type Grain = keyof typeof grains

export const cuts = ["fleet", "callers"] as const

export type TrafficCut = (typeof cuts)[number]

/** "" if there is none. New ones go to the end, because stored rows are lists in this order. */
export const dimensions = [
  "deployment",
  "provider",
  "model",
  "bucket",
  "endpoint",
  "stream",
  "status",
  "error",
  "limit",
  "key",
  "team",
  "tags"
] as const

export type Dimension = (typeof dimensions)[number]

export type Dimensions = { readonly [Name in Dimension]: string }

/** The dimensions that rows of a cut have, in the order in which `TrafficRows` looks them up; the others are "". */
export const dimensionsOf: { readonly [Name in TrafficCut]: ReadonlyArray<Dimension> } = {
  fleet: ["deployment", "provider", "model", "bucket", "endpoint", "stream", "status", "error", "limit"],
  callers: ["key", "team", "tags", "status", "limit", "error"]
}

export interface TrafficRow {
  readonly cut: TrafficCut
  readonly grain: Grain
  /** Epoch ms, a multiple of the grain. */
  readonly start: number
  readonly dimensions: Dimensions
  readonly sums: TrafficSums
}

export const startOf = (grain: Grain, at: number): number => Math.floor(at / grains[grain].ms) * grains[grain].ms

/** All of them in order, for comparing and storing. No value has a line break. */
export const textOf = (found: Dimensions): string => dimensions.map((name) => found[name]).join("\n")

/** The reverse. */
export const dimensionsIn = (text: string): Dimensions => {
  const values = text.split("\n")
  return Object.fromEntries(dimensions.map((name, index) => [name, values[index] ?? ""])) as Dimensions
}
