/** Mistral, and servers of others that speak as it does. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { notesOf, operationsIn, compatibleWith } from "./CompatibleVendors.ts"
import { formulaBounds } from "./Formulas.ts"

const mistralBounds: Vendor["bounds"] = (_model, facts) => ({
  // "The maximum number of tokens to generate in the completion", of which thoughts are parts: `ChatCompletionRequest` and `ThinkChunk` of
  // `@mistralai/mistralai` 2.7.0 (2026-11-22).
  reasoning: "inside",
  ...formulaBounds(facts)
})

export const Mistral: Vendor = {
  ...notesOf("mistral"),
  protocol: "mistral-chat",
  baseUrl: "https://api.mistral.ai/v1",
  apiKeyVariable: "MISTRAL_API_KEY",
  // Nothing says that a closed connection ends the bill.
  billsAfterDisconnect: "all",
  bounds: mistralBounds,
  operations: operationsIn("chat"),
  auth: bearer
}

/** They stop when their connection is closed, as vLLM does. */
export const MistralCompatible = compatibleWith(Mistral, "Mistral's protocol elsewhere", {
  bounds: () => ({ reasoning: "inside" })
})
