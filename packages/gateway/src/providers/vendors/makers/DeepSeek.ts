/** DeepSeek. */
import { compatible, messagesAt, readOn, withQuirks } from "../CompatibleVendors.ts"
import { without } from "../Families.ts"

export const DeepSeek = compatible({
  name: "deepseek",
  title: "DeepSeek",
  baseUrl: "https://api.deepseek.com",
  apiKeyVariable: "DEEPSEEK_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://api-docs.deepseek.com/zh-cn/quick_start/pricing.md",
    "https://chat-deep.ai/guide/create-chat-completion/",
    "https://runware.ai/models/deepseek-v4-flash",
    "https://docs.apiyi.com/api-capabilities/deepseek-v4-flash/chat-completions.md",
    "https://openrouter.ai/docs/api-reference/streaming",
    "https://api-docs.deepseek.com/guides/anthropic_api"
  ),
  notes: [
    "Cached tokens come as `prompt_cache_hit_tokens`; thoughts as `reasoning_content`.",
    "It thinks unless the request says `thinking: { type: disabled }`; thoughts count towards the output limit.",
    "`insufficient_system_resource` as a finish reason is a failure, and the next deployment is called.",
    "`/v1/messages` goes to its own Messages API (`/anthropic`), but for JSON schemas, images, documents and forced tools.",
    "It ignores `n`, so `n` choices take `n` calls. It has no JSON schemas, so the gateway describes them in words."
  ],
  serves: ["chat", "responses", "messages"],
  beside: [messagesAt("/anthropic/v1", /(?:\/v1)?$/, ["api.deepseek.com"])],
  // Closing a stream stops it: the last source, "Stream cancellation".
  billsAfterDisconnect: "plain",
  quirks: withQuirks({
    outputLimit: "max_tokens",
    oneChoice: true,
    jsonSchema: "json_mode"
  }),
  families: [{ match: /^/, supports: without("audio", "files") }],
  bounds: (_model) => ({ messageFrame: 8, reasoning: "inside" })
})
