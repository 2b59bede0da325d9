/** MiniMax. */
import { compatible, messagesAt, readOn, withQuirks } from "../CompatibleVendors.ts"

export const MiniMax = compatible({
  name: "minimax",
  title: "MiniMax",
  baseUrl: "https://api.minimax.io/v1",
  apiKeyVariable: "MINIMAX_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://platform.minimax.io/docs/api-reference/text-openai-api",
    "https://www.developersdigest.tech/reference/api-compatibility/minimax",
    "https://www.promptfoo.dev/docs/providers/minimax/",
    "https://docs.camel-ai.org/reference/camel.configs.minimax_config",
    "https://openrouter.ai/docs/api-reference/streaming",
    "https://platform.minimax.io/docs/api-reference/text-anthropic-api"
  ),
  notes: [
    "The temperature ranges from just above 0 to 1. It returns one choice per call (`n`).",
    "Thoughts stand in `<think>` tags of the content, unless the request says `reasoning_split: true`.",
    "`/v1/messages` goes to its own Messages API (`/anthropic`), but for JSON schemas, images, documents and forced tools.",
    "In China: `base_url: https://api.minimaxi.com/v1`."
  ],
  serves: ["chat", "messages"],
  beside: [messagesAt("/anthropic/v1", /\/v1$/, ["api.minimax.io", "api.minimaxi.com"])],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "all",
  quirks: withQuirks({
    outputLimit: "max_completion_tokens",
    ranges: { temperature: [0.01, 1] },
    oneChoice: true
  })
})
