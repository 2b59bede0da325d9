/**
 * Ollama. The compatible protocol (`base_url: …/v1`) can't set the context window, and so cuts off the beginning of long prompts unseen
 * (https://docs.ollama.com/openapi.yaml: `num_ctx` is an option of `/api/chat` alone; read 2026-11-22).
 */
import type { Vendor } from "../../core/pool/Vendor.ts"
import { compatible, notesOf, withQuirks, compatibleWith } from "./CompatibleVendors.ts"

const ADDRESS = "http://127.0.0.1:11434"

export const Ollama: Vendor = compatible({
  ...notesOf("ollama"),
  isSelfHosted: true,
  protocol: "ollama-chat",
  baseUrl: ADDRESS,
  also: [{ protocol: "openai-chat", baseUrl: `${ADDRESS}/v1`, isAt: (url) => /\/v1\/*$/.test(url) }],
  inlineImages: true,
  quirks: withQuirks({ oneChoice: true }),
  // `num_predict` counts every token that is generated: https://github.com/ollama/ollama/blob/main/docs/modelfile.md (2026-11-22).
  bounds: () => ({ reasoning: "inside" })
})

export const OllamaCompatible = compatibleWith(Ollama, "Ollama's protocol elsewhere", { also: [] })
