/**
 * Writes that wait for the ledger, in order. Starts of attempts wait briefly for a batch; awaited writes go when the previous
 * group is done. Synchronous, as every request passes through it.
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
  /** Undefined if no caller waits, or if it was notified already. */
  resume: ResumeFlush<void> | undefined
}

export interface Opening {
  readonly charge: WindowCharge
  readonly resume: ResumeFlush<number>
}

/** An attempt that starts, and the caller that waits until it is in the store. */
interface OpenedAttempt {
  readonly row: ReservationRow
  resume: ResumeFlush<void> | undefined
}

/** What one transaction writes. */
export interface FlushedGroup {
  readonly opens: ReadonlyMap<number, OpenedAttempt>
  readonly closes: ReadonlyArray<Close>
}

/** The most attempts kept while the store can't be written; new ones are refused beyond it. */
const MAX_PENDING = 10_000

/** The most rows of a group: some megabytes of JSON. */
const MAX_GROUP = 2_000

/** The most windows remembered as marked. */
const MAX_MARKED = 50_000

export class Flusher extends Context.Service<Flusher, FlushQueue>()("gateway/storage/Flusher") {}

export class FlushQueue {
  /** Open while writes wait. */
  readonly work = Latch.makeUnsafe(false)
  /** Open while awaited writes wait. */
  readonly urgent = Latch.makeUnsafe(false)
  /** Reports about this gateway's quota are sent in between. */
  readonly shares = new ShareBooks()
  /** Why writes are refused; undefined while they are accepted. */
  trouble: StoreUnavailable | undefined
  troubleSince = 0
  groups = 0
  lastMs = 0
  /** Groups that were sent again to a server that had lost them. */
  resent = 0
  private opens = new Map<number, OpenedAttempt>()
  private queue: Array<Close | Opening> = []
  /** Attempts whose start is in the store, and whose end is not. */
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
    return this.waiting >= MAX_PENDING
  }

  /** Whether any caller waits for any write. */
  private get isAwaited(): boolean {
    if (this.queue.length > 0 || this.shares.isDoubtful || this.shares.hasWork(this.now())) return true
    for (const { resume } of this.opens.values()) if (resume !== undefined) return true
    return false
  }

  /** Milliseconds since the oldest write was queued. */
  lagMs(): number {
    return this.waitingSince === undefined ? 0 : Math.max(0, this.now() - this.waitingSince)
  }

  /** `resume` notifies the caller that waits until the row is in the store. */
  open(row: ReservationRow, resume?: ResumeFlush<void>): void {
    this.opens.set(row.id, { row, resume })
    if (resume === undefined) this.wake()
    else this.hurry()
  }

  close(row: SettlementRow, resume: Close["resume"]): void {
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

  /** The server was replaced or may have missed a group: it needs all of this gateway's state again. */
  doubt(): void {
    this.shares.isDoubtful = true
    this.hurry()
  }

  /** Budgets have changed: their windows may not be marked any more. */
  forgetMarks(): void {
    this.marked.clear()
  }

  /** The next windows to read, if they come first. */
  takeWindows(): ReadonlyArray<Opening> {
    const end = this.queue.findIndex((one) => !("charge" in one))
    const windows = (end === -1 ? this.queue : this.queue.slice(0, end)) as ReadonlyArray<Opening>
    this.queue = end === -1 ? [] : this.queue.slice(end)
    return windows
  }

  /** The next group: starts, and the ends before the next window is read. */
  takeGroup(): FlushedGroup {
    const all = this.queue.slice(0, MAX_GROUP)
    const end = all.findIndex((one) => "charge" in one)
    const closes = (end === -1 ? all : all.slice(0, end)) as ReadonlyArray<Close>
    this.queue = this.queue.slice(closes.length)
    const { opens } = this
    this.opens = new Map()
    return { opens, closes }
  }

  /** Called when everything taken is done. */
  rest(): void {
    if (this.waiting === 0) {
      this.waitingSince = undefined
      if (!this.isAwaited) this.work.closeUnsafe()
    }
    if (!this.isAwaited) this.urgent.closeUnsafe()
  }

  /** The group as parameters of its statement, with the windows that it marks and what it leaves of quota leases. */
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
      // A row that was sent before may be in the store. A response of the cache has no start.
      if (begun.delete(id) || row.saved !== undefined) (this.shares.isDoubtful ? lost : wholes).push(whole(row))
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
   * The store stays unavailable. A response whose attempt is in the store, and its end here, is sent: a crash charges the worst
   * case. Other responses are not, and new work is refused.
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

  /** Other gateways declared this one dead. Returns the attempts that the store may know, which it must learn again. */
  lost(trouble: StoreUnavailable, group: FlushedGroup | undefined): ReadonlyArray<ReservationRow> {
    const failure = Effect.fail(trouble)
    this.refuseOpens(failure, group)
    this.shares.refuse(trouble)
    const closes = [...(group?.closes ?? []), ...this.queue].flatMap((one) => ("row" in one ? [one.row] : []))
    this.shares.lose(closes)
    return [...this.written.values(), ...Array.from(group?.opens.values() ?? [], ({ row }) => row)]
  }

  /** This gateway is a member again. `open` is the set of attempts that are open in the store. */
  rejoined(open: ReadonlySet<number>): void {
    this.written = new Map([...this.written].filter(([id]) => open.has(id)))
    this.marked.clear()
  }

  /** A caller that waits for the start of an attempt does not make it. If the start is under way, so is its end. */
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

  /** A caller waits. */
  hurry(): void {
    this.wake()
    this.urgent.openUnsafe()
  }
}

const markOf = ({ scope, start, window }: WindowCharge): string => `${scope}\n${window}\n${start}`
