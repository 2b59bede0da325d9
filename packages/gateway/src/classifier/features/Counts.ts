/** What one scan of a prompt counts: the raw material of the features. */
import { wordKinds } from "./Lexicon.ts"

/** All counts are of the part read, and of what repeats itself word by word in it once; `length` (UTF-16 units) is of all that is asked. */
export class PromptCounts {
  length: number
  /** As `length`, of what is only to be read or handled. */
  given: number
  read = 0
  /** How often each ASCII character occurs, by code; the wide forms of East Asian fonts count as theirs. */
  readonly ascii = new Uint16Array(128)
  /** Words of each kind of the lexicon, no word more than three times. */
  readonly kinds = new Uint16Array(wordKinds.length)
  words = 0
  distinctWords = 0
  letters = 0
  longWords = 0
  capitalized = 0
  allCaps = 0
  /** Single letters other than `a` and `I`: variables. */
  singleLetters = 0
  sentences = 0
  longestSentence = 0
  lines = 0
  indentedLines = 0
  listLines = 0
  /** Options `A. …`, `B) …`, the words in them, and those of them with a number. Nothing else counts what is in them. */
  options = 0
  optionWords = 0
  numericOptions = 0
  /** Characters other than white space, and those of them in longer quotations: material, not what is asked. */
  visible = 0
  /** Characters of lines and sentences that were there before, which nothing else counts. */
  repeated = 0
  /** As `visible`, of the options. */
  optionVisible = 0
  quoted = 0
  numbers = 0
  distinctNumbers = 0
  decimals = 0
  longNumbers = 0
  years = 0
  moneyMarks = 0
  letterDigits = 0
  doubledMarks = 0
  blanks = 0
  cjk = 0
  otherLetters = 0
  greekOrMaths = 0
  emoji = 0
  /** The last character that is not white space; 0 in a blank prompt. */
  last = 0

  /** Nothing is counted yet of a prompt of which `length` UTF-16 units ask and `given` do not. */
  constructor(length: number, given = 0) {
    this.length = length
    this.given = given
  }
}

export const copyOf = (counts: PromptCounts): PromptCounts => ({
  ...counts,
  ascii: counts.ascii.slice(),
  kinds: counts.kinds.slice()
})
