/** What `auto` decided and what became of it. */
import { NO_BUCKET } from "../../../core/routing/Decision.ts"
import type { KeptPrompt } from "../../../core/receipts/KeptPrompt.ts"
import type { Receipt } from "../../../core/receipts/Receipt.ts"

export interface StoredRoutedRequest {
  /** With the caller's feedback, if there is any. */
  readonly receipt: Receipt
  /** Undefined: nothing was kept. */
  readonly prompt: KeptPrompt | undefined
}

/** `auto` decided it, or would have. */
export const isDecided = ({ bucket, shadow }: Receipt): boolean => bucket !== NO_BUCKET || shadow !== undefined
