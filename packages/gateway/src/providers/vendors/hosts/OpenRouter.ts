/** OpenRouter: the models of many vendors, over their servers. */
import { compatible, readOn, withQuirks } from "../CompatibleVendors.ts"

export const OpenRouter = compatible({
  name: "openrouter",
  title: "OpenRouter",
  baseUrl: "https://openrouter.ai/api/v1",
  apiKeyVariable: "OPENROUTER_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://www.openrouter.ai/docs/use-cases/usage-accounting",
    "https://openrouter.ai/docs/api-reference/streaming",
    "https://openrouter.ai/docs/client-sdks/typescript/models/maxprice.md",
    "https://openrouter.ai/docs/client-sdks/typescript/models/anthropiccachecontroldirective.md",
    "https://www.developersdigest.tech/reference/api-compatibility/openrouter"
  ),
  notes: [
    "It calls servers with several prices. For callers with a budget, `provider.max_price` is the price that the budget uses. If no server is that cheap, OpenRouter refuses the call and the next deployment is called.",
    "For callers with a budget PDFs are read by its free parser (`cloudflare-ai`); `plugins` may name `native` instead.",
    "`usage.cost` is what it billed, and goes on to the caller.",
    "Comments keep its streams alive; `file` annotations and tool calls without arguments are made good.",
    "Errors name an HTTP status in their `code`, also inside a stream that began with 200."
  ],
  serves: ["chat", "responses", "completions", "embeddings"],
  // Some of the servers that it asks go on when a stream is closed: the second source, "Stream cancellation".
  billsAfterDisconnect: "all",
  quirks: withQuirks({ takesMaxPrice: true, cacheMarks: "taken" })
})
