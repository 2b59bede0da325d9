/** Ollama, through the part of its API that is compatible with OpenAI's. It takes images as data URLs and fetches none. */
import { compatible } from "./Compatible.ts"

export const Ollama = compatible({
  name: "ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  inlineImages: true,
  // `num_predict` counts every token that is generated: https://github.com/ollama/ollama/blob/main/docs/modelfile.md (2026-11-22).
  bounds: () => ({ reasoning: "inside" })
})
