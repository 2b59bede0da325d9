/** xAI. */
import { compatible, readOn, withQuirks } from "../CompatibleVendors.ts"

/** The answer would be fetched later, by nobody, and be billed: https://docs.x.ai/developers/advanced-api-usage/deferred-chat-completions (2026-11-22). */
const LATER = "deferred"

export const Xai = compatible({
  name: "xai",
  title: "xAI",
  baseUrl: "https://api.x.ai/v1",
  apiKeyVariable: "XAI_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.x.ai/docs/guides/reasoning",
    "https://docs.x.ai/developers/pricing",
    "https://git.cosmolan.fr/mirrors/hermes-agent/commit/d6e1fadbf59085214e3f97e231d3c7f0d1643941",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "Reasoning models refuse `presence_penalty`, `frequency_penalty` and `stop`, and some of them `reasoning_effort`; all of these are dropped here.",
    "`deferred` is removed: every response is immediate.",
    "Reasoning tokens are not in `completion_tokens`; `total_tokens` includes them, and they count as output.",
    "Live search is billed by the source (`num_sources_used`)."
  ],
  serves: ["chat", "responses", "images"],
  // Closing a stream stops it: the last source, "Stream cancellation".
  billsAfterDisconnect: "plain",
  quirks: withQuirks({
    outputLimit: "max_completion_tokens",
    refuses: [LATER]
  })
})
