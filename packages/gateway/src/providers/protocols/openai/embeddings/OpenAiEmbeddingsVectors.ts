/**
 * The vectors in the bytes of an answer. A large batch is a hundred megabytes of digits; parsing them takes seconds and a gigabyte.
 * So they are cut out, the rest is parsed with a number in place of each, and only those of the wrong kind are converted.
 */
import { Result } from "effect"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject } from "../../../json/LooseJson.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"

/** As many as there can be inputs; with more, an answer is garbage. */
const MOST_VECTORS = 100_000

/** What vectors are called in OpenAI's answers. */
const KEY = Buffer.from('"embedding"')
const QUOTE = 34
const COLON = 58
const OPEN = 91
const CLOSE = Buffer.from("]")
const END = Buffer.from('"')

/** 1 for the bytes of numbers and what stands between them. */
const NUMERIC = new Uint8Array(256)
for (const byte of Buffer.from("0123456789+-.eE, \t\r\n")) NUMERIC[byte] = 1

const BASE64 = /^"[A-Za-z0-9+/\\]*={0,2}"$/

export interface CutVectors {
  /** The answer, with the index of its vector in place of each. */
  readonly body: JsonObject
  /** JSON: a list of numbers, or base64 in quotes. */
  readonly vectors: ReadonlyArray<Buffer>
}

/** Undefined if it is not JSON. Inside strings quotes are escaped, so each `key` that is found is one. */
export const cutVectors = (answer: Uint8Array, key: Buffer = KEY): CutVectors | undefined => {
  const bytes = Buffer.from(answer.buffer, answer.byteOffset, answer.byteLength)
  const vectors: Array<Buffer> = []
  let rest = ""
  let from = 0
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, from)) {
    const colon = afterBlanks(bytes, at + key.length)
    const begin = afterBlanks(bytes, colon + 1)
    const isKey = bytes[colon] === COLON
    const last = !isKey ? -1 : bytes[begin] === OPEN ? bytes.indexOf(CLOSE, begin) : endOfText(bytes, begin)
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

const afterBlanks = (bytes: Buffer, from: number): number => {
  let at = from
  while (at < bytes.length && bytes[at]! <= 32) at++
  return at
}

const endOfText = (bytes: Buffer, begin: number): number =>
  bytes[begin] === QUOTE ? bytes.indexOf(END, begin + 1) : -1

/** The JSON of a vector in the format that was asked for; undefined if it is no vector. */
export const inFormat = (vector: Buffer, format: "float" | "base64"): Buffer | undefined => {
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

/** All between the brackets. */
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
