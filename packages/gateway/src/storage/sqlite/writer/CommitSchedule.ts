/**
 * When the next transaction begins. A commit with its way to the disk costs as much CPU as a hundred of its rows, so what comes at
 * about the same time shares one: the operations of one turn of the event loop, of several turns where each brings more, and of two
 * milliseconds where commits follow closely on each other, unless enough have come before.
 */
import { performance } from "node:perf_hooks"
import { Effect } from "effect"

/** Operations in one transaction: about 20 ms of work at most, so that other work gets its turn. */
export const MAX_GROUP = 1000

/** Turns of the event loop that may share a transaction. */
const MAX_TURNS = 8

/**
 * Milliseconds after a commit's beginning in which the next one waits for company, and how long it does. At 1,000 requests a second
 * they make 0.3 commits of a request; with one millisecond of company it was 0.46.
 */
const CLOSE_MS = 3
const COMPANY_MS = 2

/** Operations that need no more company: among so many a commit is cheap. */
export const ENOUGH = 32

/** The queue whose transactions are scheduled. */
interface Queue {
  /** Operations that wait. */
  readonly waiting: number
  /** Somebody waits for one of them who does one thing after the other. */
  readonly isHurried: boolean
  flush(): void
}

export interface CommitSchedule {
  /** Nothing ever waits. */
  readonly isAtOnce: boolean
  /** Flushes the queue when it is time. Called again only after that. */
  readonly soon: (queue: Queue) => void
  /** In the meantime more came that somebody waits for. */
  readonly more: (queue: Queue) => void
}

/** In memory there is no disk to share: commits need not wait for their turn, and tests see no timing. */
export const atOnce: CommitSchedule = { isAtOnce: true, soon: (queue) => queue.flush(), more: () => {} }

/** By the system's own clock, as disks know no other. */
const inCompany = (begin: () => void): void => void Effect.runFork(Effect.delay(Effect.sync(begin), COMPANY_MS))

export class InCompany implements CommitSchedule {
  readonly isAtOnce = false
  private readonly now: () => number
  private readonly later: (begin: () => void) => void
  private lastAt = Number.NEGATIVE_INFINITY
  /** Counts the waits for company, so that one that was cut short is not mistaken for the next. */
  private waits = 0
  private isWaiting = false

  /** `now`: milliseconds. `later`: calls back when company was waited for. */
  constructor(now: () => number = () => performance.now(), later: (begin: () => void) => void = inCompany) {
    this.now = now
    this.later = later
  }

  soon(queue: Queue): void {
    if (isUrgent(queue) || this.now() - this.lastAt >= CLOSE_MS) return this.next(queue)
    const wait = ++this.waits
    this.isWaiting = true
    this.later(() => {
      if (this.isWaiting && wait === this.waits) this.begin(queue)
    })
  }

  more(queue: Queue): void {
    if (this.isWaiting && isUrgent(queue)) this.next(queue)
  }

  private next(queue: Queue): void {
    this.isWaiting = false
    setImmediate(this.turn, queue, 1, 0)
  }

  private readonly turn = (queue: Queue, turn: number, seen: number): void => {
    const { waiting } = queue
    if (waiting !== seen && turn < MAX_TURNS && waiting < MAX_GROUP) setImmediate(this.turn, queue, turn + 1, waiting)
    else this.begin(queue)
  }

  private begin(queue: Queue): void {
    this.isWaiting = false
    if (queue.waiting > 0) this.lastAt = this.now()
    queue.flush()
  }
}

const isUrgent = ({ isHurried, waiting }: Queue): boolean => isHurried || waiting >= ENOUGH
