/** OpenAI. */
import type { Vendor } from "../../core/Provider.ts"
import { openAiBounds } from "./OpenAiBounds.ts"

export const OpenAi: Vendor = {
  name: "openai",
  protocol: "openai-chat",
  baseUrl: "https://api.openai.com/v1",
  apiKeyVariable: "OPENAI_API_KEY",
  starterModels: ["gpt-5-nano", "gpt-5-mini", "gpt-5", "gpt-5"],
  priceListId: "openai",
  bounds: openAiBounds,
  authenticate: (apiKey) => ({ authorization: `Bearer ${apiKey}` })
}
