/**
 * The words of a prompt as numbers: hashes of single words and marks and of pairs of neighbours, the raw material of what is learnt
 * from an operator's own prompts. Marks and the words beside them tell formulas, options, blanks and code apart. No word is kept
 * anywhere: a bucket can't be turned back into text.
 */
import { asciiOf } from "./Characters.ts"
import { withoutCourtesy } from "./Courtesy.ts"
import { HEAD, TAIL } from "./Scan.ts"
import { shapeOf } from "./Shape.ts"

/** Buckets of single words, and of words, marks and pairs together: as many as a `Uint16Array` can name. */
export const WORD_BUCKETS = 2 ** 12
export const PAIR_BUCKETS = 2 ** 16

/** Distinct buckets, and what the options look like. */
export interface Words {
  readonly words: Uint16Array
  /** Of words, of marks, and of what stands next to each other. */
  readonly pairs: Uint16Array
  /** From `shapeOf`. */
  readonly shape: Float64Array
}

const START = 0x811c9dc5
const PRIME = 0x01000193

/** The distinct buckets that hashes fall into, out of `size`, a power of two, in the order they turn up. */
class Buckets {
  // One bit for each, and a list of those that are set: no sorting, no set.
  readonly #bits: Int32Array
  readonly #mask: number
  readonly #found: Uint16Array
  #count = 0

  constructor(size: number, most: number) {
    this.#bits = new Int32Array(size / 32)
    this.#mask = size - 1
    this.#found = new Uint16Array(most)
  }

  put(hash: number): void {
    let mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
    const bucket = (mixed ^ (mixed >>> 15)) & this.#mask
    const before = this.#bits[bucket >>> 5]!
    const after = before | (1 << (bucket & 31))
    if (after === before) return
    this.#bits[bucket >>> 5] = after
    this.#found[this.#count++] = bucket
  }

  /** What was found, valid until the next `put`, and forgets it. */
  take(): Uint16Array {
    const found = this.#found.subarray(0, this.#count)
    this.#bits.fill(0)
    this.#count = 0
    return found
  }
}

// Every character read is at most a mark and a pair.
const MOST = 2 * (HEAD + TAIL)
const wordBuckets = new Buckets(WORD_BUCKETS, MOST)
const pairBuckets = new Buckets(PAIR_BUCKETS, MOST)

/**
 * Reads the first 4,000 and last 2,000 characters of what is asked, and other than the features also of a text that is only to be
 * handled: what it is about may matter to these callers. Numbers of the same length are one word. Buckets are ascending.
 */
export const wordsOf = (prompt: string): Words => {
  const { pairs, shape, words } = readWords(prompt)
  return { words: words.toSorted(), pairs: pairs.toSorted(), shape }
}

/** As `wordsOf`, for a decision, which only adds up: buckets are in no order, and valid until the next call. */
export const readWords = (prompt: string): Words => {
  const { from, to } = withoutCourtesy(prompt)
  const bounds = to - from <= HEAD + TAIL ? [from, to] : [from, from + HEAD, to - TAIL, to]
  for (let part = 0; part < bounds.length; part += 2) readPart(prompt, bounds[part]!, bounds[part + 1]!)
  return { words: wordBuckets.take(), pairs: pairBuckets.take(), shape: shapeOf(prompt, bounds) }
}

const readPart = (text: string, from: number, to: number): void => {
  // `START`: no letter of a word was read yet.
  let hash = START
  let before = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 0xc0 && code < 0x2000)) hash = Math.imul(hash ^ code, PRIME)
    else if (code >= 65 && code <= 90) hash = Math.imul(hash ^ (code + 32), PRIME)
    else if (code >= 48 && code <= 57) hash = Math.imul(hash ^ 48, PRIME)
    else if (code !== 39 && code !== 0x2019) {
      if (hash !== START) {
        before = add(hash, before, true)
        hash = START
      }
      const sign = code < 128 ? code : asciiOf(code) || code
      // Scripts without spaces: every sign is a word.
      if (sign > 32) before = add(Math.imul(START ^ sign, PRIME), before, sign >= 0x2e80)
    }
  }
  if (hash !== START) add(hash, before, true)
}

/** Adds a word or mark, and the pair with what stands `before` it, 0 for nothing. Returns what stands before the next. */
const add = (token: number, before: number, isWord: boolean): number => {
  if (isWord) wordBuckets.put(token)
  pairBuckets.put(token)
  if (before !== 0) pairBuckets.put(Math.imul(before, 31) ^ token ^ 0x5555)
  return token
}
