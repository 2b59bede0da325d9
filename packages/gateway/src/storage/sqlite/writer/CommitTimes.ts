/** When the writer began to wait, and how long its commits take. */
import { performance } from "node:perf_hooks"
import type { Clock } from "effect"

export class CommitTimes {
  lastCommitMs = 0
  /** Epoch milliseconds of the first failed commit; undefined while the store is healthy. */
  troubleSince: number | undefined
  /** When the oldest write joined the queue; undefined while the queue is empty. */
  private queuedAt: number | undefined
  private beganAt = 0
  private syncBeganAt = 0
  private readonly clock: Clock.Clock

  constructor(clock: Clock.Clock) {
    this.clock = clock
  }

  /** A write was queued, whether or not it is the first. */
  queued(): void {
    this.queuedAt ??= this.clock.currentTimeMillisUnsafe()
  }

  /** The queue is empty. */
  idle(): void {
    this.queuedAt = undefined
  }

  began(): void {
    this.beganAt = performance.now()
  }

  /** A commit ended. After a success, writes that did not fit into it count from now. */
  ended(inTrouble: boolean): void {
    this.lastCommitMs = performance.now() - this.beganAt
    this.troubleSince = inTrouble ? (this.troubleSince ?? this.clock.currentTimeMillisUnsafe()) : undefined
    if (!inTrouble) this.idle()
  }

  syncBegan(): void {
    this.syncBeganAt = performance.now()
  }

  /** A commit counts until it is on disk. */
  synced(): void {
    this.lastCommitMs += performance.now() - this.syncBeganAt
  }

  lagMs(): number {
    return this.queuedAt === undefined ? 0 : Math.max(0, this.clock.currentTimeMillisUnsafe() - this.queuedAt)
  }
}
