/** Ollama, through the part of its API that is compatible with OpenAI's. It takes images as data URLs and fetches none. */
import { compatible, readOn } from "./Compatible.ts"

export const Ollama = compatible({
  name: "ollama",
  title: "Ollama",
  standing: "recorded",
  sources: readOn("2026-11-22", "https://github.com/ollama/ollama/blob/main/docs/modelfile.md"),
  notes: ["Images go in as bytes: an address is fetched first."],
  baseUrl: "http://127.0.0.1:11434/v1",
  inlineImages: true,
  // `num_predict` counts every token that is generated: https://github.com/ollama/ollama/blob/main/docs/modelfile.md (2026-11-22).
  bounds: () => ({ reasoning: "inside" })
})
