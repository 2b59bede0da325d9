/**
 * The o200k vocabulary: which bytes are one token, and its rank. The file is a hash table that is looked into as it was read, outside of
 * V8's heap, where collections don't look at it.
 */
import { readFile } from "node:fs/promises"

/** Of `npm run tokens:build`. */
const FILE = new URL("./o200k.bin", import.meta.url)
/** Three for two tokens, nearly. */
const BUCKETS = 1 << 17
/** Of a number in it, the lowest first. */
const BYTES = 3
/** In front of a token: its length, a byte, and its rank. */
const HEAD = 1 + BYTES

/** What is no token. */
export const NO_TOKEN = -1

export class Vocabulary {
  /** Where the tokens of each bucket begin, and the last ones end; then the tokens. */
  private readonly file: Uint8Array

  private constructor(file: Uint8Array) {
    this.file = file
  }

  static async read(): Promise<Vocabulary> {
    return new Vocabulary(await readFile(FILE))
  }

  /** The file of these tokens, in the order of their ranks. */
  static fileOf(tokens: ReadonlyArray<Uint8Array>): Uint8Array {
    const buckets = Array.from({ length: BUCKETS }, (): Array<Uint8Array> => [])
    for (const [rank, token] of tokens.entries()) {
      const entry = Uint8Array.from([token.length, ...bytesOf(rank), ...token])
      buckets[bucketOf(token, 0, token.length)]!.push(entry)
    }
    let end = BYTES * (BUCKETS + 1)
    const starts = [bytesOf(end)]
    for (const entries of buckets) starts.push(bytesOf((end += entries.reduce((sum, { length }) => sum + length, 0))))
    return Buffer.concat([Uint8Array.from(starts.flat()), ...buckets.flat()])
  }

  /** The rank of the token that is these bytes, or `NO_TOKEN`. */
  rankOf(text: Uint8Array, from: number, to: number): number {
    const { file } = this
    const length = to - from
    const bucket = BYTES * bucketOf(text, from, to)
    const end = numberAt(file, bucket + BYTES)
    for (let at = numberAt(file, bucket); at < end; at += HEAD + file[at]!) {
      if (file[at] !== length) continue
      let same = 0
      while (same < length && file[at + HEAD + same] === text[from + same]) same++
      if (same === length) return numberAt(file, at + 1)
    }
    return NO_TOKEN
  }
}

const bytesOf = (value: number): ReadonlyArray<number> => [value & 255, (value >> 8) & 255, value >> 16]

const numberAt = (file: Uint8Array, at: number): number => file[at]! | (file[at + 1]! << 8) | (file[at + 2]! << 16)

/** FNV-1a, with its upper bits mixed into the lower ones that are used. */
const bucketOf = (bytes: Uint8Array, from: number, to: number): number => {
  let hash = 0x811c9dc5
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) & (BUCKETS - 1)
}
