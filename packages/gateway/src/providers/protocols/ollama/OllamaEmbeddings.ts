/** `POST /api/embed`: texts alone, and vectors of floats, which are packed here. */
import { Result } from "effect"
import { truncated } from "../../../core/domain/Failures.ts"
import { noUsage } from "../../../core/domain/Usage.ts"
import { countOf, isGarbage } from "../../json/LooseJson.ts"
import { answerBody } from "../openai/OpenAiErrors.ts"
import { Losses } from "../shared/Losses.ts"
import { dropUnknown, wireRequest } from "../shared/LowerChat.ts"
import { listedVectors, vectorDialect, vectorsAnswer } from "../shared/Vectors.ts"
import { contextOf } from "./request/OllamaChatRequest.ts"

const KNOWN = new Set("model input dimensions truncate keep_alive encoding_format num_ctx options".split(" "))

export const OllamaEmbeddings = vectorDialect(
  (call) => {
    const losses = new Losses(call.strict)
    const { deployment, request } = call
    const { dimensions, input, keep_alive: kept, truncate } = request.body
    if (request.tokens !== undefined)
      losses.refuse("input", "`input` must be a text or a list of texts at this provider")
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
    if (listed === undefined) {
      const read = answerBody(Buffer.from(bytes).toString("utf8"))
      return Result.fail(Result.isFailure(read) ? read.failure : truncated("the response has no vectors"))
    }
    const count = listed.body["prompt_eval_count"]
    const input = countOf(count)
    return vectorsAnswer(listed.vectors, call, isGarbage(count) || input === 0 ? undefined : { ...noUsage, input })
  }
)
