/**
 * How long complete answers of one deployment take for their length, learnt from earlier answers. An answer in one piece is silent
 * until it is complete, so only this tells a long answer from a missing one.
 */

const SAMPLES = 64
/** Percent of the answers, the slowest, that are ignored. */
const LEFT_OUT = 5
/** Sorts once for this many answers: sorting at each one would cost more than it is worth. */
const SORTED_EVERY = 16
/** The first token of an answer takes about as long as this many further ones. */
export const FIRST_TOKEN_WEIGHS = 30
/** An answer may take this many times the learnt time: answers differ, and one that is cut off is still billed. */
const SLACK = 2
/** An answer may be this many times as long as the longest one known. */
const LONGER = 4
/** Milliseconds a token, at least: short answers show little about long ones. */
const FASTEST = 10
/** Milliseconds a token, for a deployment that has not answered yet. */
const ASSUMED = 40

export class AnswerTimes {
  private readonly paces = new Float64Array(SAMPLES)
  private readonly sizes = new Float64Array(SAMPLES)
  private known = 0
  private next = 0
  /** Milliseconds a token that nearly all answers kept to; undefined before the first. */
  private pace: number | undefined
  /** Output tokens of the longest answer. */
  private longest = 0

  /** Adds an answer of this many tokens; of several choices made at once, the longest counts. */
  add(tookMs: number, tokens: number): void {
    this.paces[this.next] = tookMs / (FIRST_TOKEN_WEIGHS + tokens)
    this.sizes[this.next] = tokens
    this.next = (this.next + 1) % SAMPLES
    this.known = Math.min(SAMPLES, this.known + 1)
    if (this.known < SORTED_EVERY || this.next % SORTED_EVERY === 0) this.learn()
  }

  /** How long an answer may take, in ms. `requested`: its output limit in tokens. 0 where nothing is known. */
  longestFor(requested: number | undefined): number {
    if (this.pace !== undefined) return this.time(this.pace, requested ?? this.longest * LONGER)
    return requested === undefined ? 0 : this.time(ASSUMED, requested)
  }

  /** How long an answer may take that is about as long as those before. Undefined before the first. */
  usualFor(requested: number | undefined): number | undefined {
    if (this.pace === undefined) return undefined
    return this.time(this.pace, Math.min(requested ?? Infinity, this.longest * LONGER))
  }

  private time(pace: number, tokens: number): number {
    return Math.ceil(SLACK * pace * (FIRST_TOKEN_WEIGHS + tokens))
  }

  private learn(): void {
    const sorted = this.paces.slice(0, this.known).sort()
    const place = Math.ceil((sorted.length * (100 - LEFT_OUT)) / 100) - 1
    this.pace = Math.max(FASTEST, sorted[place]!)
    this.longest = this.sizes.reduce((most, size) => Math.max(most, size), 0)
  }
}
