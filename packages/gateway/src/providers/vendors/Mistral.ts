/** Mistral, and servers of others that speak as it does. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { operationsIn, readOn } from "./CompatibleVendors.ts"
import { formulaBounds } from "./Formulas.ts"

const mistralBounds: Vendor["bounds"] = (_model, facts) => ({
  // "The maximum number of tokens to generate in the completion", of which thoughts are parts: `ChatCompletionRequest` and `ThinkChunk` of
  // `@mistralai/mistralai` 2.7.0 (2026-11-22).
  reasoning: "inside",
  ...formulaBounds(facts)
})

export const Mistral: Vendor = {
  name: "mistral",
  title: "Mistral",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://github.com/mistralai/mistral-common",
    "https://www.npmjs.com/package/@mistralai/mistralai",
    "https://github.com/mistralai/platform-docs-public/issues/7"
  ),
  notes: [
    "It refuses fields that it does not know, in the body and in messages: they are left out, and named.",
    "Ids of tool calls from elsewhere become nine letters and digits.",
    "A last message of the assistant is the beginning of the response (`prefix`)."
  ],
  protocol: "mistral-chat",
  baseUrl: "https://api.mistral.ai/v1",
  apiKeyVariable: "MISTRAL_API_KEY",
  // Nothing says that a closed connection ends the bill.
  billsAfterDisconnect: "all",
  bounds: mistralBounds,
  operations: operationsIn("chat"),
  auth: bearer
}

/** Servers of others: no address, no prices, and they stop when their connection is closed, as vLLM does. */
export const MistralCompatible: Vendor = {
  ...Mistral,
  name: "mistral-compatible",
  isSelfHosted: true,
  title: "Mistral's protocol elsewhere",
  standing: "unverified",
  sources: [],
  baseUrl: "",
  apiKeyVariable: undefined,
  billsAfterDisconnect: "none",
  bounds: () => ({ reasoning: "inside" })
}
