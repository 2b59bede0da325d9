/** When the writer of a store began to wait, and how long its commits take. A few assignments for each transaction, none per write. */
import { performance } from "node:perf_hooks"
import type { Clock } from "effect"

export class CommitTimes {
  lastCommitMs = 0
  /** Epoch milliseconds; undefined while the store is well. */
  troubleSince: number | undefined
  /** When the oldest write joined the queue; undefined when none waits. */
  private queuedAt: number | undefined
  private beganAt = 0
  private syncBeganAt = 0
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** A write waits, the first one or not. */
  queued(): void {
    this.queuedAt ??= this.clock.currentTimeMillisUnsafe()
  }

  /** None waits any more. */
  idle(): void {
    this.queuedAt = undefined
  }

  began(): void {
    this.beganAt = performance.now()
  }

  /** Of a commit that went well nothing is left; what did not fit into it counts from now. */
  ended(inTrouble: boolean): void {
    this.lastCommitMs = performance.now() - this.beganAt
    this.troubleSince = inTrouble ? (this.troubleSince ?? this.clock.currentTimeMillisUnsafe()) : undefined
    if (!inTrouble) this.idle()
  }

  syncBegan(): void {
    this.syncBeganAt = performance.now()
  }

  /** A commit took as long as it takes to be on disk. */
  synced(): void {
    this.lastCommitMs += performance.now() - this.syncBeganAt
  }

  lagMs(): number {
    return this.queuedAt === undefined ? 0 : Math.max(0, this.clock.currentTimeMillisUnsafe() - this.queuedAt)
  }
}
