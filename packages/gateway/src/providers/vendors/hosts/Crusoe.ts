/** Crusoe: open models on vLLM. */
import { compatible, readOn } from "../CompatibleVendors.ts"

export const Crusoe = compatible({
  name: "crusoe",
  title: "Crusoe",
  baseUrl: "https://api.inference.crusoecloud.com/v1",
  apiKeyVariable: "CRUSOE_API_KEY",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.crusoecloud.com/quickstart/getting-started-with-serverless-inference",
    "https://docs.vllm.ai/en/latest/deployment/frameworks/crusoe/"
  ),
  notes: ["The model catalogue does not know it: give its deployments a price."],
  serves: ["chat"],
  // vLLM would stop; nobody says that what is in front of it does.
  billsAfterDisconnect: "all"
})
