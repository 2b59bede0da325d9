/** Anthropic. The version names the shape of the API, not of a model, and has been the newest since 2023. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { header } from "../auth/Static.ts"
import { anthropicBounds } from "./AnthropicBounds.ts"

export const Anthropic: Vendor = {
  name: "anthropic",
  protocol: "anthropic-messages",
  baseUrl: "https://api.anthropic.com/v1",
  apiKeyVariable: "ANTHROPIC_API_KEY",
  starterModels: ["claude-haiku-4-5", "claude-sonnet-5", "claude-opus-5", "claude-opus-5"],
  priceListId: "anthropic",
  // Of both calls: https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), read 2026-11-22. Closing a stream stops
  // model and billing, and a plain call is processed and billed to its end.
  billsAfterDisconnect: "plain",
  bounds: anthropicBounds,
  auth: header("x-api-key", { "anthropic-version": "2023-06-01" })
}

/** A server of somebody else that speaks Anthropic's protocol: it has no address, and prices are not Anthropic's. */
export const AnthropicCompatible: Vendor = {
  ...Anthropic,
  name: "anthropic-compatible",
  baseUrl: "",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  billsAfterDisconnect: "none"
}
