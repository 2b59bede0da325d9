/**
 * Decides when the next transaction begins. A commit and its sync cost as much CPU as a hundred rows, so operations are batched:
 * of one event-loop iteration, of several where each adds more, and of one millisecond under load.
 */
import { performance } from "node:perf_hooks"
import { Effect } from "effect"

/** The most operations in one transaction. They take at most about 20 ms, so that other work is not delayed longer. */
export const MAX_GROUP = 1000

/** The most event-loop iterations that share a transaction. */
const MAX_TURNS = 8

/** A longer wait saves commits but delays responses: 0.46 commits per request with 1 ms at 1,000/s, 0.3 with 2 ms (`npm run bench:proxy`). */
const BATCH_MS = 1

/** Milliseconds without a commit, beyond `BATCH_MS`, after which an operation does not wait for a batch. */
const SILENCE_MS = 1

/** A batch of this many operations is committed without waiting for more. */
export const FULL_BATCH = 64

/** The queue whose transactions are scheduled. */
interface CommitQueue {
  readonly waiting: number
  /** An operation in the queue must not wait for a batch. */
  readonly isUrgent: boolean
  flush(): void
}

export interface CommitSchedule {
  /** No operation ever waits. */
  readonly isAtOnce: boolean
  /** Flushes the queue when it is time. Called again only after that flush. */
  soon(queue: CommitQueue): void
  /** More awaited operations were queued before the flush. */
  more(queue: CommitQueue): void
}

/** Commits immediately. A database in memory has no disk to share, and tests see no delay. */
export const atOnce: CommitSchedule = { isAtOnce: true, soon: (queue) => queue.flush(), more: () => {} }

/** Waits by the system clock, because disks do not follow a test clock. */
const afterWait = (begin: () => void, ms: number): void => void Effect.runFork(Effect.delay(Effect.sync(begin), ms))

export class InCompany implements CommitSchedule {
  readonly isAtOnce = false
  private readonly now: () => number
  private readonly later: (begin: () => void, ms: number) => void
  private lastAt = Number.NEGATIVE_INFINITY
  /** Counts the waits for a batch, so that a wait that was cut short is not mistaken for the next one. */
  private waits = 0
  private isWaiting = false

  /** `now` returns milliseconds. `later` calls back after that many milliseconds. */
  constructor(now: () => number = () => performance.now(), later: (begin: () => void, ms: number) => void = afterWait) {
    this.now = now
    this.later = later
  }

  soon(queue: CommitQueue): void {
    const now = this.now()
    if (isUrgent(queue) || now - this.lastAt >= BATCH_MS + SILENCE_MS) this.next(queue)
    else this.wait(queue)
  }

  more(queue: CommitQueue): void {
    if (!this.isWaiting) return
    if (isUrgent(queue)) this.next(queue)
  }

  private wait(queue: CommitQueue): void {
    const wait = ++this.waits
    this.isWaiting = true
    this.later(() => {
      if (this.isWaiting && wait === this.waits) this.begin(queue)
    }, BATCH_MS)
  }

  private next(queue: CommitQueue): void {
    this.isWaiting = false
    setImmediate(this.turn, queue, 1, 0)
  }

  private readonly turn = (queue: CommitQueue, turn: number, seen: number): void => {
    const { waiting } = queue
    if (waiting !== seen && turn < MAX_TURNS && waiting < MAX_GROUP) setImmediate(this.turn, queue, turn + 1, waiting)
    else this.begin(queue)
  }

  private begin(queue: CommitQueue): void {
    this.isWaiting = false
    if (queue.waiting > 0) this.lastAt = this.now()
    queue.flush()
  }
}

const isUrgent = ({ isUrgent, waiting }: CommitQueue): boolean => isUrgent || waiting >= FULL_BATCH
