/** Cohere. */
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { bearer } from "../../auth/Static.ts"
import { operationsIn, readOn } from "../CompatibleVendors.ts"

export const Cohere: Vendor = {
  name: "cohere",
  title: "Cohere",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.cohere.com/v2/docs/how-does-cohere-pricing-work.md",
    "https://docs.cohere.com/docs/reranking-best-practices",
    "https://www.npmjs.com/package/cohere-ai",
    "https://developer.puter.com/tutorials/cohere-api-pricing/",
    "https://www.developersdigest.tech/models/rerankers/cohere"
  ),
  notes: [
    "Cohere charges `billed_units`; its own `tokens` are reported in addition.",
    "Plans for tool calls are `reasoning_content`, and citations stay what they are.",
    "Rankings are billed by the search unit."
  ],
  protocol: "cohere-v2",
  baseUrl: "https://api.cohere.com/v2",
  apiKeyVariable: "COHERE_API_KEY",
  // Nothing says that a closed connection ends the bill.
  billsAfterDisconnect: "all",
  // "The maximum number of output tokens the model will generate in the response": `V2ChatRequest` of `cohere-ai` 8.1.0 (2026-11-22). What
  // the model thinks is not billed: recorded, 661 of 1,257 tokens.
  bounds: () => ({ reasoning: "inside" }),
  quirks: () => ({ oneChoice: true }),
  operations: operationsIn("chat"),
  auth: bearer
}

/** A server of somebody else that speaks Cohere's protocol. */
export const CohereCompatible: Vendor = {
  ...Cohere,
  name: "cohere-compatible",
  isSelfHosted: true,
  title: "Cohere's protocol elsewhere",
  standing: "unverified",
  sources: [],
  baseUrl: "",
  apiKeyVariable: undefined,
  prices: () => undefined,
  billsAfterDisconnect: "none"
}
