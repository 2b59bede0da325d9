/**
 * Vectors: a batch on AI Studio (`batchEmbedContents`), a prediction on Vertex (`predict`), and one text at a time for Vertex's newer
 * models (`embedContent`). https://ai.google.dev/api/embeddings and
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api (2026-11-22).
 */
import { Result } from "effect"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf, countOf, isGarbage, objectOf, objectOr, type JsonObject } from "../../../json/LooseJson.ts"
import { noObject } from "../../openai/OpenAiErrors.ts"
import { Losses } from "../../shared/Losses.ts"
import { dropUnknown, wireRequest } from "../../shared/LowerChat.ts"
import { cutVectors, vectorDialect, vectorsAnswer } from "../../shared/Vectors.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { modelPath } from "../GeminiModels.ts"

/** Texts of one request: the pages above. */
const MOST = { batch: 100, predict: 250, one: 1 }
const VALUES = Buffer.from('"values"')
const KNOWN = new Set(["model", "input", "dimensions", "encoding_format", "user"])

const lower = ({ deployment, request: { body }, strict }: UpstreamCall) => {
  const losses = new Losses(strict)
  const { dimensions, input } = body
  const texts = typeof input === "string" ? [input] : arrayOf(input)
  const isText = texts.every((one) => typeof one === "string")
  if (!isText) losses.refuse("input", "Google takes texts, not tokens: send `input` as text")
  const way = deployment.quirks?.embeds ?? "batch"
  const most = MOST[way]
  if (texts.length > most) {
    const unit = most === 1 ? "text" : "texts"
    losses.refuse("input", `this provider takes at most ${most} ${unit} in one request, not ${texts.length}`)
  }
  dropUnknown(body, KNOWN, "Google", losses)
  const size = typeof dimensions === "number" ? { outputDimensionality: dimensions } : undefined
  const [method, sent] = bodies[way](isText ? texts : [], deployment.model, size)
  return wireRequest(losses, `${modelPath(deployment.model)}:${method}`, sent)
}

type EmbeddingBody = (
  texts: ReadonlyArray<string>,
  model: string,
  size: JsonObject | undefined
) => readonly [method: string, body: JsonObject]

const bodies: { readonly [Way in keyof typeof MOST]: EmbeddingBody } = {
  batch: (texts, model, size) => {
    const name = modelPath(model).slice(1)
    return ["batchEmbedContents", { requests: texts.map((text) => ({ model: name, ...contentOf(text), ...size })) }]
  },
  predict: (texts, _, size) => ["predict", { instances: texts.map((content) => ({ content })), parameters: size }],
  one: ([text = ""], _, size) => ["embedContent", { ...contentOf(text), embedContentConfig: size }]
}

const contentOf = (text: string): JsonObject => ({ content: { parts: [{ text }] } })

export const GeminiEmbeddings = vectorDialect(lower, (bytes, call) => {
  const cut = cutVectors(bytes, VALUES)
  if (cut === undefined) return Result.fail(noObject(bytes.length === 0 ? "" : "vectors"))
  const { body, vectors } = cut
  const error = errorIn(body)
  if (error !== undefined) return Result.fail(reportedFailure(error))
  const items = [...arrayOf(body["embeddings"]), ...arrayOf(body["predictions"]), ...[body["embedding"] ?? []].flat()]
  const found = items.map((item) => {
    const vector = vectors[Number((objectOf(objectOr(item)["embeddings"]) ?? objectOr(item))["values"])]
    return vector !== undefined && isList(vector) ? vector : undefined
  })
  return vectorsAnswer(found, call, usageOf(body))
})

const OPEN = 91
const SHORTEST_LIST = 3

/** Of at least one number: Google packs none. */
const isList = (vector: Buffer): boolean => vector[0] === OPEN && vector.length >= SHORTEST_LIST

/** Older models on AI Studio report none. Vertex reports it for each text. */
const usageOf = (body: JsonObject): Usage | undefined => {
  const counts = [
    objectOr(body["usageMetadata"])["promptTokenCount"],
    ...arrayOf(body["predictions"]).map(
      (one) => objectOr(objectOr(objectOr(one)["embeddings"])["statistics"])["token_count"]
    )
  ]
  const input = counts.reduce<number>((sum, one) => sum + countOf(one), 0)
  return input === 0 || counts.some(isGarbage) ? undefined : { ...noUsage, input }
}
