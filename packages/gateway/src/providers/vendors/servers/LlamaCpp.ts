/** The server of llama.cpp. */
import { compatible, readOn, withQuirks } from "../CompatibleVendors.ts"

export const LlamaCpp = compatible({
  name: "llamacpp",
  isSelfHosted: true,
  title: "llama.cpp",
  baseUrl: "http://127.0.0.1:8080/v1",
  standing: "documented",
  sources: readOn(
    "2026-11-22",
    "https://www.mintlify.com/ggml-org/llama.cpp/inference/server",
    "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp"
  ),
  notes: [
    "It serves the model that it was started with, whatever the request calls it.",
    "`n_predict` is removed, because it would take precedence over `max_tokens`, which the budget reserves."
  ],
  // `oaicompat_chat_params_parse` in the second source.
  quirks: withQuirks({ refuses: ["n_predict"] }),
  modelList: { path: "/models", namesOthers: true },
  serves: ["chat", "completions", "embeddings"]
})
