/** A server that speaks OpenAI's protocol (vLLM, Ollama, llama.cpp, another vendor): the configuration says where it is. */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { bearer } from "../auth/Static.ts"
import { compatibleBounds } from "./CompatibleBounds.ts"

export const OpenAiCompatible: Vendor = {
  name: "openai-compatible",
  protocol: "openai-chat",
  baseUrl: "",
  apiKeyVariable: undefined,
  starterModels: [],
  priceListId: undefined,
  // vLLM stops both kinds of calls (https://github.com/vllm-project/vllm/pull/32442, read 2026-11-22), as do llama.cpp and Ollama. Of a
  // vendor that does not, the configuration says so.
  billsAfterDisconnect: "none",
  bounds: compatibleBounds,
  auth: bearer
}
