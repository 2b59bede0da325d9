/**
 * When the next transaction begins. A commit with its way to the disk costs as much CPU as a hundred of its rows, so what comes at
 * about the same time shares one: the operations of one turn of the event loop, of several turns where each brings more, and of some
 * milliseconds where commits follow closely on each other, unless enough have come before. An answer that took long waits longer.
 */
import { performance } from "node:perf_hooks"
import { Effect } from "effect"

/** Operations in one transaction: about 20 ms of work at most, so that other work gets its turn. */
export const MAX_GROUP = 1000

/** Turns of the event loop that may share a transaction. */
const MAX_TURNS = 8

/**
 * Milliseconds that an operation waits for company, at most and at least: a fiftieth of the time that its request took. At 1,000
 * requests a second they make 0.3 commits of a request with two milliseconds, 0.2 with four, and made 0.46 with one.
 */
const LEAST_MS = 2
const MOST_MS = 5
const PART = 1 / 50

/** How long the answer of a request that took so long may wait for company, milliseconds. */
export const patienceOf = (tookMs: number): number => Math.min(MOST_MS, Math.max(LEAST_MS, tookMs * PART))

/** After this much silence a commit waits for nobody: company would hardly come in time. Added to its patience, milliseconds. */
const SILENCE_MS = 1

/** A wait that would end so much sooner is not worth another timer, milliseconds. */
const SOONER_MS = 1

/** Operations that need no more company: among so many a commit is cheap. */
export const ENOUGH = 32

/** The queue whose transactions are scheduled. */
interface Queue {
  /** Operations that wait. */
  readonly waiting: number
  /** How long the least patient waits for company. */
  readonly patienceMs: number
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
const inCompany = (begin: () => void, ms: number): void => void Effect.runFork(Effect.delay(Effect.sync(begin), ms))

export class InCompany implements CommitSchedule {
  readonly isAtOnce = false
  private readonly now: () => number
  private readonly later: (begin: () => void, ms: number) => void
  private lastAt = Number.NEGATIVE_INFINITY
  /** Counts the waits for company, so that one that was cut short is not mistaken for the next. */
  private waits = 0
  /** When the wait ends; undefined: there is none. */
  private until: number | undefined

  /** `now`: milliseconds. `later`: calls back after so many. */
  constructor(now: () => number = () => performance.now(), later: (begin: () => void, ms: number) => void = inCompany) {
    this.now = now
    this.later = later
  }

  soon(queue: Queue): void {
    const now = this.now()
    if (isUrgent(queue) || now - this.lastAt >= queue.patienceMs + SILENCE_MS) this.next(queue)
    else this.wait(queue, now)
  }

  more(queue: Queue): void {
    if (this.until === undefined) return
    if (isUrgent(queue)) return this.next(queue)
    const now = this.now()
    if (now + queue.patienceMs + SOONER_MS <= this.until) this.wait(queue, now)
  }

  private wait(queue: Queue, now: number): void {
    const { patienceMs } = queue
    const wait = ++this.waits
    this.until = now + patienceMs
    this.later(() => {
      if (this.until !== undefined && wait === this.waits) this.begin(queue)
    }, patienceMs)
  }

  private next(queue: Queue): void {
    this.until = undefined
    setImmediate(this.turn, queue, 1, 0)
  }

  private readonly turn = (queue: Queue, turn: number, seen: number): void => {
    const { waiting } = queue
    if (waiting !== seen && turn < MAX_TURNS && waiting < MAX_GROUP) setImmediate(this.turn, queue, turn + 1, waiting)
    else this.begin(queue)
  }

  private begin(queue: Queue): void {
    this.until = undefined
    if (queue.waiting > 0) this.lastAt = this.now()
    queue.flush()
  }
}

const isUrgent = ({ patienceMs, waiting }: Queue): boolean => patienceMs === 0 || waiting >= ENOUGH
