/**
 * The words of a prompt as numbers: hashes of single words and marks and of pairs of neighbours, the raw material of what is learnt
 * from an operator's own prompts. Marks and the words beside them tell formulas, options, blanks and code apart. No word is kept
 * anywhere: a bucket can't be turned back into text.
 */
import { asciiOf } from "./Characters.ts"
import { withoutCourtesy } from "./Courtesy.ts"
import { HEAD, TAIL } from "./Scan.ts"

/** Buckets of single words, and of words, marks and pairs together: as many as a `Uint16Array` can name. */
export const WORD_BUCKETS = 2 ** 12
export const PAIR_BUCKETS = 2 ** 16

/** Distinct buckets, ascending. */
export interface Words {
  readonly words: Uint16Array
  /** Of words, of marks, and of what stands next to each other. */
  readonly pairs: Uint16Array
}

const START = 0x811c9dc5
const PRIME = 0x01000193

// Set bit by bit and read out in order: no sorting, no set. Empty between calls.
const wordBits = new Int32Array(WORD_BUCKETS / 32)
const pairBits = new Int32Array(PAIR_BUCKETS / 32)

/** Reads what the features read: the first 4,000 and last 2,000 characters of what is asked. Numbers of the same length are one word. */
export const wordsOf = (prompt: string): Words => {
  const { from, to } = withoutCourtesy(prompt)
  if (to - from <= HEAD + TAIL) readPart(prompt, from, to)
  else {
    readPart(prompt, from, from + HEAD)
    readPart(prompt, to - TAIL, to)
  }
  return { words: takeAll(wordBits), pairs: takeAll(pairBits) }
}

const readPart = (text: string, from: number, to: number): void => {
  let hash = START
  let length = 0
  let before = 0
  const add = (token: number): void => {
    put(pairBits, token)
    if (before !== 0) put(pairBits, Math.imul(before, 31) ^ token ^ 0x5555)
    before = token
  }
  const end = (): void => {
    if (length === 0) return
    put(wordBits, hash)
    add(hash)
    hash = START
    length = 0
  }
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 97 && code <= 122) || (code >= 0xc0 && code < 0x2000)) hash = Math.imul(hash ^ code, PRIME)
    else if (code >= 65 && code <= 90) hash = Math.imul(hash ^ (code + 32), PRIME)
    else if (code >= 48 && code <= 57) hash = Math.imul(hash ^ 48, PRIME)
    else if (code === 39 || code === 0x2019) continue
    else {
      end()
      const sign = code < 128 ? code : asciiOf(code) || code
      if (sign <= 32) continue
      const token = Math.imul(START ^ sign, PRIME)
      // Scripts without spaces: every sign is a word.
      if (sign >= 0x2e80) put(wordBits, token)
      add(token)
      continue
    }
    length++
  }
  end()
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
