/**
 * How the models that make vectors are asked, and where their answers have them. Shapes as recorded, and for Cohere Embed v4
 * https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html (2026-11-22).
 */
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, objectOf, textOf } from "../../../json/LooseJson.ts"

interface VectorModel {
  /** Texts of one request. */
  readonly most: number
  readonly takesDimensions: boolean
  /** Parameters of its own that callers may send along. */
  readonly fields: ReadonlyArray<string>
  readonly request: (texts: ReadonlyArray<string>, body: JsonObject) => JsonObject
  /** Undefined where the answer has none. */
  readonly vectors: (answer: JsonObject) => ReadonlyArray<unknown> | undefined
}

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
    ...(typeof dimensions === "number" ? { dimensions } : {}),
    ...(typeof normalize === "boolean" ? { normalize } : {})
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
      ...(typeof dimensions === "number" ? { embeddingDimension: dimensions } : {})
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
    ...(typeof body["dimensions"] === "number" ? { output_dimension: body["dimensions"] } : {})
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

export const vectorModel = ({ facts }: Pick<Deployment, "facts">): VectorModel =>
  forms[String(facts?.protocol?.["vectors"])] ?? cohere

/** Undefined where they are tokens. */
export const inputsOf = (input: unknown): ReadonlyArray<string> | undefined => {
  if (typeof input === "string") return [input]
  return Array.isArray(input) && input.every((one) => typeof one === "string") ? input : undefined
}
