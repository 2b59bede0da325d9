/** What is told of the books of a store. */

/** Money in nano-USD. */
export interface Totals {
  readonly closed: bigint
  readonly cost: bigint
  readonly estimatedCost: bigint
  /** Rows of attempts under way, or of a process that died: the next start closes those. */
  readonly open: bigint
  readonly reserved: bigint
  readonly rollups: bigint
  readonly windows: bigint
}

/** Two books that disagree about one sum. */
export interface Difference {
  readonly kind: "rollup" | "window" | "block"
  /** E.g. `hour=2026-03-01T10:00:00.000Z key_id=key_1 …`, or `key:key_1 day@UTC from 2026-03-01T00:00:00.000Z`. */
  readonly of: string
  /** Which sum: a column of the rollup, or `spent`. */
  readonly sum: string
  /** What the ledger's rows add up to; for a window: what the rollups and rows of its time do. */
  readonly expected: bigint
  readonly found: bigint
}

/** A row of the table as it is: "" for none in `team`, null in the prices. */
export type ClosedRow = { readonly [column: string]: number | string | null }

/** Epoch ms, inclusive and exclusive, of the time of the attempt; undefined: no bound. */
export interface AttemptPeriod {
  readonly from: number | undefined
  readonly to: number | undefined
}
