/** What one scan of a prompt counts: the raw material of the features. */
import { wordKinds } from "./Lexicon.ts"

/** All counts are of the part read, and of what repeats itself word by word in it once; `length` (UTF-16 units) is of all that is asked. */
export interface PromptCounts {
  length: number
  /** As `length`, of what is only to be read or handled. */
  given: number
  read: number
  /** How often each ASCII character occurs, by code; the wide forms of East Asian fonts count as theirs. */
  readonly ascii: Uint16Array
  /** Words of each kind of the lexicon, no word more than three times. */
  readonly kinds: Uint16Array
  words: number
  distinctWords: number
  letters: number
  longWords: number
  capitalized: number
  allCaps: number
  /** Single letters other than `a` and `I`: variables. */
  singleLetters: number
  sentences: number
  longestSentence: number
  lines: number
  indentedLines: number
  listLines: number
  /** Options `A. …`, `B) …`, the words in them, and those of them with a number. Nothing else counts what is in them. */
  options: number
  optionWords: number
  numericOptions: number
  /** Characters other than white space, and those of them in longer quotations: material, not what is asked. */
  visible: number
  /** Characters of lines and sentences that were there before, which nothing else counts. */
  repeated: number
  /** As `visible`, of the options. */
  optionVisible: number
  quoted: number
  numbers: number
  distinctNumbers: number
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

/** Nothing counted yet, for a prompt of which `length` UTF-16 units ask and `given` don't. */
export const emptyCounts = (length: number, given = 0): PromptCounts => ({
  length,
  given,
  read: 0,
  ascii: new Uint16Array(128),
  kinds: new Uint16Array(wordKinds.length),
  words: 0,
  distinctWords: 0,
  letters: 0,
  longWords: 0,
  capitalized: 0,
  allCaps: 0,
  singleLetters: 0,
  sentences: 0,
  longestSentence: 0,
  lines: 0,
  indentedLines: 0,
  listLines: 0,
  options: 0,
  optionWords: 0,
  numericOptions: 0,
  visible: 0,
  repeated: 0,
  optionVisible: 0,
  quoted: 0,
  numbers: 0,
  distinctNumbers: 0,
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

export const copyOf = (counts: PromptCounts): PromptCounts => ({
  ...counts,
  ascii: counts.ascii.slice(),
  kinds: counts.kinds.slice()
})
