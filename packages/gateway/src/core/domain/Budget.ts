/** What keys and teams may use: money budgets, and limits of requests and tokens. All times are epoch milliseconds. */
import type { NanoUsd } from "./Money.ts"

export const windows = ["hour", "day", "week", "month", "total"] as const

export type Window = (typeof windows)[number]

export interface Budget {
  readonly limit: NanoUsd
  readonly window: Window
  /** IANA name, e.g. `UTC`, `Europe/Berlin`: where hour, day, week and month begin. */
  readonly timeZone: string
}

/** Requests per minute, tokens per minute, requests at once; undefined is unlimited. */
export interface Limits {
  readonly rpm: number | undefined
  readonly tpm: number | undefined
  readonly maxParallel: number | undefined
}
