/**
 * Embeddings through `InvokeModel`. Each family of models has a request and a response of its own: shapes as recorded, and for Cohere Embed
 * v4 https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html (2026-11-22).
 */
import { Result } from "effect"
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { arrayOf, countOf, isObject, objectOf, textOf, type JsonObject } from "../../../json/LooseJson.ts"
import { Losses } from "../../shared/Losses.ts"
import { dropUnknown, wireRequest } from "../../shared/LowerChat.ts"
import { vectorDialect, vectorsAnswer } from "../../shared/Vectors.ts"
import { guardrailHeaders } from "../BedrockGuardrail.ts"
import { modelPath } from "../BedrockModels.ts"

/** Fields that every family has, or that say how the response is written. */
const KNOWN = ["model", "input", "dimensions", "encoding_format"]

const lower = ({ deployment, request: { body }, strict }: UpstreamCall) => {
  const losses = new Losses(strict)
  const family = vectorModel(deployment)
  const texts = inputsOf(body["input"])
  if (texts === undefined) losses.refuse("input", "this provider makes vectors of texts, not of tokens")
  else if (texts.length > family.most) losses.refuse("input", tooMany(family.most))
  if (!family.takesDimensions && typeof body["dimensions"] === "number") {
    losses.refuse("dimensions", "the vectors of this model have one length only: leave `dimensions` out")
  }
  dropUnknown(body, new Set([...KNOWN, ...family.fields]), "Bedrock", losses)
  const wire = wireRequest(losses, modelPath(deployment.model, "invoke"), family.request(texts ?? [], body))
  return Result.map(wire, (sent) => ({ ...sent, headers: { ...sent.headers, ...guardrailHeaders(deployment) } }))
}

const tooMany = (most: number): string =>
  most === 1
    ? "this model makes the vector of one text for each request: send them one by one"
    : `this model takes at most ${most} texts in a request`

export const BedrockEmbeddings = vectorDialect(lower, (bytes, call, headers) => {
  const body = objectOf(parseJson(Buffer.from(bytes).toString("utf8")))
  const vectors = body === undefined ? undefined : vectorModel(call.deployment).vectors(body)
  if (vectors === undefined || !vectors.every(isVector)) return Result.fail(truncated("the response has no vectors"))
  const usage = usageOf(headers?.["x-amzn-bedrock-input-token-count"] ?? body?.["inputTextTokenCount"])
  return vectorsAnswer(
    vectors.map((vector) => Buffer.from(JSON.stringify(vector))),
    call,
    usage
  )
})

const isVector = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "number")

const usageOf = (count: unknown): Usage | undefined => {
  const input = countOf(typeof count === "string" && /^\d{1,9}$/.test(count) ? Number(count) : count)
  return input === 0 ? undefined : { ...noUsage, input }
}

interface VectorModel {
  /** Texts of one request. */
  readonly most: number
  readonly takesDimensions: boolean
  /** Parameters of its own that callers may send along. */
  readonly fields: ReadonlyArray<string>
  readonly request: (texts: ReadonlyArray<string>, body: JsonObject) => JsonObject
  /** Undefined where the response has none. */
  readonly vectors: (answer: JsonObject) => ReadonlyArray<unknown> | undefined
}

const sizeOf = (dimensions: unknown): number | undefined => (typeof dimensions === "number" ? dimensions : undefined)

const only = (vector: unknown): ReadonlyArray<unknown> | undefined => (vector === undefined ? undefined : [vector])

const titan1: VectorModel = {
  most: 1,
  takesDimensions: false,
  fields: [],
  request: ([inputText]) => ({ inputText }),
  vectors: ({ embedding }) => only(embedding)
}

const titan2: VectorModel = {
  ...titan1,
  takesDimensions: true,
  fields: ["normalize"],
  request: ([inputText], { dimensions, normalize }) => ({
    inputText,
    dimensions: sizeOf(dimensions),
    normalize: typeof normalize === "boolean" ? normalize : undefined
  })
}

const titanImage: VectorModel = {
  ...titan1,
  takesDimensions: true,
  request: ([inputText], { dimensions }) => ({
    inputText,
    ...(typeof dimensions === "number" ? { embeddingConfig: { outputEmbeddingLength: dimensions } } : {})
  })
}

const nova: VectorModel = {
  ...titan1,
  takesDimensions: true,
  fields: ["embedding_purpose"],
  request: ([value], { dimensions, embedding_purpose: purpose }) => ({
    taskType: "SINGLE_EMBEDDING",
    singleEmbeddingParams: {
      embeddingPurpose: textOf(purpose) ?? "GENERIC_INDEX",
      // A text that is too long is refused, as it is elsewhere.
      text: { value, truncationMode: "NONE" },
      embeddingDimension: sizeOf(dimensions)
    }
  }),
  vectors: ({ embeddings }) => arrayOf(embeddings).map((one) => (isObject(one) ? one["embedding"] : undefined))
}

const cohere: VectorModel = {
  most: 96,
  takesDimensions: false,
  fields: ["input_type"],
  request: (texts, { input_type: type }) => ({
    texts,
    input_type: textOf(type) ?? "search_document",
    truncate: "NONE"
  }),
  vectors: ({ embeddings }) => {
    const found = Array.isArray(embeddings) ? embeddings : objectOf(embeddings)?.["float"]
    return Array.isArray(found) ? found : undefined
  }
}

const cohere4: VectorModel = {
  ...cohere,
  takesDimensions: true,
  request: (texts, body) => ({
    ...cohere.request(texts, body),
    output_dimension: sizeOf(body["dimensions"])
  })
}

/** By the name that the model catalogue has for each form. */
const forms: { readonly [form: string]: VectorModel } = {
  "titan-image": titanImage,
  "titan-1": titan1,
  "titan-2": titan2,
  nova,
  "cohere-4": cohere4
}

const vectorModel = ({ facts }: Pick<Deployment, "facts">): VectorModel =>
  forms[String(facts?.protocol?.["vectors"])] ?? cohere

/** Undefined where they are tokens. */
const inputsOf = (input: unknown): ReadonlyArray<string> | undefined => {
  if (typeof input === "string") return [input]
  return Array.isArray(input) && input.every((one) => typeof one === "string") ? input : undefined
}
