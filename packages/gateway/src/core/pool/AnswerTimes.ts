/**
 * How long whole answers of one deployment take, learnt from those it gave, by what they hold: an answer that comes all at once is
 * silent until then, so only this tells a long one from none.
 */

const SAMPLES = 64
/** The slowest so many of a hundred are left out. */
const LEFT_OUT = 5
/** Sorting at every answer would cost more than knowing a little sooner. */
const SORTED_EVERY = 16
/** A whole answer's first token is taken to cost as much time as this many further ones. */
export const FIRST_TOKEN_WEIGHS = 30
/** An answer may take this many times what is known: no two are alike, and who is cut off has paid. */
const SLACK = 2
/** One may be so many times as long as the longest that is known. */
const LONGER = 4
/** Milliseconds a token. Nothing is taken to be faster, as short answers tell little of long ones. */
const FASTEST = 10
/** What is assumed of a deployment that has not answered yet. */
const ASSUMED = 40

export class AnswerTimes {
  private readonly paces = new Float64Array(SAMPLES)
  private readonly sizes = new Float64Array(SAMPLES)
  private known = 0
  private next = 0
  /** Milliseconds a token, of nearly all answers; undefined without one. */
  private pace: number | undefined
  /** Tokens. */
  private longest = 0

  /** An answer of so many tokens, or the longest of several that were made at once. */
  add(tookMs: number, tokens: number): void {
    this.paces[this.next] = tookMs / (FIRST_TOKEN_WEIGHS + tokens)
    this.sizes[this.next] = tokens
    this.next = (this.next + 1) % SAMPLES
    this.known = Math.min(SAMPLES, this.known + 1)
    if (this.known < SORTED_EVERY || this.next % SORTED_EVERY === 0) this.learn()
  }

  /** How long an answer may take, ms. `requested`: the output tokens it is limited to. 0 where nothing tells. */
  longestFor(requested: number | undefined): number {
    if (this.pace !== undefined) return this.time(this.pace, requested ?? this.longest * LONGER)
    return requested === undefined ? 0 : this.time(ASSUMED, requested)
  }

  /** How long one may take that is no longer than those that came. Undefined without any. */
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
    this.longest = Math.max(...this.sizes)
  }
}
