/** Hugging Face: the servers of many hosts behind one router. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const HuggingFace = compatible({
  name: "huggingface",
  title: "Hugging Face",
  baseUrl: "https://router.huggingface.co/v1",
  apiKeyVariable: "HF_TOKEN",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.jambonz.org/guides/features/bring-your-own-llm/hugging-face",
    "https://pkg.go.dev/github.com/Tangerg/scope/models/huggingface",
    "https://openrouter.ai/docs/api-reference/streaming"
  ),
  notes: [
    "A suffix of the model selects the host (`:together`). Prices differ by host, so give its deployments a price.",
    "Each host has a dialect of its own: content as null, `cached_tokens` beside the details, finish reasons of its server."
  ],
  serves: ["chat"],
  // The last source, "Stream cancellation".
  billsAfterDisconnect: "all"
})
