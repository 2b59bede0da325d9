/**
 * Ollama's own API, which can do what its compatible one can't: set the context window (`num_ctx`; without it long prompts lose their
 * beginning unseen), and switch thinking on and off. https://docs.ollama.com/openapi.yaml, and the types of `ollama` 0.6.4 (2026-11-22).
 * Errors (`{"error":"…"}`) are as OpenAI's reader knows them.
 */
import { Result } from "effect"
import { noUsage } from "../../../core/domain/Usage.ts"
import type { Dialect, Protocol } from "../../../core/pool/Protocol.ts"
import { jsonLines } from "../../framing/Lines.ts"
import { countOf, isGarbage } from "../../json/LooseJson.ts"
import { failure } from "../openai/OpenAiErrors.ts"
import { completionEvents } from "../shared/CompletionEvents.ts"
import { Losses } from "../shared/Losses.ts"
import { dropUnknown, wireRequest } from "../shared/LowerChat.ts"
import { listedVectors, vectorDialect, vectorsAnswer } from "../shared/Vectors.ts"
import { lift, stream } from "./answer/OllamaChatResponse.ts"
import { contextOf, lower } from "./request/OllamaChatRequest.ts"

// `POST /api/embed`: texts alone, and vectors of floats, which are packed here.

const KNOWN = new Set("model input dimensions truncate keep_alive encoding_format num_ctx options".split(" "))

const OllamaEmbeddings = vectorDialect(
  (call) => {
    const losses = new Losses(call.strict)
    const { deployment, request } = call
    const { dimensions, input, keep_alive: kept, truncate } = request.body
    if (request.tokens !== undefined) {
      losses.refuse("input", "`input` must be a text or a list of texts at this provider")
    }
    dropUnknown(request.body, KNOWN, "Ollama", losses)
    const window = contextOf(call)
    return wireRequest(losses, "/api/embed", {
      model: deployment.model,
      input,
      dimensions: typeof dimensions === "number" ? dimensions : undefined,
      truncate: typeof truncate === "boolean" ? truncate : undefined,
      keep_alive: kept ?? undefined,
      options: window === undefined ? undefined : { num_ctx: window }
    })
  },
  (bytes, call) => {
    const listed = listedVectors(bytes, "embeddings")
    if (Result.isFailure(listed)) return Result.fail(listed.failure)
    const { body, vectors } = listed.success
    const count = body["prompt_eval_count"]
    const input = countOf(count)
    return vectorsAnswer(vectors, call, isGarbage(count) || input === 0 ? undefined : { ...noUsage, input })
  }
)

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
