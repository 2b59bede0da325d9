/** The demo vendor's vectors, rankings and judgements: by the words alone, so that tests and demonstrations know what comes. */
import { Hash, Result, Schema } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { countOf, estimatedTokens, maybe, readBody } from "./chat/DemoRequest.ts"
import { invalidRequest, modelNotFound, type VendorError } from "./DemoVendorErrors.ts"

const EMBEDDER = "embed"
/** Numbers in a vector, where the caller wants no other length. */
const LENGTH = 256
const MOST_NUMBERS = 4_096
const MOST_INPUTS = 2_048

const Tokens = Schema.NonEmptyArray(Schema.Int)

const readInputs = readBody(
  Schema.Struct({
    model: Schema.String,
    input: Schema.Union([
      Schema.NonEmptyString,
      Schema.NonEmptyArray(Schema.NonEmptyString),
      Tokens,
      Schema.NonEmptyArray(Tokens)
    ]),
    dimensions: maybe(countOf(MOST_NUMBERS)),
    encoding_format: maybe(Schema.Literals(["float", "base64"]))
  })
)

export const embeddings = (body: string): Result.Result<JsonObject, VendorError> =>
  Result.gen(function* () {
    const { dimensions, encoding_format: format, input, model } = yield* readInputs(body)
    if (model !== EMBEDDER) return yield* Result.fail(modelNotFound(model))
    const inputs = inputsOf(input)
    if (inputs.length > MOST_INPUTS) {
      return yield* Result.fail(invalidRequest(`'input' has more than ${MOST_INPUTS} inputs.`, "input"))
    }
    const tokens = inputs.reduce((sum, one) => sum + tokensIn(one), 0)
    return {
      object: "list",
      data: inputs.map((one, index) => {
        const vector = vectorOf(wordsOf(one), dimensions ?? LENGTH)
        return { object: "embedding", index, embedding: format === "base64" ? packed(vector) : [...vector] }
      }),
      model,
      usage: { prompt_tokens: tokens, total_tokens: tokens }
    }
  })

type EmbeddingInput = string | ReadonlyArray<number>

const inputsOf = (
  input: string | ReadonlyArray<string> | ReadonlyArray<number> | ReadonlyArray<ReadonlyArray<number>>
): ReadonlyArray<EmbeddingInput> => {
  if (typeof input === "string") return [input]
  return isTokens(input) ? [input] : input
}

const isTokens = (input: ReadonlyArray<unknown>): input is ReadonlyArray<number> => typeof input[0] === "number"

const tokensIn = (input: EmbeddingInput): number =>
  typeof input === "string" ? estimatedTokens(input.length) : input.length

const wordsOf = (input: EmbeddingInput): ReadonlyArray<string> =>
  typeof input === "string" ? (wordsIn(input) ?? [input]) : input.map(String)

const wordsIn = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu)

/** Each word is a direction of its own; a text is the sum of its words, of length one. A shorter vector is the beginning of a longer. */
const vectorOf = (words: ReadonlyArray<string>, length: number): Float32Array => {
  const sum = new Float64Array(length)
  for (const word of words) {
    let state = Hash.string(word) | 1
    for (let at = 0; at < length; at++) {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5
      sum[at]! += ((state ^ (state >>> 13)) | 0) / 2 ** 31
    }
  }
  const size = Math.hypot(...sum)
  return Float32Array.from(sum, (one) => (size === 0 ? 1 / Math.sqrt(length) : one / size))
}

const packed = (vector: Float32Array): string => {
  const bytes = new DataView(new ArrayBuffer(vector.length * 4))
  vector.forEach((one, at) => bytes.setFloat32(at * 4, one, true))
  return Buffer.from(bytes.buffer).toString("base64")
}

const RANKER = "rerank"
const DOCUMENTS_PER_UNIT = 100

const readDocuments = readBody(
  Schema.Struct({
    model: Schema.String,
    query: Schema.String,
    documents: Schema.NonEmptyArray(Schema.String),
    top_n: maybe(Schema.Int)
  })
)

export const rerank = (body: string): Result.Result<JsonObject, VendorError> =>
  Result.flatMap(readDocuments(body), ({ documents, model, query, top_n: most }) => {
    if (model !== RANKER) return Result.fail(modelNotFound(model))
    const asked = new Set(wordsIn(query))
    const results = documents
      .map((document, index) => ({ index, relevance_score: shared(asked, new Set(wordsIn(document))) }))
      .sort((one, other) => other.relevance_score - one.relevance_score)
      .slice(0, most ?? documents.length)
    const tokens = estimatedTokens(documents.join("").length + query.length * documents.length)
    return Result.succeed({
      model,
      results,
      usage: { total_tokens: tokens },
      meta: { billed_units: { search_units: Math.ceil(documents.length / DOCUMENTS_PER_UNIT) } }
    })
  })

/** Of the query's words, the share that the document has too; four digits. */
const shared = (asked: ReadonlySet<string>, document: ReadonlySet<string>): number => {
  if (asked.size === 0) return 0
  const both = [...asked].filter((word) => document.has(word)).length
  return Math.round((both / asked.size) * 10_000) / 10_000
}

const Part = Schema.Struct({ type: Schema.Literals(["text", "image_url"]), text: maybe(Schema.String) })

const readJudged = readBody(
  Schema.Struct({
    model: Schema.String,
    input: Schema.Union([Schema.String, Schema.NonEmptyArray(Schema.String), Schema.NonEmptyArray(Part)])
  })
)

const CATEGORIES: ReadonlyArray<readonly [name: string, words?: RegExp]> = [
  ["harassment", /\b(?:insult|bully|stupid)\w*/i],
  ["hate", /\bhate\w*/i],
  ["illicit", /\b(?:steal|smuggle)\w*/i],
  ["illicit/violent", /\bbombs?\b/i],
  ["violence", /\b(?:attack|harm|hit|hurt|kill)\w*/i],
  ["violence/graphic", /\bblood\w*/i],
  ..."harassment/threatening hate/threatening self-harm self-harm/intent self-harm/instructions sexual sexual/minors"
    .split(" ")
    .map((name) => [name] as const)
]
/** The vendor judges images by these alone: https://platform.openai.com/docs/guides/moderation (2026-11-22). */
const OF_IMAGES = /^(?:self-harm|sexual$|violence)/

/** The body of the response. Parts are judged together, and images are harmless. `call`: what makes its id. */
export const moderations = (
  body: string,
  { created, serial = 0 }: { readonly created: number; readonly serial?: number }
): Result.Result<JsonObject, VendorError> =>
  Result.flatMap(readJudged(body), ({ input, model }) => {
    if (model !== "moderation") return Result.fail(modelNotFound(model))
    const given = typeof input === "string" ? [input] : input
    const texts = given.map((one) => (typeof one === "string" ? one : (one.text ?? "")))
    const isOfParts = typeof given[0] === "object"
    const hasImage = given.some((one) => typeof one === "object" && one.type === "image_url")
    const results = (isOfParts ? [texts.join("\n")] : texts).map((text) => judged(text, hasImage))
    return Result.succeed({ id: `modr-demo${created.toString(36)}${serial.toString(36)}`, model, results })
  })

const judged = (text: string, hasImage: boolean): JsonObject => {
  const each = <A>(of: (isFound: boolean, name: string) => A) =>
    Object.fromEntries(CATEGORIES.map(([name, words]) => [name, of(words?.test(text) === true, name)]))
  const said = hasImage && text.trim() === "" ? [] : ["text"]
  return {
    flagged: CATEGORIES.some(([, words]) => words?.test(text)),
    categories: each((isFound) => isFound),
    category_scores: each((isFound) => (isFound ? 0.92 : 0.0001)),
    category_applied_input_types: each((_, name) => [...said, ...(hasImage && OF_IMAGES.test(name) ? ["image"] : [])])
  }
}
