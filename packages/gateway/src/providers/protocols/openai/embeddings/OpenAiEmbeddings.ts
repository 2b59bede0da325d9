/**
 * Embeddings of OpenAI and of servers that speak like it. Few of those know `encoding_format`, and some refuse it. So only OpenAI
 * gets it; the vectors of all others are packed here.
 */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated, type Unsupported } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { isNative } from "../answer/OpenAiChatResponse.ts"
import { errorIn, failureOfErrorBody } from "../OpenAiErrors.ts"
import { forwarded } from "../OpenAiForwarded.ts"
import { isObject } from "../../../json/LooseJson.ts"
import { limitPrice } from "../request/OpenAiChatMaxPrice.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"
import { unstreamed } from "../OpenAiUnstreamed.ts"
import { cutVectors, inFormat } from "./OpenAiEmbeddingsVectors.ts"

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { body, splice } = forwarded(call)
  if (!isNative(call)) delete body["encoding_format"]
  if (call.deployment.quirks?.takesMaxPrice === true && call.hasBudget === true) limitPrice(body, call)
  return Result.map(adapted(body, call), (dropped) => ({
    path: "/embeddings",
    headers: { accept: "application/json" },
    body: JSON.stringify(body),
    splice,
    dropped
  }))
}

const liftRaw = ({ bytes }: BinaryAnswer, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const cut = cutVectors(bytes)
  if (cut === undefined) return failed(bytes.length === 0 ? "the response is empty" : "the response is not JSON")
  const { data, object: _, usage: told, ...rest } = cut.body
  const error = errorIn({ choices: [], ...cut.body })
  if (error !== undefined) return Result.fail(failureOfErrorBody(error, cut.body))
  if (!Array.isArray(data) || data.length === 0) return failed("the response has no vectors")
  const format = call.request.body["encoding_format"] === "base64" ? "base64" : "float"
  const pieces: Array<Buffer> = []
  for (const [index, item] of data.entries()) {
    const vector = isObject(item) ? cut.vectors[Number(item["embedding"])] : undefined
    const json = vector === undefined ? undefined : inFormat(vector, format)
    if (json === undefined) return failed(`item ${index} of the response has no vector`)
    const { embedding: __, ...others } = item as JsonObject
    const head = JSON.stringify({ object: "embedding", index, ...others }).slice(0, -1)
    pieces.push(Buffer.from(`${index === 0 ? "[" : "},"}${head},"embedding":`), json)
  }
  pieces.push(Buffer.from("}]"))
  const usage = usageOf(told)
  const { model } = call.deployment
  return Result.succeed({
    body: { object: "list", model, ...rest, ...(usage === undefined ? {} : { usage: wireUsage(told, usage) }) },
    raw: { contentType: "application/json", bytes: Buffer.concat(pieces) },
    usage
  })
}

export const OpenAiEmbeddings: Dialect = {
  lower,
  lift: (text, call) => liftRaw({ contentType: "application/json", bytes: Buffer.from(text) }, call),
  liftRaw,
  stream: unstreamed
}

const failed = (what: string) => Result.fail(truncated(what))

/** No request has more tokens; what claims to is garbage. */
const MOST_TOKENS = 1e9

/** Vectors are not written in tokens, so the total is what was read. Undefined where it says nothing. */
const usageOf = (told: unknown): Usage | undefined => {
  if (!isObject(told)) return undefined
  const counts = ["prompt_tokens", "input_tokens", "total_tokens"].map((name) => told[name] ?? 0)
  if (!counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0 && Number(count) <= MOST_TOKENS)) {
    return undefined
  }
  const input = Math.max(...counts.map(Number))
  return input === 0 ? undefined : { ...noUsage, input }
}

/** The provider's own object. What is null in it is left out: the vendor's clients read into details. */
const wireUsage = (told: unknown, { input }: Usage): JsonObject => ({
  ...Object.fromEntries(Object.entries(isObject(told) ? told : {}).filter(([, value]) => value !== null)),
  prompt_tokens: input,
  total_tokens: input
})
