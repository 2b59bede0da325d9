/**
 * One pass over a prompt that counts what the features need. Plain loops and no regular expressions: the time is linear in
 * what is read, and what is read is bounded, so that a hostile prompt costs no more than a long one.
 */
import { type TextSpan, withoutCourtesy } from "../small-talk/Courtesy.ts"
import { asciiOf, DIGIT, isAccented, isOtherLetter, kindOfAscii, LETTER, MARK } from "../text/Characters.ts"
import { copyOf, PromptCounts } from "./Counts.ts"
import { type Edition, LATEST, HASH_START, hashStep } from "./Lexicon.ts"
import { withoutGiven } from "./Given.ts"
import { withoutMaterial } from "./Material.ts"
import { withoutPassage } from "./Passage.ts"
import { Tokens } from "./PromptTokens.ts"

// The options of a question, on lines of their own or in one: a letter counts when it is the next of the alphabet. They are told
// from the question, because what is hard is what is asked: long options in words are no harder than short ones in numbers.

/** Longer than this on average, or with more after the last mark, they are no options but sections of a text. */
const LONGEST = 400
/** A question of fewer words is in the options themselves, or follows them. */
const SHORTEST_QUESTION = 3

class PromptOptions {
  #question: PromptCounts | undefined
  #found = 0
  /** Of the alphabet, the letter that comes next. */
  #next = 0
  #firstAt = 0
  #lastAt = 0
  #numbers = 0
  #open = false
  #numeric = 0

  /** Whether the mark of an option is at `at`, two characters long; what is counted after it is counted as in options. */
  begins(counts: PromptCounts, text: string, at: number, to: number): boolean {
    const skipped = text.charCodeAt(at) - 65 - this.#next
    // A letter may be missing, as typing errors make it, where lines tell the options apart.
    if (skipped < 0 || skipped > 1 || this.#next > 9 || at + 2 >= to) return false
    if (skipped === 1 && text.charCodeAt(at - 1) !== 10) return false
    const mark = text.charCodeAt(at + 1)
    if ((mark !== 46 && mark !== 41 && mark !== 58) || text.charCodeAt(at + 2) > 32) return false
    const before = at === 0 ? 32 : text.charCodeAt(at - 1)
    if (before > 32 && before !== 40) return false
    this.endLine(counts)
    if (this.#found === 0) {
      this.#question = copyOf(counts)
      this.#firstAt = at
    }
    this.#found++
    this.#next += skipped + 1
    this.#lastAt = at
    this.#open = true
    this.#numbers = counts.numbers
    return true
  }

  endLine(counts: PromptCounts): void {
    if (this.#open && counts.numbers > this.#numbers) this.#numeric++
    this.#open = false
  }

  /** The counts of the question with what is to be said of its options, or all counts where there are none. */
  end(counts: PromptCounts, to: number): PromptCounts {
    this.endLine(counts)
    const question = this.#question
    if (question === undefined || this.#found < 2 || question.words < SHORTEST_QUESTION) return counts
    const isText = to - this.#lastAt > LONGEST || this.#lastAt - this.#firstAt > LONGEST * this.#found
    if (isText) return counts
    question.options += this.#found
    question.numericOptions += this.#numeric
    question.optionWords += counts.words - question.words
    question.optionVisible += counts.visible - question.visible
    // The last sentence of the question may have no mark of its own.
    if (question.sentences === 0) question.sentences = 1
    return question
  }
}

// The lines and sentences of a prompt that were there before, word for word. They are skipped: pasting the same line five hundred
// times must not buy a stronger model.

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

/** Characters read from the start and from the end of what is asked. What lies between is not read. */
export const HEAD = 4000
export const TAIL = 2000
const SPACE_CODE = 32
const QUOTE = 34
const LAST_OPTION = 74
/** A quotation of at most so many characters is a name or a term. */
const LONGEST_TERM = 80

// Made once and cleared for each prompt.
const tokens = new Tokens()
const repetition = new Repetition()

/** What of a prompt asks something. */
export interface AskedParts {
  readonly parts: ReadonlyArray<TextSpan>
  /** How many characters are only to be read or handled; courtesies are none of them. */
  readonly given: number
}

/** What asks in `prompt`, as this edition tells it from courtesies and from what is given. */
export const askedIn = (prompt: string, edition: Edition = LATEST): AskedParts => {
  const said = withoutCourtesy(prompt)
  const known = withoutPassage(prompt, withoutMaterial(prompt, said))
  const parts = edition === 1 || known.length !== 1 ? known : withoutGiven(prompt, known[0]!)
  return { parts, given: said.to - said.from - lengthOf(parts) }
}

const lengthOf = (parts: ReadonlyArray<TextSpan>): number => parts.reduce((sum, { from, to }) => sum + to - from, 0)

/** Counts in the first `HEAD` and the last `TAIL` characters of each part of what `prompt` asks. */
export const scan = (
  prompt: string,
  edition: Edition = LATEST,
  { given, parts }: AskedParts = askedIn(prompt, edition)
): PromptCounts => {
  let counts: PromptCounts = new PromptCounts(lengthOf(parts), given)
  tokens.clear(edition)
  repetition.clear()
  for (const { from, to } of parts) {
    if (to - from <= HEAD + TAIL) counts = scanPart(counts, prompt, from, to)
    else counts = scanPart(scanPart(counts, prompt, from, from + HEAD), prompt, to - TAIL, to)
  }
  return counts
}

/** Counts in one part; what it returns counts on: `counts`, or those of the question alone when options follow it. */
const scanPart = (counts: PromptCounts, text: string, from: number, to: number): PromptCounts => {
  counts.read += to - from
  let at = from
  let segmentStart = true
  let lineStart = true
  let sentenceWords = counts.words
  let quotedFrom = -1
  const options = new PromptOptions()
  while (at < to) {
    if (segmentStart) {
      segmentStart = false
      const next = repetition.skip(text, at, to)
      if (next > at) {
        counts.repeated += next - at
        lineStart = text.charCodeAt(next - 1) === 10
        segmentStart = true
        at = next
        continue
      }
    }
    if (lineStart) {
      lineStart = false
      at = scanLineStart(counts, text, at, to)
      if (at >= to) break
    }
    const code = text.charCodeAt(at)
    if (code >= 128) {
      if (isOtherLetter(code)) at = tokens.otherWord(counts, text, at, to)
      else if (isAccented(code)) at = tokens.word(counts, text, at, to, counts.words === sentenceWords)
      else {
        const mark = asciiOf(code)
        if (mark !== SPACE_CODE) counts.visible++
        if (mark === 0) tokens.other(counts, code, text.charCodeAt(at - 1))
        else counts.ascii[mark]!++
        if (mark === QUOTE) quotedFrom = quote(counts, quotedFrom)
        at++
        if (mark > SPACE_CODE) counts.last = mark
        if (mark === 46 || mark === 33 || mark === 63) {
          sentenceWords = endSentence(counts, sentenceWords)
          segmentStart = true
        }
      }
      continue
    }
    const kind = kindOfAscii(code)
    if (kind === LETTER) {
      if (code <= LAST_OPTION && options.begins(counts, text, at, to)) {
        at += 2
        continue
      }
      at = tokens.word(counts, text, at, to, counts.words === sentenceWords)
      continue
    }
    if (kind === DIGIT) {
      at = tokens.number(counts, text, at, to)
      continue
    }
    counts.ascii[code]!++
    if (kind === MARK) counts.visible++
    if (code === QUOTE) quotedFrom = quote(counts, quotedFrom)
    at++
    if (code === 10) {
      lineStart = true
      segmentStart = true
      options.endLine(counts)
      // A paragraph ends a sentence, a wrapped line doesn't.
      if (at < to && (text.charCodeAt(at) === 10 || text.charCodeAt(at) === 13))
        sentenceWords = endSentence(counts, sentenceWords)
    }
    if (kind === MARK) counts.last = code
    if ((code === 46 || code === 33 || code === 63) && (at >= to || text.charCodeAt(at) <= 32)) {
      sentenceWords = endSentence(counts, sentenceWords)
      segmentStart = true
    } else if (kind === MARK && at < to && text.charCodeAt(at) === code) {
      if (code === 95) counts.blanks++
      else if (code === 61 || code === 38 || code === 124 || code === 43 || code === 58 || code === 47)
        counts.doubledMarks++
    }
  }
  endSentence(counts, sentenceWords)
  return options.end(counts, to)
}

/** Ends the sentence that began at word `from`, if it has a word; returns where the next one begins. */
const endSentence = (counts: PromptCounts, from: number): number => {
  if (counts.words > from) {
    counts.sentences++
    counts.longestSentence = Math.max(counts.longestSentence, counts.words - from)
  }
  return counts.words
}

/** At a quotation mark: `from` is how much was read where a quotation began, -1 outside of one; the same for what follows. */
const quote = (counts: PromptCounts, from: number): number => {
  if (from === -1) return counts.visible
  if (counts.visible - from > LONGEST_TERM) counts.quoted += counts.visible - from
  return -1
}

const isIndent = (code: number): boolean => code === 32 || code === 9 || code === 13

/** Looks at how a line begins and returns where its text does. */
const scanLineStart = (counts: PromptCounts, text: string, from: number, to: number): number => {
  let at = from
  while (at < to && isIndent(text.charCodeAt(at))) at++
  if (at >= to || text.charCodeAt(at) === 10) return at
  counts.lines++
  if (at - from >= 2 || text.charCodeAt(from) === 9) counts.indentedLines++
  const code = text.charCodeAt(at)
  const next = at + 1 < to ? text.charCodeAt(at + 1) : 0
  const afterNext = at + 2 < to ? text.charCodeAt(at + 2) : 0
  if ((code === 45 || code === 42) && next === 32) counts.listLines++
  else if (code >= 49 && code <= 57 && (next === 46 || next === 41) && afterNext === 32) {
    counts.listLines++
    return at + 3
  }
  return at
}
