/**
 * The words of a prompt as numbers: hashes of single words and marks and of pairs of neighbours, the raw material of what is learnt
 * from an operator's own prompts. Marks and the words beside them tell formulas, options, blanks and code apart. No word is kept
 * anywhere: a bucket can't be turned back into text.
 */
import { asciiOf } from "../text/Characters.ts"
import type { TextSpan } from "../small-talk/Courtesy.ts"
import { askedIn, HEAD, TAIL } from "./PromptScan.ts"
import { shapeOf } from "./Shape.ts"

/** Buckets of single words, and of words, marks and pairs together: as many as a `Uint16Array` can name. */
export const WORD_BUCKETS = 2 ** 12
export const PAIR_BUCKETS = 2 ** 16

/** Distinct buckets, and what the options look like. */
export interface PromptWords {
  readonly words: Uint16Array
  /** Of words, of marks, and of what stands next to each other. */
  readonly pairs: Uint16Array
  readonly shape: Float64Array
}

/** What is asked stands before and after what is given. */
const MOST_PARTS = 2
const START = 0x811c9dc5
const PRIME = 0x01000193

// A part of the prompt, where a loop reads characters faster than by `charCodeAt`, and a space to end its last word.
const units = new Uint16Array(HEAD + TAIL + 1)
const bytes = Buffer.from(units.buffer)

// Buckets as they come, and only then each of them once: two short loops are faster than one that does both. Every character is at
// most a word or mark, and a pair.
const words = new Uint16Array(MOST_PARTS * (HEAD + TAIL))
const pairs = new Uint16Array(2 * MOST_PARTS * (HEAD + TAIL))
let wordCount = 0
let pairCount = 0
// None is set between calls.
const wordBits = new Int32Array(WORD_BUCKETS / 32)
const pairBits = new Int32Array(PAIR_BUCKETS / 32)

/** Reads the first 4,000 and last 2,000 characters of each part that asks. Numbers of the same length are one word. Buckets are ascending. */
export const wordsOf = (prompt: string): PromptWords => {
  const read = readWords(prompt, askedIn(prompt).parts)
  return { words: read.words.toSorted(), pairs: read.pairs.toSorted(), shape: read.shape }
}

/** As `wordsOf`, for a decision, which only adds up: buckets come in any order, and are valid until the next call. */
export const readWords = (prompt: string, parts: ReadonlyArray<TextSpan>): PromptWords => {
  const bounds = parts.flatMap(({ from, to }) =>
    to - from <= HEAD + TAIL ? [from, to] : [from, from + HEAD, to - TAIL, to]
  )
  wordCount = 0
  pairCount = 0
  for (let part = 0; part < bounds.length; part += 2) readPart(prompt, bounds[part]!, bounds[part + 1]!)
  return {
    words: distinct(words, wordCount, wordBits),
    pairs: distinct(pairs, pairCount, pairBits),
    shape: shapeOf(prompt, bounds)
  }
}

const readPart = (text: string, from: number, to: number): void => {
  bytes.write(text.slice(from, to), "utf16le")
  const end = to - from
  units[end] = 32
  // `START`: no letter of a word was read yet.
  let hash = START
  let before = 0
  for (let at = 0; at <= end; at++) {
    const code = units[at]!
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
}

/** Adds a word or mark, and the pair with what stands `before` it, 0 for nothing. Returns what stands before the next. */
const add = (token: number, before: number, isWord: boolean): number => {
  const mixed = mix(token)
  if (isWord) words[wordCount++] = mixed & (WORD_BUCKETS - 1)
  pairs[pairCount++] = mixed & (PAIR_BUCKETS - 1)
  if (before !== 0) pairs[pairCount++] = mix(Math.imul(before, 31) ^ token ^ 0x5555) & (PAIR_BUCKETS - 1)
  return token
}

/** Any hash as one whose last bits are as good as all of it. */
const mix = (hash: number): number => {
  let mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  return mixed ^ (mixed >>> 15)
}

/** The different ones of the first `count` buckets in `list`, moved to its beginning. `bits`: one for each bucket, none set. */
const distinct = (list: Uint16Array, count: number, bits: Int32Array): Uint16Array => {
  let kept = 0
  for (let i = 0; i < count; i++) {
    const bucket = list[i]!
    const seen = bits[bucket >>> 5]!
    // Written always, kept when new: no branch to guess.
    list[kept] = bucket
    kept += ~(seen >>> (bucket & 31)) & 1
    bits[bucket >>> 5] = seen | (1 << (bucket & 31))
  }
  bits.fill(0)
  return list.subarray(0, kept)
}

/** What `weights` (times scales already) say about a row; 0 for an empty one. */
export const weigh = (row: ArrayLike<number>, weights: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < row.length; i++) sum += weights[row[i]!]!
  return row.length === 0 ? 0 : sum / Math.sqrt(row.length)
}
