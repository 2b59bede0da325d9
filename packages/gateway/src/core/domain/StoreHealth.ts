/** How the store fares: read when somebody asks (readiness, metrics), never on the hot path. */
import { Context } from "effect"

export interface StoreTrouble {
  /** In words, for the log and the operator. */
  readonly message: string
  /** Epoch milliseconds. */
  readonly since: number
}

export class StoreHealth extends Context.Service<
  StoreHealth,
  {
    /** Why writes are refused; undefined while all is well. */
    readonly trouble: () => StoreTrouble | undefined
    /** Milliseconds that the oldest write has been waiting to be on disk; 0 when none waits. */
    readonly lagMs: () => number
    /** Milliseconds the last commit took, failed or not; 0 before the first. */
    readonly lastCommitMs: () => number
    /** Transactions so far, those that failed included. */
    readonly commits: () => number
  }
>()("gateway/core/StoreHealth") {}
