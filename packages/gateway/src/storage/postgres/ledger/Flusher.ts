/**
 * What waits to be written to the ledger, in the order in which it came, and what of it goes together. Attempts that begin wait a little for
 * company, whatever somebody waits for goes as soon as the one before it is done. Synchronous: every request passes through here.
 */
import { Context, Effect, Latch } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../../core/ledger/LedgerJournal.ts"
import { opened, outcome, textOf, whole } from "./Rows.ts"

type Resume<A> = (effect: Effect.Effect<A, StoreUnavailable>) => void

export interface Close {
  readonly row: SettlementRow
  /** Undefined: who waited was told already. */
  resume: Resume<void> | undefined
}

export interface Opening {
  readonly charge: WindowCharge
  readonly resume: Resume<number>
}

/** What one transaction writes. */
export interface Group {
  readonly opens: ReadonlyMap<number, ReservationRow>
  readonly closes: ReadonlyArray<Close>
}

/** While the store can't be written so many attempts are remembered; new ones are refused then. */
const MAX_OWED = 10_000

/** In one group: some megabytes of JSON. */
const MAX_GROUP = 2_000

/** Windows that are known to be marked. */
const MAX_MARKED = 50_000

export class Flusher extends Context.Service<Flusher, FlushQueue>()("gateway/storage/Flusher") {}

export class FlushQueue {
  /** Something waits. */
  readonly work = Latch.makeUnsafe(false)
  /** Somebody waits for it. */
  readonly urgent = Latch.makeUnsafe(false)
  /** Why writes are refused; undefined while they are not. */
  trouble: StoreUnavailable | undefined
  troubleSince = 0
  groups = 0
  lastMs = 0
  /** Groups that were said again to a server that had lost them. */
  resent = 0
  private opens = new Map<number, ReservationRow>()
  private queue: Array<Close | Opening> = []
  /** Attempts whose beginning the store has, and not their end. */
  private readonly written = new Set<number>()
  private readonly marked = new Set<string>()
  private waitingSince: number | undefined
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  get waiting(): number {
    return this.opens.size + this.queue.length
  }

  get isFull(): boolean {
    return this.waiting >= MAX_OWED
  }

  /** How long the oldest has been waiting, in ms. */
  lagMs(): number {
    return this.waitingSince === undefined ? 0 : Math.max(0, this.now() - this.waitingSince)
  }

  open(row: ReservationRow): void {
    this.opens.set(row.id, row)
    this.wake()
  }

  close(row: SettlementRow, resume: Resume<void>): void {
    this.queue.push({ row, resume })
    this.hurry()
  }

  openWindow(charge: WindowCharge, resume: Resume<number>): void {
    this.queue.push({ charge, resume })
    this.hurry()
  }

  /** Budgets have changed: their windows may not be marked any more. */
  forgetMarks(): void {
    this.marked.clear()
  }

  /** The next windows to read, where they come first. */
  takeWindows(): ReadonlyArray<Opening> {
    const end = this.queue.findIndex((one) => !("charge" in one))
    const windows = (end === -1 ? this.queue : this.queue.slice(0, end)) as ReadonlyArray<Opening>
    this.queue = end === -1 ? [] : this.queue.slice(end)
    return windows
  }

  /** The next group: what began, and what ended before the next window is read. */
  takeGroup(): Group {
    const all = this.queue.slice(0, MAX_GROUP)
    const end = all.findIndex((one) => "charge" in one)
    const closes = (end === -1 ? all : all.slice(0, end)) as ReadonlyArray<Close>
    this.queue = this.queue.slice(closes.length)
    const { opens } = this
    this.opens = new Map()
    return { opens, closes }
  }

  /** After all that was taken is done. */
  rest(): void {
    if (this.waiting === 0) {
      this.waitingSince = undefined
      this.work.closeUnsafe()
    }
    if (this.queue.length === 0) this.urgent.closeUnsafe()
  }

  /** The group as parameters of its statement, and the windows that it marks. */
  encode({ closes, opens }: Group) {
    const begun = new Map(opens)
    const wholes: Array<object> = []
    const ended: Array<object> = []
    const lost: Array<object> = []
    const marks = new Map<string, WindowCharge>()
    const seen = new Set<number>()
    for (const { row } of closes) {
      const { id } = row.reservation
      for (const charge of row.charges) {
        const name = markOf(charge)
        if (!this.marked.has(name)) marks.set(name, charge)
      }
      // A second end changes nothing.
      if (seen.has(id)) continue
      seen.add(id)
      if (begun.delete(id)) wholes.push(whole(row))
      else if (this.written.has(id)) ended.push(outcome(row))
      else lost.push(whole(row))
    }
    const charges = Array.from(marks.values(), ({ scope, start, window }) => ({ scope, window, start }))
    const texts = [Array.from(begun.values(), opened), ended, wholes, lost, charges].map(textOf)
    return { isOpenOnly: closes.length === 0, texts, marks: [...marks.keys()], begun: [...begun.keys()], ended: seen }
  }

  /** A group is in the store. */
  done({ closes }: Group, { begun, ended, marks }: ReturnType<FlushQueue["encode"]>): void {
    for (const id of begun) this.written.add(id)
    for (const id of ended) this.written.delete(id)
    if (this.marked.size + marks.length > MAX_MARKED) this.marked.clear()
    for (const name of marks) this.marked.add(name)
    for (const close of closes) close.resume?.(Effect.void)
  }

  /**
   * The store does not come back soon. Where the beginning of an attempt is in the store and its end is kept here, nothing can be lost, since
   * a crash books the worst case: its answer may go. Others must not go out, and new work is refused.
   */
  refuse(trouble: StoreUnavailable, group: Group | undefined): void {
    if (this.trouble === undefined) this.troubleSince = this.now()
    this.trouble = trouble
    const failure = Effect.fail(trouble)
    const kept: Array<Close | Opening> = []
    for (const one of [...(group?.closes ?? []), ...this.queue]) {
      if ("charge" in one) one.resume(failure)
      else {
        const { resume } = one
        one.resume = undefined
        resume?.(this.written.has(one.row.reservation.id) ? Effect.void : failure)
        if (group?.closes.includes(one) !== true) kept.push(one)
      }
    }
    this.queue = kept
  }

  recovered(): void {
    this.trouble = undefined
  }

  private wake(): void {
    this.waitingSince ??= this.now()
    this.work.openUnsafe()
  }

  private hurry(): void {
    this.wake()
    this.urgent.openUnsafe()
  }
}

export const markOf = ({ scope, start, window }: WindowCharge): string => `${scope}\n${window}\n${start}`
