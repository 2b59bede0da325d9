/** SambaNova Cloud. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const SambaNova = compatible({
  name: "sambanova",
  title: "SambaNova",
  baseUrl: "https://api.sambanova.ai/v1",
  apiKeyVariable: "SAMBANOVA_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.sambanova.ai/docs/en/features/openai-compatibility",
    "https://docs.pipecat.ai/server/services/llm/sambanova",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: ["The model catalogue does not know it: give its deployments a price."],
  serves: ["chat", "embeddings", "transcriptions", "translations"],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "all",
  assumedRate: 1_000
})
