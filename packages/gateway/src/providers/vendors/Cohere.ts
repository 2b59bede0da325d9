/** Cohere. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { notesOf, operationsIn, compatibleWith } from "./CompatibleVendors.ts"

export const Cohere: Vendor = {
  ...notesOf("cohere"),
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

export const CohereCompatible = compatibleWith(Cohere, "Cohere's protocol elsewhere", { prices: () => undefined })
