/** Perplexity. Its chat completions ended on 27 September 2026; what is left speaks Responses. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Perplexity = compatible({
  name: "perplexity",
  title: "Perplexity",
  baseUrl: "https://api.perplexity.ai/v1",
  apiKeyVariable: "PERPLEXITY_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.perplexity.ai/docs/agent-api/openai-compatibility.md",
    "https://docs.stigg.io/documentation/ai-agents/llm-wrappers/providers/perplexity",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "Native is `/v1/responses` alone; chat and messages are translated to it.",
    "Tools that search are billed by the call: for callers with a budget they need a price and a bound."
  ],
  serves: ["responses"],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "all"
})
