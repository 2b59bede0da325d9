/** What keys and teams are allowed: budgets of money and limits of requests and tokens. Times are epoch milliseconds everywhere. */
import type { NanoUsd } from "./Money.ts"

/** Times are epoch milliseconds everywhere. */
export const windows = ["hour", "day", "week", "month", "total"] as const

export type Window = (typeof windows)[number]

export interface Budget {
  readonly limit: NanoUsd
  readonly window: Window
  /** IANA name, e.g. `UTC`, `Europe/Berlin`: where hour, day, week and month begin. */
  readonly timeZone: string
}

/** Per minute, per minute, at once; undefined is unlimited. */
export interface Limits {
  readonly rpm: number | undefined
  readonly tpm: number | undefined
  readonly maxParallel: number | undefined
}
