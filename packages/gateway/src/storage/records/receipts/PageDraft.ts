/** A page of receipts as text: kept as objects, they outlived the young generation, which promoted 30 times as much. */
import type { Receipt } from "../../../core/receipts/Receipt.ts"
import type { NameNumber } from "./PageNames.ts"
import { decodePage, encodeLine } from "./ReceiptPages.ts"

export class PageDraft {
  /** In the order in which the receipts came. */
  readonly requestIds: Array<string> = []
  /** The end of the newest receipt, in epoch milliseconds. */
  endedAt = 0
  private readonly names = new Map<string, NameNumber>()
  private readonly lines: Array<string> = []

  static of(receipts: ReadonlyArray<Receipt>): PageDraft {
    const made = new PageDraft()
    for (const receipt of receipts) made.add(receipt)
    return made
  }

  get size(): number {
    return this.lines.length
  }

  /** In the form that `decodePage` reads. */
  get body(): string {
    return `[${JSON.stringify([...this.names.keys()])},[${this.lines.join()}]]`
  }

  add(receipt: Receipt): void {
    this.requestIds.push(receipt.requestId)
    this.endedAt = Math.max(this.endedAt, receipt.at + receipt.durationMs)
    this.lines.push(JSON.stringify(encodeLine(receipt, this.name)))
  }

  find(requestId: string): Receipt | undefined {
    const place = this.requestIds.indexOf(requestId)
    return place === -1 ? undefined : decodePage(this.body)[place]
  }

  private readonly name = (text: string | null): NameNumber => {
    if (text === null) return -1
    let found = this.names.get(text)
    if (found === undefined) this.names.set(text, (found = this.names.size))
    return found
  }
}
