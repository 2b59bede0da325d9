/** How long receipts are kept. */
import { Context } from "effect"

const DAY_MS = 24 * 3_600_000

/** How long receipts are kept, in milliseconds; 0 keeps none. */
export class KeepReceipts extends Context.Reference<number>("gateway/storage/KeepReceipts", {
  defaultValue: () => 30 * DAY_MS
}) {}
