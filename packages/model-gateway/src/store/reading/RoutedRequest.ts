/** What `auto` decided and what became of it. */
import { NO_BUCKET } from "@model-gateway/gateway/internal/core/routing/Decision"
import type { KeptPrompt } from "@model-gateway/gateway/internal/core/receipts/KeptPrompt"
import type { Receipt } from "@model-gateway/gateway/internal/core/receipts/Receipt"

export interface StoredRoutedRequest {
  /** With the caller's feedback, if there is any. */
  readonly receipt: Receipt
  /** Undefined: nothing was kept. */
  readonly prompt: KeptPrompt | undefined
}

/** `auto` decided it, or would have. */
export const isDecided = ({ bucket, shadow }: Receipt): boolean => bucket !== NO_BUCKET || shadow !== undefined
