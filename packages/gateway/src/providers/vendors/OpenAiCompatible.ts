/** A server that speaks OpenAI's protocol (vLLM, llama.cpp, another vendor): the configuration says where it is. */
import { compatible, readOn } from "./CompatibleVendors.ts"

// vLLM stops both kinds of calls (https://github.com/vllm-project/vllm/pull/32442, read 2026-11-22), as do llama.cpp and Ollama. Of a
// vendor that does not, the configuration says so.
export const OpenAiCompatible = compatible({
  name: "openai-compatible",
  isSelfHosted: true,
  title: "Any server with OpenAI's API",
  baseUrl: "",
  sources: readOn("2026-11-22", "https://github.com/vllm-project/vllm/pull/32442"),
  notes: [
    "`protocol: openai-chat` and a `base_url` are all that it needs; what its models can do, `operations` and `supports` say."
  ]
})
