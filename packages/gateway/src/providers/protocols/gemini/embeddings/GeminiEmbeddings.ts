/**
 * Vectors: a batch on AI Studio (`batchEmbedContents`), a prediction on Vertex (`predict`), and one text at a time for Vertex's newer
 * models (`embedContent`). https://ai.google.dev/api/embeddings and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api (2026-11-22).
 */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { type ProviderFailure, truncated, Unsupported } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { arrayOf, countOf, isGarbage, isObject, objectOf } from "../../../json/LooseJson.ts"
import { cutVectors, inFormat } from "../../openai/embeddings/OpenAiEmbeddingsVectors.ts"
import { unstreamed } from "../../openai/OpenAiUnstreamed.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { modelPath } from "../GeminiModels.ts"

/** Texts of one request, on AI Studio and on Vertex: the pages above. */
const MOST_IN_BATCH = 100
const MOST_INSTANCES = 250

const VALUES = Buffer.from('"values"')

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  const { deployment, request } = call
  const { dimensions, input } = request.body
  const texts = typeof input === "string" ? [input] : arrayOf(input)
  if (!texts.every((one) => typeof one === "string"))
    return refused("Google takes texts, not tokens: send `input` as text")
  const size = typeof dimensions === "number" ? dimensions : undefined
  const way = deployment.quirks?.embeds ?? "batch"
  const most = way === "one" ? 1 : way === "predict" ? MOST_INSTANCES : MOST_IN_BATCH
  if (texts.length > most) {
    return refused(
      `this provider takes at most ${most} ${most === 1 ? "text" : "texts"} in one request, not ${texts.length}`
    )
  }
  const dropped = Object.keys(request.body).filter((name) => !HANDLED.has(name) && request.body[name] !== null)
  const [first] = dropped
  if (call.strict && first !== undefined) {
    return Result.fail(new Unsupported({ param: first, message: `\`${first}\` has no counterpart at Google` }))
  }
  const [method, body] = bodies[way](texts, deployment.model, size)
  return Result.succeed({
    path: `${modelPath(deployment.model)}:${method}`,
    headers: { accept: "application/json" },
    body: JSON.stringify(body),
    dropped
  })
}

const HANDLED = new Set(["model", "input", "dimensions", "encoding_format", "user"])

const refused = (message: string) => Result.fail(new Unsupported({ message, param: "input" }))

type EmbeddingBody = (
  texts: ReadonlyArray<string>,
  model: string,
  size: number | undefined
) => readonly [string, JsonObject]

const ofSize = (name: string, size: number | undefined): JsonObject => (size === undefined ? {} : { [name]: size })

const bodies: { readonly [Way in "batch" | "predict" | "one"]: EmbeddingBody } = {
  batch: (texts, model, size) => [
    "batchEmbedContents",
    {
      requests: texts.map((text) => ({
        model: modelPath(model).slice(1),
        content: { parts: [{ text }] },
        ...ofSize("outputDimensionality", size)
      }))
    }
  ],
  predict: (texts, _, size) => [
    "predict",
    {
      instances: texts.map((content) => ({ content })),
      ...(size === undefined ? {} : { parameters: ofSize("outputDimensionality", size) })
    }
  ],
  one: ([text = ""], _, size) => [
    "embedContent",
    {
      content: { parts: [{ text }] },
      ...(size === undefined ? {} : { embedContentConfig: ofSize("outputDimensionality", size) })
    }
  ]
}

const liftRaw = ({ bytes }: BinaryAnswer, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> => {
  const cut = cutVectors(bytes, VALUES)
  if (cut === undefined) return failed(bytes.length === 0 ? "the response is empty" : "the response is not JSON")
  const { body, vectors } = cut
  const error = errorIn(body)
  if (error !== undefined) return Result.fail(reportedFailure(error))
  const items = [...arrayOf(body["embeddings"]), ...arrayOf(body["predictions"]), ...[body["embedding"] ?? []].flat()]
  const { input } = call.request.body
  const asked = Array.isArray(input) ? input.length : 1
  if (items.length !== asked) return failed(`the response has ${items.length} vectors for ${asked} texts`)
  const format = call.request.body["encoding_format"] === "base64" ? "base64" : "float"
  const pieces: Array<Buffer> = []
  for (const [index, item] of items.entries()) {
    const holder = isObject(item) ? (objectOf(item["embeddings"]) ?? item) : {}
    const vector = vectors[Number(holder["values"])]
    const json = vector === undefined || !isList(vector) ? undefined : inFormat(vector, format)
    if (json === undefined) return failed(`item ${index} of the response has no vector`)
    const head = JSON.stringify({ object: "embedding", index }).slice(0, -1)
    pieces.push(Buffer.from(`${index === 0 ? "[" : "},"}${head},"embedding":`), json)
  }
  pieces.push(Buffer.from("}]"))
  const usage = usageOf(body)
  return Result.succeed({
    body: {
      object: "list",
      model: call.deployment.model,
      ...(usage === undefined ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } })
    },
    raw: { contentType: "application/json", bytes: Buffer.concat(pieces) },
    usage
  })
}

const OPEN = 91
const NUMBERS = 3

/** Of at least one number: Google packs none. */
const isList = (vector: Buffer): boolean => vector[0] === OPEN && vector.length >= NUMBERS

const failed = (what: string) => Result.fail(truncated(what))

/** Older models on AI Studio tell none. Vertex tells it for each text. */
const usageOf = (body: JsonObject): Usage | undefined => {
  const told = [
    objectOf(body["usageMetadata"])?.["promptTokenCount"],
    ...arrayOf(body["predictions"]).map((one) =>
      isObject(one) ? objectOf(objectOf(one["embeddings"])?.["statistics"])?.["token_count"] : undefined
    )
  ]
  const input = told.reduce<number>((sum, one) => sum + countOf(one), 0)
  return input === 0 || told.some(isGarbage) ? undefined : { ...noUsage, input }
}

export const GeminiEmbeddings: Dialect = {
  lower,
  lift: (text, call) => liftRaw({ contentType: "application/json", bytes: Buffer.from(text) }, call),
  liftRaw,
  stream: unstreamed
}
