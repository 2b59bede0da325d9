/** The state of the store, read on demand (readiness, metrics) and never on the hot path. */
import { Context } from "effect"

interface StoreTrouble {
  /** A sentence for the log and the operator. */
  readonly message: string
  /** Epoch milliseconds. */
  readonly since: number
}

export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Why writes are refused; undefined while they are not. */
    readonly trouble: () => StoreTrouble | undefined
    /** How long the oldest unwritten row has been waiting, in ms; 0 when none waits. */
    readonly lagMs: () => number
    /** How long the last commit took, successful or not, in ms; 0 before the first. */
    readonly lastCommitMs: () => number
    /** Transactions so far, including failed ones. */
    readonly commits: () => number
  }
>()("gateway/core/StoreHealth") {}
