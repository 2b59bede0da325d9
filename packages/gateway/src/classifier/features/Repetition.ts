/**
 * The lines and sentences of a prompt that were there before, word for word. They are skipped: pasting the same line five hundred
 * times must not buy a stronger model.
 */
import { asciiOf } from "../text/Characters.ts"
import { HASH_START, hashStep } from "./Lexicon.ts"

const SLOTS = 2048
/** Fuller, a look-up would be slow; what comes then is taken for new. */
const MOST = 1400
/** A line of fewer characters is one of a kind anyway: a bracket, a dash. */
const SHORTEST = 3

export class Repetition {
  readonly #slots = new Int32Array(SLOTS)
  #used = 0

  clear(): void {
    if (this.#used > 0) this.#slots.fill(0)
    this.#used = 0
  }

  /** Where the line or sentence that begins at `from` ends when it was there before; `from` when it is new. */
  skip(text: string, from: number, to: number): number {
    let hash = HASH_START
    let length = 0
    let at = from
    for (; at < to; at++) {
      const code = text.charCodeAt(at)
      if (code > 32) {
        hash = hashStep(hash, code)
        length++
        // Where the next sentence begins without a space. To read on would be to read every sentence up to the end of the line.
        if (code >= 128 && isEnd(asciiOf(code))) break
      } else if (code === 10) break
      else if (at > from && isEnd(text.charCodeAt(at - 1))) break
    }
    if (length < SHORTEST || !this.#has(hash === 0 ? 1 : hash)) return from
    return Math.min(to, at + 1)
  }

  /** Whether this hash was asked for before. */
  #has(hash: number): boolean {
    let slot = hash & (SLOTS - 1)
    while (this.#slots[slot] !== 0) {
      if (this.#slots[slot] === hash) return true
      slot = (slot + 1) & (SLOTS - 1)
    }
    if (this.#used < MOST) {
      this.#slots[slot] = hash
      this.#used++
    }
    return false
  }
}

const isEnd = (code: number): boolean => code === 46 || code === 33 || code === 63
