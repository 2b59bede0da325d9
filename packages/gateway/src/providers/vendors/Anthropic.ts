/** Anthropic. The version names the shape of the API, not of a model, and has been the newest since 2023. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { header } from "../auth/Static.ts"
import { anthropicBounds } from "./AnthropicBounds.ts"
import { readOn } from "./Compatible.ts"
import { everyonesFamilies, without } from "./Families.ts"

export const Anthropic: Vendor = {
  name: "anthropic",
  title: "Anthropic",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://platform.claude.com/docs/en/build-with-claude/vision",
    "https://platform.claude.com/docs/en/build-with-claude/extended-thinking",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "Chat and Responses are translated to the Messages API; what it can't take is named in `X-Gateway-Dropped-Params`.",
    "Cached input is billed apart, by how long it is kept."
  ],
  protocol: "anthropic-messages",
  baseUrl: "https://api.anthropic.com/v1",
  apiKeyVariable: "ANTHROPIC_API_KEY",
  starterModels: ["claude-haiku-4-5", "claude-sonnet-5", "claude-opus-5", "claude-opus-5"],
  priceListId: "anthropic",
  // Of both calls: https://openrouter.ai/docs/api-reference/streaming ("Stream Cancellation"), read 2026-11-22. Closing a stream stops
  // model and billing, and a plain call is processed and billed to its end.
  billsAfterDisconnect: "plain",
  bounds: anthropicBounds,
  // The API has no `n`: https://docs.anthropic.com/zh-CN/api/openai-sdk (2026-11-22).
  quirks: () => ({ oneChoice: true }),
  // As its model pages have them. The first that matches and says it counts.
  families: [
    { match: /^claude-opus-4-[6-9]|^claude-(?:opus|sonnet|fable)-5/, maxOutput: 128_000 },
    { match: /^claude-(?:sonnet|haiku|opus)-4-5|^claude-sonnet-4|^claude-3-7-sonnet/, maxOutput: 64_000 },
    { match: /^claude-opus-4/, maxOutput: 32_000 },
    { match: /^claude-3-5/, maxOutput: 8192 },
    { match: /^claude-3-/, maxOutput: 4096 },
    { match: /^claude-(?:2|v|instant)/, supports: new Set(["chat", "stream"]) },
    { match: /^claude-3-(?:5|haiku|opus|sonnet)/, supports: without("audio", "reasoning") },
    { match: /^/, supports: without("audio") },
    ...everyonesFamilies
  ],
  auth: header("x-api-key"),
  modelList: { path: "/models?limit=1000", headers: { "anthropic-version": "2023-06-01" } }
}

/** A server of somebody else that speaks Anthropic's protocol: it has no address, and prices are not Anthropic's. */
export const AnthropicCompatible: Vendor = {
  ...Anthropic,
  name: "anthropic-compatible",
  isSelfHosted: true,
  title: "Any server with Anthropic's Messages API",
  standing: "unverified",
  sources: [],
  notes: [],
  baseUrl: "",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  billsAfterDisconnect: "none",
  families: everyonesFamilies
}
