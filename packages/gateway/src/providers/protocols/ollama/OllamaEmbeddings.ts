/** `POST /api/embed`: texts alone, and vectors of floats, which are packed here. */
import { Result } from "effect"
import { type ProviderFailure, truncated, type Unsupported } from "../../../core/domain/Failures.ts"
import { noUsage } from "../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../core/pool/Protocol.ts"
import { countOf, isGarbage } from "../../json/LooseJson.ts"
import { listedVectors, vectorsAnswer } from "../shared/ListedVectors.ts"
import { Losses } from "../shared/Losses.ts"
import { answerBody } from "../openai/OpenAiAnswerBody.ts"
import { unstreamed } from "../openai/OpenAiUnstreamed.ts"
import { contextOf } from "./request/OllamaChatOptions.ts"

const TAKEN = new Set([
  "model",
  "input",
  "dimensions",
  "truncate",
  "keep_alive",
  "encoding_format",
  "num_ctx",
  "options"
])

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const losses = new Losses(call.strict)
  const { deployment, request } = call
  const { dimensions, input, keep_alive: kept, truncate } = request.body
  if (request.tokens !== undefined) losses.refuse("input", "`input` must be a text or a list of texts at this provider")
  for (const [name, value] of Object.entries(request.body)) {
    if (TAKEN.has(name) || value === null || value === "") continue
    losses.drop(name, `\`${name}\` has no counterpart at Ollama`)
  }
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  const window = contextOf(call)
  const body = {
    model: deployment.model,
    input,
    ...(typeof dimensions === "number" ? { dimensions } : {}),
    ...(typeof truncate === "boolean" ? { truncate } : {}),
    ...(kept === undefined || kept === null ? {} : { keep_alive: kept }),
    ...(window === undefined ? {} : { options: { num_ctx: window } })
  }
  return Result.succeed({
    path: "/api/embed",
    headers: { accept: "application/json" },
    body: JSON.stringify(body),
    dropped: losses.dropped
  })
}

const liftRaw = ({ bytes }: BinaryAnswer, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const listed = listedVectors(bytes, "embeddings")
  if (listed === undefined) {
    const read = answerBody(Buffer.from(bytes).toString("utf8"))
    return Result.fail(Result.isFailure(read) ? read.failure : truncated("the response has no vectors"))
  }
  const told = listed.body["prompt_eval_count"]
  const input = countOf(told)
  return vectorsAnswer(listed.vectors, call, isGarbage(told) || input === 0 ? undefined : { ...noUsage, input })
}

export const OllamaEmbeddings: Dialect = {
  lower,
  lift: (text, call) => liftRaw({ contentType: "application/json", bytes: Buffer.from(text) }, call),
  liftRaw,
  stream: unstreamed
}
