/**
 * The words of a prompt as numbers: hashes of single words and of pairs of neighbours, the raw material of what is learnt from an
 * operator's own prompts. No word is kept anywhere: a bucket can't be turned back into text.
 */
import { HEAD, TAIL } from "./Scan.ts"

/** Buckets of single words, and of words and pairs together. */
export const WORD_BUCKETS = 2 ** 12
export const PAIR_BUCKETS = 2 ** 14

/** Distinct buckets, ascending. */
export interface Words {
  readonly words: Uint16Array
  readonly pairs: Uint16Array
}

const START = 0x811c9dc5
const PRIME = 0x01000193

// Set bit by bit and read out in order: no sorting, no set. Empty between calls.
const wordBits = new Int32Array(WORD_BUCKETS / 32)
const pairBits = new Int32Array(PAIR_BUCKETS / 32)

/** Reads what the features read: the first 4,000 and last 2,000 characters. Numbers of the same length are one word. */
export const wordsOf = (prompt: string): Words => {
  if (prompt.length <= HEAD + TAIL) readPart(prompt, 0, prompt.length)
  else {
    readPart(prompt, 0, HEAD)
    readPart(prompt, prompt.length - TAIL, prompt.length)
  }
  return { words: takeAll(wordBits), pairs: takeAll(pairBits) }
}

const readPart = (text: string, from: number, to: number): void => {
  let hash = START
  let length = 0
  let before = 0
  const end = (): void => {
    if (length === 0) return
    mark(wordBits, hash)
    mark(pairBits, hash)
    if (before !== 0) mark(pairBits, Math.imul(before, 31) ^ hash ^ 0x5555)
    before = hash
    hash = START
    length = 0
  }
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 0xc0 && code < 0x2000)) hash = Math.imul(hash ^ code, PRIME)
    else if (code >= 65 && code <= 90) hash = Math.imul(hash ^ (code + 32), PRIME)
    else if (code >= 48 && code <= 57) hash = Math.imul(hash ^ 35, PRIME)
    else if (code === 39 || code === 0x2019) continue
    else {
      end()
      if (code < 0x2e80) continue
      // Scripts without spaces: every sign is a word.
      hash = Math.imul(hash ^ code, PRIME)
      length = 1
      end()
      continue
    }
    length++
  }
  end()
}

const mark = (bits: Int32Array, hash: number): void => {
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

// A word and a pair need two characters at least, a sign of a script without spaces one of each.
const found = new Uint16Array(PAIR_BUCKETS)
