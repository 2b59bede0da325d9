/** NVIDIA NIM: NVIDIA's own catalogue, and with a `base_url` the microservices that one runs oneself. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Nvidia = compatible({
  name: "nvidia",
  title: "NVIDIA NIM",
  baseUrl: "https://integrate.api.nvidia.com/v1",
  apiKeyVariable: "NVIDIA_API_KEY",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://docsearch.algolia.com/mcp/docs/website/build.nvidia.com",
    "https://docs.pipecat.ai/api-reference/server/services/llm/nvidia"
  ),
  notes: ["Every chunk of a stream reports usage; the last one counts.", "The model catalogue does not know it."],
  serves: ["chat", "completions", "embeddings"],
  billsAfterDisconnect: "all"
})
