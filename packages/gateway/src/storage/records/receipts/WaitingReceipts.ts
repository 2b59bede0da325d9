/**
 * Receipts on their way to the disk. They wait for company, since a page costs little more than a single one, but no longer than a
 * second; until they are written they are found here.
 */
import type { KeptPrompt } from "../../../core/receipts/KeptPrompt.ts"
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import { type Prompts, WaitingPrompts } from "./WaitingPrompts.ts"

/** Receipts on one page at most: about half a millisecond of work. */
export const PAGE = 256

/** Where pages go. */
export interface ReceiptSink {
  /** So many receipts do not wait for more. */
  readonly enough: number
  /** Writes a page; `done` runs when it is on disk, or could not be written. */
  readonly write: (receipts: ReadonlyArray<Receipt>, prompts: Prompts, done: (isWritten: boolean) => void) => void
  /** What was given to it waits for no company. */
  readonly hurry: () => void
}

/** While the store can't be written so many are remembered; of more the oldest are lost. */
const MAX_WAITING = 4096

export class WaitingReceipts {
  private readonly sink: ReceiptSink
  /** Has `tick` called in a second. */
  private readonly later: () => void
  private waiting: Array<Receipt> = []
  private readonly prompts = new WaitingPrompts()
  private readonly underWay = new Set<ReadonlyArray<Receipt>>()
  private isTicking = false
  /** The store did not take the last batch: the next one has to wait for its second. */
  private isRefused = false
  private whenWritten: Array<() => void> = []

  constructor(sink: ReceiptSink, later: () => void) {
    this.sink = sink
    this.later = later
  }

  add(receipt: Receipt, prompt: KeptPrompt | undefined): void {
    this.waiting.push(receipt)
    if (prompt !== undefined) this.prompts.add(receipt.requestId, prompt)
    if (this.waiting.length >= this.sink.enough && !this.isRefused) this.flush()
    else this.wait()
  }

  find(requestId: string): Receipt | undefined {
    for (const receipts of [this.waiting, ...this.underWay]) {
      const found = receipts.find((receipt) => receipt.requestId === requestId)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The second is over. */
  tick(): void {
    this.isTicking = false
    this.flush()
  }

  /** Hands over what waits, for the commit of this turn. */
  flush(): void {
    const receipts = this.waiting
    this.waiting = []
    for (let from = 0; from < receipts.length; from += PAGE) {
      const page = receipts.slice(from, from + PAGE)
      this.underWay.add(page)
      this.sink.write(page, this.prompts.byRequest, (isWritten) => this.done(page, isWritten))
    }
  }

  /** Writes what waits; `done` runs when that is on disk, or could not be written. */
  write(done: () => void): void {
    this.flush()
    if (this.underWay.size === 0) return done()
    this.whenWritten.push(done)
    this.sink.hurry()
  }

  private wait(): void {
    if (this.isTicking) return
    this.isTicking = true
    this.later()
  }

  private done(page: ReadonlyArray<Receipt>, isWritten: boolean): void {
    this.underWay.delete(page)
    this.isRefused = !isWritten
    if (isWritten) this.prompts.drop(page)
    else {
      const all = [...page, ...this.waiting]
      this.waiting = all.slice(-MAX_WAITING)
      this.prompts.drop(all.slice(0, -MAX_WAITING))
      this.wait()
    }
    if (this.underWay.size > 0) return
    const done = this.whenWritten
    this.whenWritten = []
    for (const one of done) one()
  }
}
