/** Receipts between processes: as the lines in which they are stored, and what those leave out. */
import type { NanoUsd } from "../core/domain/Money.ts"
import type { Receipt } from "../core/receipts/Receipt.ts"
import type { NameOf, Names } from "../storage/records/receipts/PageNames.ts"
import { decodeLine, encodeLine, type Line } from "../storage/records/receipts/ReceiptPages.ts"

/** What is told of a request as it ends. Nothing at the end is left out. */
export type ReceiptLine = readonly [
  line: Line,
  traceParent?: string | null,
  /** Of a receipt that can't be compared. */
  baseline?: NanoUsd | undefined
]

export const receiptLine = (receipt: Receipt, name: NameOf): ReceiptLine => {
  const { baseline, isIncomparable, traceParent } = receipt
  const line = encodeLine(receipt, name)
  if (isIncomparable === true) return [line, traceParent ?? null, baseline]
  return traceParent === undefined ? [line] : [line, traceParent]
}

export const receiptOf = ([line, parent, baseline]: ReceiptLine, names: Names): Receipt => {
  const receipt = decodeLine(line, names)
  const traceParent = parent ?? undefined
  if (baseline !== undefined) return { ...receipt, traceParent, baseline, isIncomparable: true }
  return traceParent === undefined ? receipt : { ...receipt, traceParent }
}
