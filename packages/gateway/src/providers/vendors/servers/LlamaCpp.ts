/** The server of llama.cpp. */
import { compatible, readOn } from "../Compatible.ts"

export const LlamaCpp = compatible({
  name: "llamacpp",
  title: "llama.cpp",
  baseUrl: "http://127.0.0.1:8080/v1",
  standing: "documented",
  sources: readOn("2026-11-22", "https://www.mintlify.com/ggml-org/llama.cpp/inference/server"),
  notes: ["It serves the model that it was started with, whatever the request calls it."],
  modelList: { path: "/models", namesOthers: true },
  serves: ["chat", "completions", "embeddings"]
})
