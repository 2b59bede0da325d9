/** Groq: open models on its own chips. */
import { compatible, otherVendorsFields, readOn, withQuirks } from "../CompatibleVendors.ts"

export const Groq = compatible({
  name: "groq",
  title: "Groq",
  baseUrl: "https://api.groq.com/openai/v1",
  apiKeyVariable: "GROQ_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://console.groq.com/docs/openai",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "`logprobs`, `logit_bias`, `top_logprobs` and the `name` of a message are refused upstream, and dropped here.",
    "It returns one choice per call (`n`).",
    "A temperature of 0 becomes 1e-8 there.",
    "The usage of a stream is in `x_groq`, and callers get it as `usage`. `service_tier: on_demand` is removed from responses.",
    "A failed tool call is an error event inside a stream that began with 200."
  ],
  serves: ["chat", "transcriptions", "translations", "speech"],
  // It goes on with a stream that nobody reads: the second source, "Stream cancellation".
  billsAfterDisconnect: "all",
  quirks: withQuirks({
    oneChoice: true,
    refuses: ["logprobs", "logit_bias", "top_logprobs", "messages[].name", ...otherVendorsFields]
  }),
  assumedRate: 1_000
})
