/** Ollama, through the part of its API that is compatible with OpenAI's. It takes images as data URLs and fetches none. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"

export const Ollama: Vendor = {
  name: "ollama",
  protocol: "openai-chat",
  baseUrl: "http://127.0.0.1:11434/v1",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  billsAfterDisconnect: "none",
  inlineImages: true,
  // `num_predict` counts every token that is generated: https://github.com/ollama/ollama/blob/main/docs/modelfile.md (2026-11-22).
  bounds: () => ({ reasoning: "inside" }),
  auth: bearer
}
