/**
 * One pass over a prompt that counts what the features need. Plain loops and no regular expressions: the time is linear in
 * what is read, and what is read is bounded, so that a hostile prompt costs no more than a long one.
 */
import { type Counts, emptyCounts } from "./Counts.ts"
import { HASH_START, hashStep, kindOfHash } from "./Lexicon.ts"

/** Characters read from the start and from the end of a prompt. What lies between is only counted in the length. */
export const HEAD = 4000
export const TAIL = 2000

const SPACE = 0
const LETTER = 1
const DIGIT = 2
const MARK = 3

const kindOfAscii = new Uint8Array(128).fill(MARK)
for (let code = 0; code <= 32; code++) kindOfAscii[code] = SPACE
for (let code = 48; code <= 57; code++) kindOfAscii[code] = DIGIT
for (let code = 65; code <= 90; code++) kindOfAscii[code] = kindOfAscii[code + 32] = LETTER

const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isCjk = (code: number): boolean =>
  (code >= 0x3040 && code <= 0x30ff) || (code >= 0x3400 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7af)
const isGreekOrMaths = (code: number): boolean =>
  (code >= 0x370 && code <= 0x3ff) ||
  (code >= 0x2070 && code <= 0x209f) ||
  (code >= 0x2190 && code <= 0x22ff) ||
  code === 0xb0 ||
  code === 0xb1 ||
  code === 0xb2 ||
  code === 0xb3 ||
  code === 0xb7 ||
  code === 0xd7 ||
  code === 0xf7

// Distinct words are counted in a bitmap of their hashes: 8,192 bits for at most some 1,500 words.
const seen = new Int32Array(256)

/** Nothing but white space in the part that is read. */
export const isBlank = (prompt: string): boolean =>
  prompt.slice(0, HEAD).trim() === "" && (prompt.length <= HEAD || prompt.slice(-TAIL).trim() === "")

/** Counts in the first `HEAD` and the last `TAIL` characters of `prompt`. */
export const scan = (prompt: string): Counts => {
  const counts = emptyCounts(prompt.length)
  seen.fill(0)
  if (prompt.length <= HEAD + TAIL) {
    scanPart(counts, prompt, 0, prompt.length)
  } else {
    scanPart(counts, prompt, 0, HEAD)
    scanPart(counts, prompt, prompt.length - TAIL, prompt.length)
  }
  return counts
}

const scanPart = (counts: Counts, text: string, from: number, to: number): void => {
  counts.read += to - from
  let at = from
  let lineStart = true
  let sentenceWords = 0
  while (at < to) {
    if (lineStart) {
      at = scanLineStart(counts, text, at, to)
      lineStart = false
      continue
    }
    const code = text.charCodeAt(at)
    if (code >= 128) {
      at++
      if (countOther(counts, code)) sentenceWords++
      else if (code === 0x3002 || code === 0xff1f) {
        counts.sentences++
        sentenceWords = 0
      }
      continue
    }
    const kind = kindOfAscii[code]!
    if (kind === LETTER) {
      at = scanWord(counts, text, at, to, sentenceWords === 0)
      sentenceWords++
      continue
    }
    if (kind === DIGIT) {
      at = scanNumber(counts, text, at, to)
      sentenceWords++
      continue
    }
    counts.ascii[code]!++
    at++
    if (code === 10) {
      lineStart = true
      // A paragraph ends a sentence, a wrapped line doesn't.
      if (sentenceWords > 0 && at < to && (text.charCodeAt(at) === 10 || text.charCodeAt(at) === 13)) {
        counts.sentences++
        sentenceWords = 0
      }
    }
    if (kind === MARK) counts.last = code
    if ((code === 46 || code === 33 || code === 63) && sentenceWords > 0 && (at >= to || text.charCodeAt(at) <= 32)) {
      counts.sentences++
      sentenceWords = 0
    } else if (kind === MARK && at < to && text.charCodeAt(at) === code) {
      if (code === 95) counts.blanks++
      else if (code === 61 || code === 38 || code === 124 || code === 43 || code === 58 || code === 47)
        counts.doubledMarks++
    }
  }
  if (sentenceWords > 0) counts.sentences++
}

const isIndent = (code: number): boolean => code === 32 || code === 9 || code === 13

/** Looks at how a line begins and returns where its text does. */
const scanLineStart = (counts: Counts, text: string, from: number, to: number): number => {
  let at = from
  while (at < to && isIndent(text.charCodeAt(at))) counts.ascii[text.charCodeAt(at++)]! += 1
  if (at >= to || text.charCodeAt(at) === 10) return at
  counts.lines++
  if (at - from >= 2 || text.charCodeAt(from) === 9) counts.indentedLines++
  const code = text.charCodeAt(at)
  const next = at + 1 < to ? text.charCodeAt(at + 1) : 0
  const afterNext = at + 2 < to ? text.charCodeAt(at + 2) : 0
  if (isUpper(code) && code <= 74 && (next === 46 || next === 41 || next === 58) && afterNext === 32) {
    countOption(counts, text, at + 3, to)
    return at + 3
  }
  if ((code === 45 || code === 42) && next === 32) counts.listLines++
  else if (code >= 49 && code <= 57 && (next === 46 || next === 41) && afterNext === 32) {
    counts.listLines++
    return at + 3
  }
  return at
}

const countOption = (counts: Counts, text: string, from: number, to: number): void => {
  let end = from
  while (end < to && text.charCodeAt(end) !== 10) end++
  counts.optionLines++
  counts.optionLength += end - from
  let letters = 0
  for (let at = from; at < end && letters < 4; at++) {
    const code = text.charCodeAt(at)
    if (code < 128 && kindOfAscii[code] === LETTER) letters++
  }
  if (letters < 4) counts.numericOptions++
}

/** Reads a word with its inner apostrophes; returns where it ends. */
const scanWord = (counts: Counts, text: string, from: number, to: number, startsSentence: boolean): number => {
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
    } else if (code !== 39 && code !== 0x2019 && !(code >= 0xc0 && code <= 0x24f)) break
    else if (code >= 0xc0) length++
  }
  if (code >= 48 && code <= 57 && at < to) counts.letterDigits++
  counts.words++
  counts.letters += length
  counts.last = 97
  if (length >= 9) counts.longWords++
  if (uppers > 1 && uppers === length) counts.allCaps++
  else if (uppers > 0 && !startsSentence && length > 1) counts.capitalized++
  const bit = (hash >>> 16) ^ hash
  const mask = 1 << (bit & 31)
  if ((seen[(bit >>> 5) & 255]! & mask) === 0) {
    seen[(bit >>> 5) & 255]! |= mask
    counts.distinctWords++
  }
  const kind = kindOfHash(hash)
  if (kind !== -1) counts.kinds[kind]!++
  return at
}

/** Reads a number with its thousands marks and decimals; returns where it ends. */
const scanNumber = (counts: Counts, text: string, from: number, to: number): number => {
  let at = from
  let digits = 0
  let decimal = false
  for (; at < to; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) digits++
    else if ((code === 46 || code === 44) && at + 1 < to && isDigit(text.charCodeAt(at + 1))) {
      if (code === 46) decimal = true
    } else break
  }
  counts.numbers++
  counts.last = 48
  if (decimal) counts.decimals++
  const first = text.charCodeAt(from)
  if (digits >= 5) counts.longNumbers++
  else if (digits === 4 && !decimal && at - from === 4 && (first === 49 || first === 50)) counts.years++
  if (from > 0 && text.charCodeAt(from - 1) === 36) counts.moneyMarks++
  return at
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Counts a character outside ASCII; true when it is part of a text that has no spaces, where two stand for a word. */
const countOther = (counts: Counts, code: number): boolean => {
  if (isCjk(code)) {
    counts.cjk++
    counts.last = 97
    if ((counts.cjk & 1) === 0) counts.words++
    return true
  }
  if (isGreekOrMaths(code)) counts.greekOrMaths++
  else if (code >= 0xd83c && code <= 0xd83e) counts.emoji++
  else if (code >= 0xc0 && code < 0x2000) {
    counts.otherLetters++
    // Five letters to a word: the scripts are not told apart, and their spaces are counted with the ASCII ones.
    if (counts.otherLetters % 5 === 0) counts.words++
    counts.last = 97
    return true
  }
  return false
}
