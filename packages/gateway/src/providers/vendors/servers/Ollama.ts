/**
 * Ollama. Its own protocol is the usual one: the compatible one (`base_url: …/v1`, or `protocol: openai-chat`) can't set the context window,
 * and so cuts off the beginning of prompts that are longer than the server's default, without a word
 * (https://docs.ollama.com/openapi.yaml: `num_ctx` is an option of `/api/chat` alone; read 2026-11-22).
 */
import type { Vendor } from "../../../core/pool/Vendor.ts"
import { compatible, readOn, withQuirks } from "../CompatibleVendors.ts"

const ADDRESS = "http://127.0.0.1:11434"

export const Ollama: Vendor = compatible({
  name: "ollama",
  isSelfHosted: true,
  title: "Ollama",
  standing: "recorded",
  sources: readOn(
    "2026-11-22",
    "https://docs.ollama.com/openapi.yaml",
    "https://github.com/ollama/ollama/blob/main/docs/modelfile.md",
    "https://github.com/ollama/ollama/releases/tag/v0.9.0",
    "https://www.w3cschool.cn/ollamadocs/ollamadocs-capabilities-thinking.html"
  ),
  notes: [
    "Images go in as bytes: an address is fetched first.",
    "`num_ctx` is the deployment's `context_window`, or a smaller one from the caller.",
    "An address that ends in `/v1`, or `protocol: openai-chat`, is spoken to in OpenAI's protocol."
  ],
  protocol: "ollama-chat",
  baseUrl: ADDRESS,
  also: [{ protocol: "openai-chat", baseUrl: `${ADDRESS}/v1`, isAt: (url) => /\/v1\/*$/.test(url) }],
  inlineImages: true,
  quirks: withQuirks({ oneChoice: true }),
  // `num_predict` counts every token that is generated: https://github.com/ollama/ollama/blob/main/docs/modelfile.md (2026-11-22).
  bounds: () => ({ reasoning: "inside" })
})

/** A server of somebody else that speaks Ollama's protocol. */
export const OllamaCompatible: Vendor = {
  ...Ollama,
  name: "ollama-compatible",
  isSelfHosted: true,
  title: "Ollama's protocol elsewhere",
  standing: "unverified",
  sources: [],
  baseUrl: "",
  also: []
}
