/** Moonshot AI: Kimi. */
import { compatible, messagesAt, readOn, withQuirks } from "../CompatibleVendors.ts"

export const Moonshot = compatible({
  name: "moonshot",
  title: "Moonshot AI",
  baseUrl: "https://api.moonshot.ai/v1",
  apiKeyVariable: "MOONSHOT_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://java.agentscope.io/v2/en/integration/model/kimi",
    "https://www.developersdigest.tech/reference/api-compatibility/moonshot",
    "https://www.promptfoo.dev/docs/providers/moonshot/",
    "https://kimi-k25.com/blog/kimi-k2-5-claude-code"
  ),
  notes: [
    "Kimi models have fixed sampling and one choice per call: `temperature`, `top_p`, the penalties and `tools[].function.strict` are removed.",
    "`/v1/messages` goes to its own Messages API (`/anthropic`) for Kimi K3 and later, but for JSON schemas, images, documents and forced tools.",
    "In China: `base_url: https://api.moonshot.cn/v1`."
  ],
  serves: ["chat", "messages"],
  beside: [messagesAt("/anthropic/v1", /\/v1$/, ["moonshot.ai", "moonshot.cn"])],
  // Nobody says that it stops when its connection is closed.
  billsAfterDisconnect: "all",
  quirks: withQuirks({
    outputLimit: "max_completion_tokens",
    refuses: ["tools[].function.strict"]
  })
})
