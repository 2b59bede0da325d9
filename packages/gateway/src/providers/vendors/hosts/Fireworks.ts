/** Fireworks AI. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Fireworks = compatible({
  name: "fireworks",
  title: "Fireworks AI",
  baseUrl: "https://api.fireworks.ai/inference/v1",
  apiKeyVariable: "FIREWORKS_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.fireworks.ai/tools-sdks/openai-compatibility.md",
    "https://docs.fireworks.ai/tools-sdks/migrate-to-fireworks",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "Models are called `accounts/fireworks/models/…`.",
    "An output limit that does not fit into the window is lowered there instead of refused, unless the request says `context_length_exceeded_behavior: error`."
  ],
  serves: ["chat", "completions", "embeddings", "transcriptions", "translations"],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "plain"
})
