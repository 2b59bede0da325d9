/** A LiteLLM proxy as an upstream. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const LiteLlm = compatible({
  name: "litellm",
  isSelfHosted: true,
  title: "LiteLLM proxy",
  baseUrl: "http://127.0.0.1:4000/v1",
  apiKeyVariable: "LITELLM_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docs.litellm.ai/docs/simple_proxy_old_doc",
    "https://docs.port.io/ai-interfaces/port-ai/llm-providers-management/providers/openai-compatible"
  ),
  notes: [
    "LiteLLM's configuration maps its model names. Give its deployments a price, and a `base_model` if the name does not identify the model.",
    "It is not known whether a vendor behind it stops when its connection closes, so calls are read to their end."
  ],
  serves: ["chat", "completions", "embeddings", "moderations", "images", "image_edits", "transcriptions", "speech"],
  billsAfterDisconnect: "all"
})
