/** Answers whose vectors stand in one list, cut out as in `openai/embeddings/OpenAiEmbeddingsVectors.ts`, and the answer in OpenAI's shape that they become. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../core/domain/Json.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import type { LiftedAnswer } from "../../../core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject } from "../../json/LooseJson.ts"
import { inFormat } from "../openai/embeddings/OpenAiEmbeddingsVectors.ts"

/** As many as there can be inputs; with more, an answer is garbage. */
const MOST_VECTORS = 100_000

const COLON = 58
const COMMA = 44
const OPEN = 91
const CLOSE = 93
const END = Buffer.from("]")

export interface Listed {
  /** The answer, with an empty list in place of the vectors. */
  readonly body: JsonObject
  /** JSON: a list of numbers each. */
  readonly vectors: ReadonlyArray<Buffer>
}

/** The first list of lists under `key`. Undefined if the answer is not JSON, or has no such list. */
export const listedVectors = (answer: Uint8Array, key: string): Listed | undefined => {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)
  const name = Buffer.from(`"${key}"`)
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    const colon = afterBlanks(bytes, at + name.length)
    const begin = afterBlanks(bytes, colon + 1)
    // Inside strings quotes are escaped, so each key that is found is one.
    if (bytes[colon] !== COLON || bytes[begin] !== OPEN) continue
    const found = vectorsFrom(bytes, begin)
    if (found === undefined) continue
    const body = parseJson(`${bytes.toString("utf8", 0, begin)}[]${bytes.toString("utf8", found.end)}`)
    return isObject(body) ? { body, vectors: found.vectors } : undefined
  }
  return undefined
}

const vectorsFrom = (bytes: Buffer, begin: number) => {
  const vectors: Array<Buffer> = []
  for (let at = afterBlanks(bytes, begin + 1); bytes[at] === OPEN; at = afterBlanks(bytes, at + 1)) {
    const end = bytes.indexOf(END, at)
    if (end < 0 || vectors.length === MOST_VECTORS) return undefined
    vectors.push(bytes.subarray(at, end + 1))
    const next = afterBlanks(bytes, end + 1)
    if (bytes[next] === CLOSE) return { vectors, end: next + 1 }
    if (bytes[next] !== COMMA) return undefined
    at = next
  }
  return undefined
}

const afterBlanks = (bytes: Buffer, from: number): number => {
  let at = from
  while (at < bytes.length && bytes[at]! <= 32) at++
  return at
}

/** One for each input, in the caller's format. `more`: further fields of the answer. */
export const vectorsAnswer = (
  vectors: ReadonlyArray<Buffer>,
  { deployment, request }: UpstreamCall,
  usage: Usage | undefined,
  more: JsonObject = {}
): Result.Result<LiftedAnswer, ProviderFailure> => {
  const { [request.contents]: input, encoding_format: asked } = request.body
  const expected = Array.isArray(input) ? input.length : 1
  if (vectors.length !== expected) {
    return Result.fail(truncated(`the response has ${vectors.length} vectors for ${expected} inputs`))
  }
  const pieces: Array<Buffer> = []
  for (const [index, vector] of vectors.entries()) {
    const json = inFormat(vector, asked === "base64" ? "base64" : "float")
    if (json === undefined) return Result.fail(truncated(`vector ${index} of the response can't be read`))
    const head = `${index === 0 ? "[" : "},"}{"object":"embedding","index":${index},"embedding":`
    pieces.push(Buffer.from(head), json)
  }
  pieces.push(Buffer.from("}]"))
  const told = usage === undefined ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }
  return Result.succeed({
    body: { object: "list", model: deployment.model, ...more, ...told },
    raw: { contentType: "application/json", bytes: Buffer.concat(pieces) },
    usage
  })
}
