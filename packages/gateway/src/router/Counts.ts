/** What one scan of a prompt counts: the raw material of the features. */
import { wordKinds } from "./Lexicon.ts"

/** All counts are of the part read, `length` (UTF-16 units) is of the whole prompt. */
export interface Counts {
  length: number
  read: number
  /** How often each ASCII character occurs, by code. */
  readonly ascii: Uint16Array
  /** Words of each kind of the lexicon. */
  readonly kinds: Uint16Array
  words: number
  distinctWords: number
  letters: number
  longWords: number
  capitalized: number
  allCaps: number
  sentences: number
  lines: number
  indentedLines: number
  listLines: number
  /** Lines of the form `A. …` or `B) …`, the characters in them, and those of them with hardly a letter. */
  optionLines: number
  optionLength: number
  numericOptions: number
  numbers: number
  decimals: number
  longNumbers: number
  years: number
  moneyMarks: number
  letterDigits: number
  doubledMarks: number
  blanks: number
  cjk: number
  otherLetters: number
  greekOrMaths: number
  emoji: number
  /** The last character that is not white space; 0 in a blank prompt. */
  last: number
}

/** Nothing counted yet, for a prompt of `length` UTF-16 units. */
export const emptyCounts = (length: number): Counts => ({
  length,
  read: 0,
  ascii: new Uint16Array(128),
  kinds: new Uint16Array(wordKinds.length),
  words: 0,
  distinctWords: 0,
  letters: 0,
  longWords: 0,
  capitalized: 0,
  allCaps: 0,
  sentences: 0,
  lines: 0,
  indentedLines: 0,
  listLines: 0,
  optionLines: 0,
  optionLength: 0,
  numericOptions: 0,
  numbers: 0,
  decimals: 0,
  longNumbers: 0,
  years: 0,
  moneyMarks: 0,
  letterDigits: 0,
  doubledMarks: 0,
  blanks: 0,
  cjk: 0,
  otherLetters: 0,
  greekOrMaths: 0,
  emoji: 0,
  last: 0
})
