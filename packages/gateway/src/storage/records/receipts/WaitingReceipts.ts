/** Receipts wait for a batch for at most a second, as a page costs little more than a receipt. They are found here. */
import type { KeptPrompt } from "../../../core/receipts/KeptPrompt.ts"
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import { PageDraft } from "./PageDraft.ts"
import { type Prompts, WaitingPrompts } from "./WaitingPrompts.ts"

/** The most receipts on one page: about half a millisecond of work. */
export const PAGE = 256

/** Where pages are written. */
export interface ReceiptSink {
  /** This many receipts are written without waiting for more. */
  readonly enough: number
  /** Writes a page. `done` runs when it is on disk, or could not be written. */
  readonly write: (page: PageDraft, prompts: Prompts, done: (isWritten: boolean) => void) => void
  /** Pages given to it are written without waiting for a batch. */
  readonly hurry: () => void
}

/** The most receipts kept while the store can't be written; beyond it the oldest are lost. */
const MAX_WAITING = 4096

export class WaitingReceipts {
  private readonly sink: ReceiptSink
  /** Schedules a call of `tick` in a second. */
  private readonly later: () => void
  private draft = new PageDraft()
  /** Pages that the store refused, and those that were filled since. */
  private full: Array<PageDraft> = []
  private readonly prompts = new WaitingPrompts()
  private readonly underWay = new Set<PageDraft>()
  private isTicking = false
  /** The store refused the last batch: the next one waits for its second. */
  private isRefused = false
  private whenWritten: Array<() => void> = []

  constructor(sink: ReceiptSink, later: () => void) {
    this.sink = sink
    this.later = later
  }

  add(receipt: Receipt, prompt: KeptPrompt | undefined): void {
    if (this.draft.size >= PAGE) this.putAside()
    this.draft.add(receipt)
    if (prompt !== undefined) this.prompts.add(receipt.requestId, prompt)
    if (this.draft.size >= this.sink.enough && !this.isRefused) this.flush()
    else this.wait()
  }

  find(requestId: string): Receipt | undefined {
    for (const page of [this.draft, ...this.full, ...this.underWay]) {
      const found = page.find(requestId)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** The second is over. */
  tick(): void {
    this.isTicking = false
    this.flush()
  }

  /** Hands over what waits, for the commit of this event-loop iteration. */
  flush(): void {
    const pages = this.draft.size === 0 ? this.full : [...this.full, this.draft]
    this.full = []
    this.draft = new PageDraft()
    for (const page of pages) this.underWay.add(page)
    for (const page of pages) {
      this.sink.write(page, this.prompts.byRequest, (isWritten) => this.done(page, isWritten))
    }
  }

  /** Writes what waits. `done` runs when it is on disk, or could not be written. */
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

  private done(page: PageDraft, isWritten: boolean): void {
    this.underWay.delete(page)
    this.isRefused = !isWritten
    if (isWritten) this.prompts.drop(page.requestIds)
    else this.takeBack(page)
    if (this.underWay.size > 0) return
    const done = this.whenWritten
    this.whenWritten = []
    for (const one of done) one()
  }

  private takeBack(page: PageDraft): void {
    // The last page is filled further if it has room and nothing was added since.
    if (this.draft.size === 0 && page.size < PAGE && this.underWay.size === 0) this.draft = page
    else this.full.push(page)
    this.dropOldest()
    this.wait()
  }

  private putAside(): void {
    this.full.push(this.draft)
    this.draft = new PageDraft()
    this.dropOldest()
  }

  private dropOldest(): void {
    let waiting = this.full.reduce((sum, { size }) => sum + size, this.draft.size)
    while (waiting > MAX_WAITING) {
      const oldest = this.full.shift()
      if (oldest === undefined) return
      waiting -= oldest.size
      this.prompts.drop(oldest.requestIds)
    }
  }
}
