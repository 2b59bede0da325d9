/**
 * One pass over a prompt that counts what the features need. Plain loops and no regular expressions: the time is linear in
 * what is read, and what is read is bounded, so that a hostile prompt costs no more than a long one.
 */
import { asciiOf, DIGIT, isAccented, isOtherLetter, kindOfAscii, LETTER, MARK } from "../text/Characters.ts"
import { PromptCounts } from "./Counts.ts"
import { type Edition, LATEST } from "./Edition.ts"
import { withoutGiven } from "./Given.ts"
import { type TextSpan, withoutCourtesy } from "../small-talk/Courtesy.ts"
import { withoutMaterial } from "./Material.ts"
import { PromptOptions } from "./PromptOptions.ts"
import { withoutPassage } from "./Passage.ts"
import { Repetition } from "./Repetition.ts"
import { Tokens } from "./PromptTokens.ts"

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
