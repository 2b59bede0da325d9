/** Together AI. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Together = compatible({
  name: "together",
  title: "Together AI",
  baseUrl: "https://api.together.ai/v1",
  apiKeyVariable: "TOGETHER_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.together.ai/docs/inference/openai-compatibility.md",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: ["Responses may end with `eos`, which becomes `stop`.", "Its list of models is a bare array."],
  serves: ["chat", "completions", "embeddings", "images", "speech", "transcriptions", "translations"],
  // Closing a stream stops it, a plain call goes on: the second source, "Stream cancellation".
  billsAfterDisconnect: "plain"
})
