/** Google AI Studio: the Gemini API with a key. */
import type { Quirks } from "../../../core/domain/Deployment.ts"
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { header } from "../../auth/Static.ts"
import { modelTraits } from "../../protocols/gemini/GeminiModels.ts"
import { notesOf } from "../CompatibleVendors.ts"
import { googleBounds } from "./GoogleBounds.ts"
import { googleOperations } from "./GoogleFamilies.ts"

const quirksOf: Vendor["quirks"] = (_model, _options, facts): Quirks => ({ oneChoice: !modelTraits(facts).candidates })

export const GoogleAiStudio: Vendor = {
  ...notesOf("google-ai-studio"),
  aliases: ["gemini"],
  protocol: "gemini",
  baseUrl: "https://generativelanguage.googleapis.com/v1beta",
  apiKeyVariable: "GEMINI_API_KEY",
  // Closing a stream stops neither model nor billing: https://openrouter.ai/docs/api-reference/streaming ("Not Currently
  // Supported"), read 2026-11-22.
  billsAfterDisconnect: "all",
  inlineImages: true,
  serves: ["chat", "generate_content", "count_content_tokens", "embeddings", "images"],
  operations: googleOperations,
  modelList: { path: "/models", namesOthers: true },
  quirks: quirksOf,
  bounds: (_model, facts) => googleBounds(facts),
  // Never in the address, where it would end up in logs.
  auth: header("x-goog-api-key")
}

/** A server of somebody else that speaks Gemini's protocol: it has no address, and prices are not Google's. */
export const GeminiCompatible: Vendor = {
  name: "gemini-compatible",
  isSelfHosted: true,
  protocol: "gemini",
  baseUrl: "",
  apiKeyVariable: undefined,
  billsAfterDisconnect: "none",
  inlineImages: true,
  operations: googleOperations,
  quirks: quirksOf,
  bounds: (_model, facts) => googleBounds(facts),
  auth: header("x-goog-api-key")
}
