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

/** Distinct buckets, ascending, and what the options look like. */
export interface Words {
  readonly words: Uint16Array
  /** Of words, of marks, and of what stands next to each other. */
  readonly pairs: Uint16Array
  /** From `shapeOf`. */
  readonly shape: Float64Array
}

const START = 0x811c9dc5
const PRIME = 0x01000193

// Set bit by bit and read out in order: no sorting, no set. Empty between calls.
const wordBits = new Int32Array(WORD_BUCKETS / 32)
const pairBits = new Int32Array(PAIR_BUCKETS / 32)

/**
 * Reads the first 4,000 and last 2,000 characters of what is asked, and other than the features also of a text that is only to be
 * handled: what it is about may matter to these callers. Numbers of the same length are one word.
 */
export const wordsOf = (prompt: string): Words => {
  const { from, to } = withoutCourtesy(prompt)
  const bounds = to - from <= HEAD + TAIL ? [from, to] : [from, from + HEAD, to - TAIL, to]
  for (let part = 0; part < bounds.length; part += 2) readPart(prompt, bounds[part]!, bounds[part + 1]!)
  return { words: takeAll(wordBits), pairs: takeAll(pairBits), shape: shapeOf(prompt, bounds) }
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
  if (isWord) put(wordBits, token)
  put(pairBits, token)
  if (before !== 0) put(pairBits, Math.imul(before, 31) ^ token ^ 0x5555)
  return token
}

const put = (bits: Int32Array, hash: number): void => {
  let mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39)
  mixed ^= mixed >>> 15
  bits[(mixed >>> 5) & (bits.length - 1)]! |= 1 << (mixed & 31)
}

/** The bits that are set, which it clears. */
const takeAll = (bits: Int32Array): Uint16Array => {
  let count = 0
  for (let i = 0; i < bits.length; i++) {
    for (let rest = bits[i]!; rest !== 0; rest &= rest - 1) found[count++] = i * 32 + 31 - Math.clz32(rest & -rest)
    bits[i] = 0
  }
  return found.slice(0, count)
}

// Every character read is at most a mark and a pair.
const found = new Uint16Array(2 * (HEAD + TAIL))
