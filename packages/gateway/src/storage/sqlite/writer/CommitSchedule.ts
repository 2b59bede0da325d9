/**
 * When the next transaction begins. A commit with its way to the disk costs as much CPU as a hundred of its rows, so what comes at
 * about the same time shares one: the operations of one turn of the event loop, of several turns where each brings more, and of a
 * millisecond where commits follow closely on each other, unless enough have come before.
 */
import { performance } from "node:perf_hooks"
import { Effect } from "effect"

/** Operations in one transaction: about 20 ms of work at most, so that other work gets its turn. */
export const MAX_GROUP = 1000

/** Turns of the event loop that may share a transaction. */
const MAX_TURNS = 8

/**
 * Milliseconds that an answer waits for company. At 1,000 requests a second there are 0.46 commits of a request then; two milliseconds
 * made 0.3 and four 0.2, but every answer would wait for them.
 */
const COMPANY_MS = 1

/** After this much silence a commit waits for nobody: company would hardly come in time. Added to `COMPANY_MS`. */
const SILENCE_MS = 1

/** Operations after which a commit waits for no more: among so many it is cheap. */
export const ENOUGH = 64

/** The queue whose transactions are scheduled. */
interface CommitQueue {
  readonly waiting: number
  /** One of them waits for no company. */
  readonly isHurried: boolean
  flush(): void
}

export interface CommitSchedule {
  /** Nothing ever waits. */
  readonly isAtOnce: boolean
  /** Flushes the queue when it is time. Called again only after that. */
  soon(queue: CommitQueue): void
  /** In the meantime more came that somebody waits for. */
  more(queue: CommitQueue): void
}

/** In memory there is no disk to share: commits need not wait for their turn, and tests see no timing. */
export const atOnce: CommitSchedule = { isAtOnce: true, soon: (queue) => queue.flush(), more: () => {} }

/** By the system's own clock, as disks know no other. */
const inCompany = (begin: () => void, ms: number): void => void Effect.runFork(Effect.delay(Effect.sync(begin), ms))

export class InCompany implements CommitSchedule {
  readonly isAtOnce = false
  private readonly now: () => number
  private readonly later: (begin: () => void, ms: number) => void
  private lastAt = Number.NEGATIVE_INFINITY
  /** Counts the waits for company, so that one that was cut short is not mistaken for the next. */
  private waits = 0
  private isWaiting = false

  /** `now`: milliseconds. `later`: calls back after so many. */
  constructor(now: () => number = () => performance.now(), later: (begin: () => void, ms: number) => void = inCompany) {
    this.now = now
    this.later = later
  }

  soon(queue: CommitQueue): void {
    const now = this.now()
    if (isUrgent(queue) || now - this.lastAt >= COMPANY_MS + SILENCE_MS) this.next(queue)
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
    }, COMPANY_MS)
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

const isUrgent = ({ isHurried, waiting }: CommitQueue): boolean => isHurried || waiting >= ENOUGH
