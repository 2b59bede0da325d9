/** The state of the store, read on demand (readiness, metrics) and never on the hot path. */
import { Context } from "effect"
import type { StoreUnavailable } from "./Errors.ts"

interface StoreTrouble {
  /** A sentence for the log and the operator. */
  readonly message: string
  /** Epoch milliseconds. */
  readonly since: number
  /** In a word that is safe to show to any client. */
  readonly reason: "refused" | NonNullable<StoreUnavailable["reason"]>
}

export interface StoreFile {
  /** Null: the store is in memory. */
  readonly path: string | null
  readonly bytes: number
  /** The number of the last change of its tables. */
  readonly schema: number
}

export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Why writes are refused; undefined while they are not. */
    readonly trouble: () => StoreTrouble | undefined
    readonly file: () => StoreFile
    /** How long the oldest unwritten row has been waiting, in ms; 0 when none waits. */
    readonly lagMs: () => number
    /** How long the last commit took, successful or not, in ms; 0 before the first. */
    readonly lastCommitMs: () => number
    /** Transactions so far, including failed ones. */
    readonly commits: () => number
  }
>()("gateway/core/StoreHealth") {}
