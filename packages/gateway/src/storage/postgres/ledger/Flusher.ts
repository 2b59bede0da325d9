/**
 * What waits to be written to the ledger, in the order in which it came, and what of it goes together. Attempts that begin wait a little for
 * company, whatever somebody waits for goes as soon as the one before it is done. Synchronous: every request passes through here.
 */
import { Context, Effect, Latch } from "effect"
import type { StoreUnavailable } from "../../../core/domain/Errors.ts"
import type { ReservationRow, SettlementRow, WindowCharge } from "../../../core/ledger/LedgerJournal.ts"
import { type Question, rowOfHolding, ShareBooks } from "../grants/ShareBooks.ts"
import { hasColumn } from "../../records/Scopes.ts"
import { neverSent, opened, outcome, textOf, whole } from "./PostgresRows.ts"

type ResumeFlush<A> = (effect: Effect.Effect<A, StoreUnavailable>) => void

export interface Close {
  readonly row: SettlementRow
  /** Undefined: who waited was told already. */
  resume: ResumeFlush<void> | undefined
}

export interface Opening {
  readonly charge: WindowCharge
  readonly resume: ResumeFlush<number>
}

/** An attempt that begins, and who waits for that to be in the store. */
interface OpenedAttempt {
  readonly row: ReservationRow
  resume: ResumeFlush<void> | undefined
}

/** What one transaction writes. */
export interface FlushedGroup {
  readonly opens: ReadonlyMap<number, OpenedAttempt>
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
  /** What is said of this gateway's shares goes the same way, in between. */
  readonly shares = new ShareBooks()
  /** Why writes are refused; undefined while they are not. */
  trouble: StoreUnavailable | undefined
  troubleSince = 0
  groups = 0
  lastMs = 0
  /** Groups that were said again to a server that had lost them. */
  resent = 0
  private opens = new Map<number, OpenedAttempt>()
  private queue: Array<Close | Opening> = []
  /** Attempts whose beginning the store has, and not their end. */
  private written = new Map<number, ReservationRow>()
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

  /** Whether anybody waits for anything of it. */
  private get isAwaited(): boolean {
    if (this.queue.length > 0 || this.shares.isDoubtful || this.shares.hasWork(this.now())) return true
    for (const { resume } of this.opens.values()) if (resume !== undefined) return true
    return false
  }

  /** How long the oldest has been waiting, in ms. */
  lagMs(): number {
    return this.waitingSince === undefined ? 0 : Math.max(0, this.now() - this.waitingSince)
  }

  /** `resume`: of who waits for it to be in the store. */
  open(row: ReservationRow, resume?: ResumeFlush<void>): void {
    this.opens.set(row.id, { row, resume })
    if (resume === undefined) this.wake()
    else this.hurry()
  }

  close(row: SettlementRow, resume: ResumeFlush<void>): void {
    this.queue.push({ row, resume })
    this.hurry()
  }

  openWindow(charge: WindowCharge, resume: ResumeFlush<number>): void {
    this.queue.push({ charge, resume })
    this.hurry()
  }

  ask(question: Question): void {
    this.shares.add(question)
    this.hurry()
  }

  /** The server is another one, or may have missed something: it is told what it has to know. */
  doubt(): void {
    this.shares.isDoubtful = true
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
  takeGroup(): FlushedGroup {
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
      if (!this.isAwaited) this.work.closeUnsafe()
    }
    if (!this.isAwaited) this.urgent.closeUnsafe()
  }

  /** The group as parameters of its statement, the windows that it marks, and what it leaves of shares. */
  encode({ closes, opens }: FlushedGroup) {
    const begun = new Map(opens)
    const wholes: Array<object> = []
    const ended: Array<object> = []
    const lost: Array<object> = []
    const marks = new Map<string, WindowCharge>()
    const seen = new Map<number, SettlementRow>()
    for (const { row } of closes) {
      const { id } = row.reservation
      for (const charge of row.charges) {
        if (!hasColumn(charge.scope)) continue
        const name = markOf(charge)
        if (!this.marked.has(name)) marks.set(name, charge)
      }
      // A second end changes nothing.
      if (seen.has(id)) continue
      seen.set(id, row)
      // One that was sent before may be there.
      if (begun.delete(id)) (this.shares.isDoubtful ? lost : wholes).push(whole(row))
      else if (this.written.has(id)) ended.push(outcome(row))
      else lost.push(whole(row))
    }
    const charges = Array.from(marks.values(), ({ scope, start, window }) => ({ scope, window, start }))
    const costs = this.shares.costs([...seen.values()])
    const shares = Array.from(costs.values(), rowOfHolding)
    const texts = [Array.from(begun.values(), ({ row }) => opened(row)), ended, wholes, lost, charges, shares].map(
      textOf
    )
    const names = {
      marks: [...marks.keys()],
      begun: Array.from(begun, ([id, { row }]) => [id, row] as const),
      ended: Array.from(seen, ([id, { reservation }]) => ({ id, at: reservation.at }))
    }
    return { isOpenOnly: closes.length === 0, texts, costs, ...names }
  }

  done({ closes, opens }: FlushedGroup, { begun, costs, ended, marks }: ReturnType<FlushQueue["encode"]>): void {
    for (const [id, row] of begun) this.written.set(id, row)
    for (const { id } of ended) this.written.delete(id)
    if (this.marked.size + marks.length > MAX_MARKED) this.marked.clear()
    for (const name of marks) this.marked.add(name)
    this.shares.booked(costs)
    for (const { resume } of opens.values()) resume?.(Effect.void)
    for (const close of closes) close.resume?.(Effect.void)
  }

  /**
   * The store does not come back soon. Where the beginning of an attempt is in the store and its end is kept here, nothing can be lost, since
   * a crash books the worst case: its answer may go. Others must not go out, and new work is refused.
   */
  refuse(trouble: StoreUnavailable, group: FlushedGroup | undefined): void {
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
    this.refuseOpens(failure, group)
    this.shares.refuse(trouble)
  }

  recovered(): void {
    this.trouble = undefined
  }

  /** Others took this gateway for dead. The attempts that the store may know of, as it will have to know them again. */
  lost(trouble: StoreUnavailable, group: FlushedGroup | undefined): ReadonlyArray<ReservationRow> {
    const failure = Effect.fail(trouble)
    this.refuseOpens(failure, group)
    this.shares.refuse(trouble)
    const closes = [...(group?.closes ?? []), ...this.queue].flatMap((one) => ("row" in one ? [one.row] : []))
    this.shares.lose(closes)
    return [...this.written.values(), ...Array.from(group?.opens.values() ?? [], ({ row }) => row)]
  }

  /** It is one of them again. `open`: the attempts that are open in the store. */
  rejoined(open: ReadonlySet<number>): void {
    this.written = new Map([...this.written].filter(([id]) => open.has(id)))
    this.marked.clear()
  }

  /** Who waits for the beginning of an attempt does not make it. Where that is under way, its end is, too. */
  private refuseOpens(failure: Effect.Effect<never, StoreUnavailable>, group: FlushedGroup | undefined): void {
    for (const open of group?.opens.values() ?? []) {
      if (open.resume === undefined) continue
      open.resume(failure)
      open.resume = undefined
      this.queue.push({ row: neverSent(open.row, this.now()), resume: undefined })
    }
    for (const [id, { resume }] of this.opens) {
      if (resume === undefined) continue
      this.opens.delete(id)
      resume(failure)
    }
  }

  private wake(): void {
    this.waitingSince ??= this.now()
    this.work.openUnsafe()
  }

  /** Somebody waits. */
  hurry(): void {
    this.wake()
    this.urgent.openUnsafe()
  }
}

const markOf = ({ scope, start, window }: WindowCharge): string => `${scope}\n${window}\n${start}`
