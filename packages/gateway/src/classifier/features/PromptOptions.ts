/**
 * The options of a question, on lines of their own or in one: a letter counts when it is the next of the alphabet. They are told
 * from the question, because what is hard is what is asked: long options in words are no harder than short ones in numbers.
 */
import { copyOf, type PromptCounts } from "./Counts.ts"

/** Longer than this on average, or with more after the last mark, they are no options but sections of a text. */
const LONGEST = 400
/** A question of fewer words is in the options themselves, or follows them. */
const SHORTEST_QUESTION = 3

export class PromptOptions {
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
