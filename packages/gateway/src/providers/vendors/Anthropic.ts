/** Anthropic. The version names the shape of the API, not of a model, and has been the newest since 2023. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { header } from "../auth/Static.ts"
import { anthropicBounds } from "./AnthropicBounds.ts"
import { notesOf, compatibleWith } from "./CompatibleVendors.ts"
import { without } from "./Families.ts"

export const Anthropic: Vendor = {
  ...notesOf("anthropic"),
  protocol: "anthropic-messages",
  baseUrl: "https://api.anthropic.com/v1",
  apiKeyVariable: "ANTHROPIC_API_KEY",
  // Of both calls: https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), read 2026-11-22. Closing a stream stops
  // model and billing, and a plain call is processed and billed to its end.
  billsAfterDisconnect: "plain",
  bounds: (_model, facts) => anthropicBounds(facts),
  // The API has no `n`: https://docs.anthropic.com/zh-CN/api/openai-sdk (2026-11-22).
  quirks: () => ({ oneChoice: true }),
  families: [{ match: /^/, supports: without("audio") }],
  auth: header("x-api-key"),
  modelList: { path: "/models?limit=1000", headers: { "anthropic-version": "2023-06-01" } }
}

/** It has no `n`, and prices are not Anthropic's. */
export const AnthropicCompatible = compatibleWith(Anthropic, "Any server with Anthropic's Messages API", {
  notes: [],
  families: []
})
