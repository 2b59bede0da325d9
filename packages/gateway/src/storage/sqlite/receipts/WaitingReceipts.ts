/**
 * Receipts on their way to the disk. They wait for company, since a page costs little more than a single one, but no longer than a
 * second; until they are written they are found here.
 */
import type { KeptPrompt } from "../../../core/receipts/KeptPrompt.ts"
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import { PAGE, ReceiptBatch, type ReceiptWrites } from "./ReceiptWrites.ts"
import { WaitingPrompts } from "./WaitingPrompts.ts"
import type { Writer } from "../writer/Writer.ts"

/** While the store can't be written so many are remembered; of more the oldest are lost. */
const MAX_WAITING = 4096

export class WaitingReceipts {
  private readonly writer: Writer["Service"]
  private readonly writes: ReceiptWrites
  private readonly keepMs: number
  /** Has `tick` called in a second. */
  private readonly later: () => void
  /** Told of every page that is on the disk. */
  private readonly written: () => void
  /** So many do not wait for more. */
  private readonly enough: number
  private waiting: Array<Receipt> = []
  private readonly prompts = new WaitingPrompts()
  private readonly underWay = new Set<ReceiptBatch>()
  private isTicking = false
  /** The store did not take the last batch: the next one has to wait for its second. */
  private isRefused = false
  private whenWritten: Array<() => void> = []

  constructor(
    writer: Writer["Service"],
    writes: ReceiptWrites,
    keepMs: number,
    later: () => void,
    written: () => void
  ) {
    this.writer = writer
    this.writes = writes
    this.keepMs = keepMs
    this.later = later
    this.written = written
    // In memory there is no disk to share, and tests see no timing.
    this.enough = writer.db.location() === null ? 1 : PAGE
  }

  add(receipt: Receipt, prompt: KeptPrompt | undefined): void {
    this.waiting.push(receipt)
    if (prompt !== undefined) this.prompts.add(receipt.requestId, prompt)
    if (this.waiting.length >= this.enough && !this.isRefused) this.flush()
    else this.wait()
  }

  find(requestId: string): Receipt | undefined {
    for (const receipts of [this.waiting, ...Array.from(this.underWay, (batch) => batch.receipts)]) {
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
      const batch = new ReceiptBatch(page, this.prompts.byRequest, this.writes, this.keepMs, this.done)
      this.underWay.add(batch)
      this.writer.add(batch)
    }
  }

  /** Writes what waits; `done` runs when that is on disk, or could not be written. */
  write(done: () => void): void {
    this.flush()
    if (this.underWay.size === 0) return done()
    this.whenWritten.push(done)
    this.writer.flushUnhurried()
  }

  private wait(): void {
    if (this.isTicking) return
    this.isTicking = true
    this.later()
  }

  private readonly done = (batch: ReceiptBatch, isWritten: boolean): void => {
    this.underWay.delete(batch)
    this.isRefused = !isWritten
    if (isWritten) {
      this.prompts.drop(batch.receipts)
      this.written()
    } else {
      const all = [...batch.receipts, ...this.waiting]
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
