/** A server that speaks OpenAI's protocol (vLLM, Ollama, llama.cpp, another vendor): the configuration says where it is. */
import type { Vendor } from "../../core/Provider.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"

export const OpenAiCompatible: Vendor = {
  name: "openai-compatible",
  protocol: "openai-chat",
  baseUrl: "",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  bounds: compatibleBounds,
  authenticate: (apiKey) => ({ authorization: `Bearer ${apiKey}` })
}
