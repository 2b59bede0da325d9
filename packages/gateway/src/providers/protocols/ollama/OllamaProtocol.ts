/**
 * Ollama's own API, which can do what its compatible one can't: set the context window (`num_ctx`; without it long prompts lose their
 * beginning unseen), and switch thinking on and off. https://docs.ollama.com/openapi.yaml, and the types of `ollama` 0.6.4 (2026-11-22).
 * Errors (`{"error":"…"}`) are as OpenAI's reader knows them.
 */
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { jsonLines } from "../../framing/Lines.ts"
import { failure } from "../openai/OpenAiErrors.ts"
import { lift } from "./answer/OllamaChatResponse.ts"
import { stream } from "./answer/OllamaChatStream.ts"
import { OllamaEmbeddings } from "./OllamaEmbeddings.ts"
import { lower } from "./request/OllamaChatRequest.ts"

export const OllamaChat: Dialect = { lower, lift, stream, replay: completionEvents, idPrefix: "chatcmpl-" }

export const OllamaProtocol: Protocol = {
  name: "ollama-chat",
  speaks: new Map([
    ["chat", OllamaChat],
    ["embeddings", OllamaEmbeddings]
  ]),
  framing: jsonLines,
  failure
}
