/** Embeddings through `InvokeModel`: each family has a request and an answer of its own (`Vectors.ts`). */
import { Result } from "effect"
import { type ProviderFailure, truncated, Unsupported } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, StreamLifter, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { countOf, encodeJson, objectOf } from "../../../json/LooseJson.ts"
import { Losses } from "../../shared/Losses.ts"
import { guardrailHeaders } from "../BedrockGuardrail.ts"
import { modelPath } from "../BedrockPath.ts"
import { inputsOf, vectorModel } from "./BedrockInvokeVectors.ts"

/** Fields of the request that every family is asked with, or that say how the answer is written. */
const HANDLED = new Set(["model", "input", "dimensions", "encoding_format"])

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const {
    deployment,
    request: { body }
  } = call
  const losses = new Losses(call.strict)
  const family = vectorModel(deployment)
  const texts = inputsOf(body["input"])
  if (texts === undefined) losses.refuse("input", "this provider makes vectors of texts, not of tokens")
  else if (texts.length > family.most) losses.refuse("input", tooMany(family.most))
  const asked = encodeJson(family.request(texts ?? [], body))
  if (!family.takesDimensions && typeof body["dimensions"] === "number") {
    losses.refuse("dimensions", "the vectors of this model have one length only: leave `dimensions` out")
  }
  for (const [name, value] of Object.entries(body)) {
    if (HANDLED.has(name) || family.fields.includes(name) || value === null || value === "") continue
    losses.drop(name, `\`${name}\` has no counterpart at Bedrock`)
  }
  if (losses.problem !== undefined) return Result.fail(losses.problem)
  return Result.succeed({
    path: modelPath(deployment.model, "invoke"),
    headers: { "content-type": "application/json", accept: "application/json", ...guardrailHeaders(deployment) },
    body: asked ?? "{}",
    dropped: losses.dropped
  })
}

const tooMany = (most: number): string =>
  most === 1
    ? "this model makes the vector of one text for each request: send them one by one"
    : `this model takes at most ${most} texts in a request`

const liftRaw = (answer: BinaryAnswer, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const { deployment, request } = call
  const body = objectOf(parseJson(Buffer.from(answer.bytes).toString("utf8")))
  const family = vectorModel(deployment)
  const vectors = body === undefined ? undefined : family.vectors(body)
  const wanted = inputsOf(request.body["input"])?.length
  if (vectors === undefined || !vectors.every(isVector)) return Result.fail(truncated("the response has no vectors"))
  if (vectors.length !== wanted)
    return Result.fail(truncated(`the response has ${vectors.length} vectors, not ${wanted}`))
  const write = request.body["encoding_format"] === "base64" ? packed : (vector: Vector): unknown => vector
  const data = vectors.map((vector, index) => ({ object: "embedding", index, embedding: write(vector) }))
  const usage = usageOf(answer.headers?.["x-amzn-bedrock-input-token-count"] ?? body?.["inputTextTokenCount"])
  const told = usage === undefined ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }
  return Result.succeed({
    body: { object: "list", model: deployment.model, ...told },
    raw: { contentType: "application/json", bytes: Buffer.from(JSON.stringify(data)) },
    usage
  })
}

type Vector = ReadonlyArray<number>

const isVector = (value: unknown): value is Vector =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number")

/** 32-bit floats, little end first. */
const packed = (vector: Vector): string => {
  const bytes = Buffer.alloc(4 * vector.length)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, 4 * index)
  return bytes.toString("base64")
}

const usageOf = (told: unknown): Usage | undefined => {
  const input = countOf(typeof told === "string" && /^\d{1,9}$/.test(told) ? Number(told) : told)
  return input === 0 ? undefined : { ...noUsage, input }
}

const unstreamed = (): StreamLifter => ({ push: () => [], end: () => [] })

export const BedrockEmbeddings: Dialect = {
  lower,
  lift: (text, call) => liftRaw({ contentType: "application/json", bytes: Buffer.from(text) }, call),
  liftRaw,
  stream: unstreamed
}
