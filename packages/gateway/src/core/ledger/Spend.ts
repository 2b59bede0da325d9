/** Queries of the ledger's sums, and their results. */
import type { NanoUsd } from "../domain/Money.ts"
import type { Visibility } from "../domain/Principal.ts"
import type { Usage } from "../domain/Usage.ts"

/** `end_user`, `session`, `client` and `user` exclude each other, and leave out requests that have none. */
export const spendDimensions = [
  "key",
  "team",
  "model",
  "provider",
  "tag",
  "end_user",
  "session",
  "client",
  "user",
  "hour",
  "day",
  "month"
] as const

export type SpendDimension = (typeof spendDimensions)[number]

export interface SpendQuery {
  readonly visibility: Visibility
  /** From inclusive, to exclusive, epoch milliseconds. */
  readonly from: number
  readonly to: number
  readonly timeZone: string
  readonly key: string | undefined
  readonly team: string | undefined
  readonly model: string | undefined
  readonly provider: string | undefined
  /** The ID of an end user, whoever its owner is. */
  readonly endUser?: string | undefined
  readonly session?: string | undefined
  readonly client?: string | undefined
  /** The id of a person: what the personal keys spent. */
  readonly user?: string | undefined
  readonly groupBy: ReadonlyArray<SpendDimension>
  /** The most rows to return, highest cost first; undefined for all. */
  readonly limit?: number | undefined
}

/** `group`: the value of each requested dimension, in order; null where there is none (a key without a team). */
export interface SpendRow {
  readonly group: ReadonlyArray<string | null>
  readonly cost: NanoUsd
  readonly estimatedCost: NanoUsd
  readonly requests: number
  readonly failedRequests: number
  readonly inputTokens: number
  readonly cachedInputTokens: number
  readonly outputTokens: number
  readonly reasoningTokens: number
  /** Requests for `auto`, failed ones included; their cost; and the baseline cost of their responses. */
  readonly autoRequests: number
  readonly autoCost: NanoUsd
  readonly autoBaseline: NanoUsd
  /** Requests that the cache answered, and what their responses had cost, where there were any. */
  readonly cacheHits?: number
  readonly cacheSaved?: NanoUsd
  readonly lastAt: number
  /** Fees, images and other units besides tokens, if any. */
  readonly units?: Partial<Usage>
}
