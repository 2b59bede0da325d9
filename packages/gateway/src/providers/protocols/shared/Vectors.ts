/**
 * The vectors in the bytes of a response. A large batch is a hundred megabytes of digits; parsing them takes seconds and a gigabyte.
 * So they are cut out, the rest is parsed without them, and only those of the wrong kind are converted.
 */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../core/domain/Failures.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import type { BinaryAnswer, LiftedAnswer } from "../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall } from "../../../core/pool/Protocol.ts"
import { parseJson } from "../../json/BoundedJson.ts"
import { isObject, type JsonObject } from "../../json/LooseJson.ts"
import { unstreamed } from "../openai/OpenAiEventStream.ts"
import { answerBody } from "../openai/OpenAiErrors.ts"

type Lifted = Result.Result<LiftedAnswer, ProviderFailure>

export const vectorDialect = (
  lower: Dialect["lower"],
  lift: (bytes: Uint8Array, call: UpstreamCall, headers: BinaryAnswer["headers"]) => Lifted
): Dialect => ({
  lower,
  lift: (text, call) => lift(Buffer.from(text), call, undefined),
  liftRaw: ({ bytes, headers }, call) => lift(bytes, call, headers),
  stream: unstreamed
})

/** As many as there can be inputs; with more, a response is garbage. */
const MOST_VECTORS = 100_000

const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPEN = 91
const CLOSE = 93
const END_OF_LIST = Buffer.from("]")
const END_OF_TEXT = Buffer.from('"')

interface CutVectors {
  /** The response, with the index of its vector in place of each, or with an empty list in place of the list of all. */
  readonly body: JsonObject
  /** JSON: a list of numbers, or base64 in quotes. */
  readonly vectors: ReadonlyArray<Buffer>
}

/** A vector under each `key`, such as `"embedding"` with its quotes. Undefined if the response is not JSON. */
export const cutVectors = (answer: Uint8Array, key: Buffer): CutVectors | undefined => {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)
  const vectors: Array<Buffer> = []
  let rest = ""
  let from = 0
  // Inside strings quotes are escaped, so each key that is found is one.
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, from)) {
    const colon = afterBlanks(bytes, at + key.length)
    const begin = afterBlanks(bytes, colon + 1)
    const isKey = bytes[colon] === COLON
    const last = !isKey ? -1 : bytes[begin] === OPEN ? bytes.indexOf(END_OF_LIST, begin) : endOfText(bytes, begin)
    const end = last < 0 ? at + key.length : last + 1
    if (isKey && last < 0) return undefined
    rest += bytes.toString("utf8", from, isKey ? begin : end)
    if (isKey) rest += String(vectors.push(bytes.subarray(begin, end)) - 1)
    if (vectors.length > MOST_VECTORS) return undefined
    from = end
  }
  const body = parseJson(rest + bytes.toString("utf8", from))
  return isObject(body) ? { body, vectors } : undefined
}

/** The first list of lists under `key`. */
export const listedVectors = (answer: Uint8Array, key: string): Result.Result<CutVectors, ProviderFailure> => {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)
  const name = Buffer.from(`"${key}"`)
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    const colon = afterBlanks(bytes, at + name.length)
    const begin = afterBlanks(bytes, colon + 1)
    if (bytes[colon] !== COLON || bytes[begin] !== OPEN) continue
    const found = vectorsFrom(bytes, begin)
    if (found === undefined) continue
    const body = parseJson(`${bytes.toString("utf8", 0, begin)}[]${bytes.toString("utf8", found.end)}`)
    if (isObject(body)) return Result.succeed({ body, vectors: found.vectors })
    break
  }
  const read = answerBody(bytes.toString("utf8"))
  return Result.fail(Result.isFailure(read) ? read.failure : truncated("the response has no vectors"))
}

const vectorsFrom = (bytes: Buffer, begin: number) => {
  const vectors: Array<Buffer> = []
  for (let at = afterBlanks(bytes, begin + 1); bytes[at] === OPEN; at = afterBlanks(bytes, at + 1)) {
    const end = bytes.indexOf(END_OF_LIST, at)
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

const endOfText = (bytes: Buffer, begin: number): number =>
  bytes[begin] === QUOTE ? bytes.indexOf(END_OF_TEXT, begin + 1) : -1

/** One vector for each input; undefined where the response has none there. */
export const vectorsAnswer = (
  vectors: ReadonlyArray<Buffer | undefined>,
  call: UpstreamCall,
  usage: Usage | undefined,
  more: JsonObject = {}
): Lifted => {
  const { input } = call.request.body
  const expected = Array.isArray(input) ? input.length : 1
  if (vectors.length !== expected) {
    return Result.fail(truncated(`the response has ${vectors.length} vectors for ${expected} inputs`))
  }
  const reported = usage === undefined ? {} : { usage: { prompt_tokens: usage.input, total_tokens: usage.input } }
  return embeddingList(
    vectors.map((vector) => ({ vector })),
    call,
    usage,
    { ...more, ...reported }
  )
}

/** The response in OpenAI's shape, in the caller's format. `fields`: further fields of an item, and of the response. */
export const embeddingList = (
  items: ReadonlyArray<{ readonly vector: Buffer | undefined; readonly fields?: JsonObject }>,
  { deployment, request }: UpstreamCall,
  usage: Usage | undefined,
  fields: JsonObject
): Lifted => {
  const format = request.body["encoding_format"] === "base64" ? "base64" : "float"
  const pieces: Array<Buffer> = []
  for (const [index, { fields: more, vector }] of items.entries()) {
    const json = vector === undefined ? undefined : inFormat(vector, format)
    if (json === undefined) return Result.fail(truncated(`item ${index} of the response has no vector`))
    const head = JSON.stringify({ object: "embedding", index, ...more }).slice(0, -1)
    pieces.push(Buffer.from(`${index === 0 ? "[" : "},"}${head},"embedding":`), json)
  }
  pieces.push(Buffer.from("}]"))
  return Result.succeed({
    body: { object: "list", model: deployment.model, ...fields },
    raw: { contentType: "application/json", bytes: Buffer.concat(pieces) },
    usage
  })
}

/** 1 for the bytes of numbers and what stands between them. */
const NUMERIC = new Uint8Array(256)
for (const byte of Buffer.from("0123456789+-.eE, \t\r\n")) NUMERIC[byte] = 1

const BASE64 = /^"[A-Za-z0-9+/\\]*={0,2}"$/

/** The JSON of a vector in the format that was asked for; undefined if it is no vector. */
const inFormat = (vector: Buffer, format: "float" | "base64"): Buffer | undefined => {
  if (vector[0] === OPEN) {
    if (!isNumeric(vector)) return undefined
    return format === "float" ? vector : packed(vector.toString("latin1"))
  }
  const text = vector.toString("latin1")
  if (!BASE64.test(text)) return undefined
  // Some encoders escape slashes.
  const plain = text.slice(1, -1).replaceAll("\\", "")
  return format === "base64" ? (plain.length === text.length - 2 ? vector : Buffer.from(`"${plain}"`)) : unpacked(plain)
}

const isNumeric = (vector: Buffer): boolean => {
  for (let at = 1; at < vector.length - 1; at++) if (NUMERIC[vector[at]!] === 0) return false
  return true
}

/** 32-bit floats, little endian, as this machine has them: https://platform.openai.com/docs/api-reference/embeddings (2026-11-22). */
const WIDTH = 4

const packed = (text: string): Buffer | undefined => {
  const numbers = Result.getOrUndefined(Result.try(() => JSON.parse(text) as ReadonlyArray<number>))
  if (numbers === undefined) return undefined
  return Buffer.from(`"${Buffer.from(Float32Array.from(numbers).buffer).toString("base64")}"`)
}

const unpacked = (base64: string): Buffer | undefined => {
  const bytes = Buffer.from(base64, "base64")
  if (bytes.length % WIDTH !== 0) return undefined
  const numbers = Array.from({ length: bytes.length / WIDTH }, (_, at) => bytes.readFloatLE(at * WIDTH))
  return numbers.every(Number.isFinite) ? Buffer.from(JSON.stringify(numbers)) : undefined
}
