/** Z.ai (Zhipu): GLM. */
import { compatible, messagesAt, readOn, withQuirks } from "../CompatibleVendors.ts"

export const Zai = compatible({
  name: "zai",
  title: "Z.ai",
  baseUrl: "https://api.z.ai/api/paas/v4",
  apiKeyVariable: "ZAI_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://java.agentscope.io/v2/en/integration/model/glm",
    "https://ai-sdk.dev/v5/providers/ai-sdk-providers/zai.md",
    "https://vercel.com/ai-gateway/models/glm-4.5.md",
    "https://vercel.com/ai-gateway/models/glm-4.7/api",
    "https://docs.z.ai/devpack/tool/claude.md"
  ),
  notes: [
    "`frequency_penalty`, `presence_penalty`, the `name` of a message and `tools[].function.strict` are dropped; the temperature goes to 1.",
    "`sensitive` as a finish reason is `content_filter`, `network_error` is a failure.",
    "`/v1/messages` goes to its own Messages API (`/api/anthropic`), but for JSON schemas, images and documents.",
    "In China: `base_url: https://open.bigmodel.cn/api/paas/v4`."
  ],
  serves: ["chat", "messages"],
  beside: [messagesAt("/api/anthropic/v1", /\/api\/paas\/v4$/, ["api.z.ai", "open.bigmodel.cn"])],
  billsAfterDisconnect: "all",
  quirks: withQuirks({
    refuses: ["frequency_penalty", "presence_penalty", "messages[].name", "tools[].function.strict"],
    ranges: { temperature: [0, 1], top_p: [0, 1] }
  })
})
