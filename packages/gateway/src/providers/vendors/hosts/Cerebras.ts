/** Cerebras: open models on wafers. */
import { compatible, otherVendorsFields, readOn, withQuirks } from "../CompatibleVendors.ts"

export const Cerebras = compatible({
  name: "cerebras",
  title: "Cerebras",
  baseUrl: "https://api.cerebras.ai/v1",
  apiKeyVariable: "CEREBRAS_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://inference-docs.cerebras.ai/resources/openai",
    "https://inference-docs.cerebras.ai/api-reference/chat-completions",
    "https://hexdocs.pm/req_llm/cerebras.html",
    "https://raw.githubusercontent.com/juspay/neurolink/master/docs/getting-started/providers/cerebras.md"
  ),
  notes: [
    "`frequency_penalty`, `presence_penalty`, `logit_bias` and `service_tier` are refused upstream, and dropped here.",
    "System messages of gpt-oss have the weight of developer messages."
  ],
  serves: ["chat", "completions"],
  // Nobody says that it stops when its connection is closed.
  billsAfterDisconnect: "all",
  quirks: withQuirks({
    outputLimit: "max_completion_tokens",
    refuses: ["frequency_penalty", "presence_penalty", "logit_bias", "service_tier", ...otherVendorsFields]
  }),
  // Some 3,000 tokens a second of gpt-oss-120b: the last source.
  assumedRate: 3_000
})
