/** What is asked of the ledger's sums, and what it answers. */
import type { NanoUsd } from "../domain/Money.ts"
import type { Usage } from "../domain/Usage.ts"

export const spendDimensions = ["key", "team", "model", "provider", "tag", "hour", "day", "month"] as const

export type SpendDimension = (typeof spendDimensions)[number]

export interface SpendQuery {
  /** Inclusive and exclusive, epoch ms. */
  readonly from: number
  readonly to: number
  readonly timeZone: string
  readonly key: string | undefined
  readonly team: string | undefined
  readonly model: string | undefined
  readonly provider: string | undefined
  readonly groupBy: ReadonlyArray<SpendDimension>
  /** At most so many rows, the dearest; all of them when undefined. */
  readonly limit?: number | undefined
}

/** `group` has the value of each dimension asked for, in order; null where there is none (a key without a team). */
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
  /** Requests that asked for `auto`, failed ones included, what they cost, and what their answers would have at the baseline. */
  readonly autoRequests: number
  readonly autoCost: NanoUsd
  readonly autoBaseline: NanoUsd
  readonly lastAt: number
  /** Fees, images and what else is no token, as far as there is some. */
  readonly units?: Partial<Usage>
}
