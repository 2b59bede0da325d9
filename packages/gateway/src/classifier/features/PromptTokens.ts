/**
 * Words and numbers of a prompt: their lengths, their forms, their kinds in the lexicon. Knows what came before in the prompt,
 * which `clear` forgets.
 */
import {
  isAccented,
  isCjk,
  isDigit,
  isEmoji,
  isGreekOrMaths,
  isOtherLetter,
  isUpper,
  lowerOther
} from "../text/Characters.ts"
import type { PromptCounts } from "./Counts.ts"
import { type Edition, LATEST, HASH_START, hashOfPair, hashStep, kindOfSlot, SLOTS, slotOfHash } from "./Lexicon.ts"

/** A word that is said over and over counts this often. */
const MOST_OF_A_WORD = 3
/** A run of letters without a space longer than this is several words of a script that has none. */
const LONGEST_WORD = 12
const LETTER_A = hashStep(HASH_START, 97)
const LETTER_I = hashStep(HASH_START, 105)

export class Tokens {
  /** Distinct words and numbers as bits of their hashes: 8,192 bits for at most some 1,500 of them. */
  readonly #seen = new Int32Array(256)
  /** How often each word of the lexicon came. */
  readonly #said = new Uint8Array(SLOTS)
  #wordBefore = 0
  #edition: Edition = LATEST
  /** Of a word of East Asian characters, what was read of it. */
  #part = 0

  clear(edition: Edition): void {
    this.#edition = edition
    this.#part = 0
    this.#seen.fill(0)
    this.#said.fill(0)
    this.#wordBefore = 0
  }

  /** True when a word or number with this hash has not been seen in the prompt. */
  #isNew(hash: number): boolean {
    const bit = (hash >>> 16) ^ hash
    const mask = 1 << (bit & 31)
    const index = (bit >>> 5) & 255
    if ((this.#seen[index]! & mask) !== 0) return false
    this.#seen[index]! |= mask
    return true
  }

  #countKind(counts: PromptCounts, hash: number): void {
    const slot = slotOfHash(hash, this.#edition)
    if (slot !== -1 && this.#said[slot]! < MOST_OF_A_WORD) {
      this.#said[slot]!++
      counts.kinds[kindOfSlot(slot, this.#edition)]!++
    }
  }

  /** Reads a word with its inner apostrophes; returns where it ends. */
  word(counts: PromptCounts, text: string, from: number, to: number, startsSentence: boolean): number {
    let hash = HASH_START
    let at = from
    let length = 0
    let uppers = 0
    let code = 0
    for (; at < to; at++) {
      code = text.charCodeAt(at)
      if (code >= 97 && code <= 122) {
        hash = hashStep(hash, code)
        length++
      } else if (isUpper(code)) {
        hash = hashStep(hash, code + 32)
        length++
        uppers++
      } else if (isAccented(code)) length++
      else if (code !== 39 && code !== 0x2019) break
    }
    if (code >= 48 && code <= 57 && at < to) counts.letterDigits++
    counts.words++
    counts.visible += at - from
    counts.letters += length
    counts.last = 97
    if (length >= 9) counts.longWords++
    if (length === 1 && hash !== LETTER_A && hash !== LETTER_I) counts.singleLetters++
    if (uppers > 1 && uppers === length) counts.allCaps++
    else if (uppers > 0 && !startsSentence && length > 1) counts.capitalized++
    if (this.#isNew(hash)) counts.distinctWords++
    this.#countKind(counts, hash)
    if (this.#wordBefore !== 0) this.#countKind(counts, hashOfPair(this.#wordBefore, hash))
    this.#wordBefore = hash
    return at
  }

  /** Reads a word of an alphabet that is not Latin; returns where it ends. */
  otherWord(counts: PromptCounts, text: string, from: number, to: number): number {
    let hash = HASH_START
    let at = from
    for (; at < to && isOtherLetter(text.charCodeAt(at)); at++) hash = hashStep(hash, lowerOther(text.charCodeAt(at)))
    const length = at - from
    const words = length > LONGEST_WORD ? Math.round(length / 6) : 1
    counts.otherLetters += length
    counts.visible += length
    counts.letters += length
    counts.words += words
    counts.last = 97
    if (this.#isNew(hash)) counts.distinctWords += words
    this.#countKind(counts, hash)
    if (this.#wordBefore !== 0) this.#countKind(counts, hashOfPair(this.#wordBefore, hash))
    this.#wordBefore = hash
    return at
  }

  /** Reads a number with its thousands marks and decimals; returns where it ends. */
  number(counts: PromptCounts, text: string, from: number, to: number): number {
    let at = from
    let digits = 0
    let decimal = false
    let hash = HASH_START
    for (; at < to; at++) {
      const code = text.charCodeAt(at)
      if (isDigit(code)) {
        digits++
        hash = hashStep(hash, code)
      } else if ((code === 46 || code === 44) && at + 1 < to && isDigit(text.charCodeAt(at + 1))) {
        if (code === 46) decimal = true
      } else break
    }
    counts.visible += at - from
    counts.last = 48
    const isMoney = from > 0 && text.charCodeAt(from - 1) === 36
    if (isMoney) counts.moneyMarks++
    const mayBeYear = digits === 4 && !decimal && at - from === 4
    if (this.#edition > 1 && mayBeYear && !isMoney && isYear(text, from)) {
      // Says when, not how many.
      counts.years++
      return at
    }
    counts.numbers++
    if (this.#isNew(hash)) counts.distinctNumbers++
    if (decimal) counts.decimals++
    const first = text.charCodeAt(from)
    if (digits >= 5) counts.longNumbers++
    else if (this.#edition === 1 && mayBeYear && (first === 49 || first === 50)) counts.years++
    return at
  }

  /** Counts a character that is neither ASCII nor of an alphabet; `before` is the one before it. */
  other(counts: PromptCounts, code: number, before: number): void {
    if (isCjk(code)) {
      counts.cjk++
      counts.last = 97
      if (this.#edition === 1) this.#pairOfTwo(counts, code, before)
      else this.#eastAsian(counts, code, before)
    } else if (isGreekOrMaths(code)) counts.greekOrMaths++
    else if (isEmoji(code)) counts.emoji++
  }

  /** Two characters stand for a word, and the lexicon has words of two. */
  #pairOfTwo(counts: PromptCounts, code: number, before: number): void {
    const pair = hashStep(hashStep(HASH_START, before), code)
    if ((counts.cjk & 1) === 0) {
      counts.words++
      counts.letters += 5
    }
    if (!isCjk(before)) return
    if (this.#isNew(pair) && (counts.cjk & 1) === 0) counts.distinctWords++
    this.#countKind(counts, pair)
  }

  /** Three Chinese characters say what two English words say, and four of kana or Hangul. A character alone is a word where one begins. */
  #eastAsian(counts: PromptCounts, code: number, before: number): void {
    const pair = hashStep(hashStep(HASH_START, before), code)
    counts.visible += WIDER
    this.#part += isChinese(code) ? 4 : 3
    const isWord = this.#part >= WORD
    if (isWord) {
      this.#part -= WORD
      counts.words++
      counts.letters += 5
    }
    if (!isCjk(before)) this.#countKind(counts, hashStep(HASH_START, code))
    else {
      if (this.#isNew(pair) && isWord) counts.distinctWords++
      this.#countKind(counts, pair)
    }
  }
}

/** From 1500 to 2099. */
const isYear = (text: string, at: number): boolean => {
  const [century, decade] = [text.charCodeAt(at), text.charCodeAt(at + 1)]
  return (century === 49 && decade >= 53) || (century === 50 && decade === 48)
}

/** How many characters one stands for beside itself. */
const WIDER = 1.5
const WORD = 6
const isChinese = (code: number): boolean => code >= 0x3400 && code <= 0x9fff
