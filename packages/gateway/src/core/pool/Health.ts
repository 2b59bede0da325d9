/**
 * The health of one deployment, from recent traffic without probes. The circuit opens after 5 failures in a row, or if more than
 * half of at least 20 calls in 30 s failed; for 10 s, doubled each time up to 300 s. Then one real call tests it.
 *
 * Effect's `CircuitBreaker` has one of the two rules at a time, opens for a number of calls, can't tell whether it would let a call
 * through, and costs 13 µs a call; this costs 0.04 µs (2 cores, Node 24).
 */
import { PeakEwma } from "../collections/PeakEwma.ts"
import { SlidingWindowCounts } from "../collections/SlidingWindowCounts.ts"
import type { FailureClass, ProviderFailure } from "../domain/Failures.ts"

// How long complete responses of one deployment take for their length, learnt from earlier answers. A response in one piece is silent
// until it is complete, so only this tells a long response from a missing one.

const TIMES_KEPT = 64
/** Percent of the responses, the slowest, that are ignored. */
const LEFT_OUT = 5
/** Sorts once for this many responses: sorting at each one would cost more than it is worth. */
const SORTED_EVERY = 16
/** The first token of a response takes about as long as this many further ones. */
const FIRST_TOKEN_WEIGHS = 30
/** A response may take this many times the learnt time: answers differ, and one that is cut off is still billed. */
const SLACK = 2
/** A response may be this many times as long as the longest one known. */
const LONGER = 4
/** Milliseconds a token, at least: short answers show little about long ones. */
const FASTEST = 10
/** Milliseconds a token, for a deployment that has not answered yet. */
const ASSUMED = 40

export class AnswerTimes {
  private readonly paces = new Float64Array(TIMES_KEPT)
  private readonly sizes = new Float64Array(TIMES_KEPT)
  private known = 0
  private next = 0
  /** Milliseconds a token that nearly all responses kept to; undefined before the first. */
  private pace: number | undefined
  /** Output tokens of the longest answer. */
  private longest = 0

  /** Adds a response of this many tokens; of several choices made at once, the longest counts. */
  add(tookMs: number, tokens: number): void {
    this.paces[this.next] = tookMs / (FIRST_TOKEN_WEIGHS + tokens)
    this.sizes[this.next] = tokens
    this.next = (this.next + 1) % TIMES_KEPT
    this.known = Math.min(TIMES_KEPT, this.known + 1)
    if (this.known < SORTED_EVERY || this.next % SORTED_EVERY === 0) this.learn()
  }

  /** How long a response may take, in ms. `requested`: its output limit in tokens. 0 where nothing is known. */
  longestFor(requested: number | undefined): number {
    if (this.pace !== undefined) return this.time(this.pace, requested ?? this.longest * LONGER)
    return requested === undefined ? 0 : this.time(ASSUMED, requested)
  }

  /** How long a response may take that is about as long as those before. Undefined before the first. */
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

export interface HealthReport {
  readonly circuit: "closed" | "open" | "half_open"
  /** When the circuit opened, or closed after it had been open, epoch milliseconds; null: it never was. Half open counts as open. */
  readonly since: number | null
  readonly consecutiveFailures: number
  /** Failures as a share of the calls of the last 30 s, or since the circuit closed; 0 without calls. */
  readonly errorRate: number
  /** Milliseconds; null before the first success. */
  readonly latencyP50: number | null
  readonly latencyP95: number | null
  readonly firstTokenP50: number | null
  readonly firstTokenP95: number | null
  readonly lastError: LastError | null
  /** When the circuit opened, epoch milliseconds: the last 16 times, oldest first. A test call that fails is no new opening. */
  readonly openings: ReadonlyArray<number>
}

/** The last failure, without the provider's words: those may quote the caller, or the refused key. */
interface LastError {
  readonly at: number
  readonly class: FailureClass
  /** The provider's HTTP status; null when it gave none. */
  readonly status: number | null
  readonly code: string | null
  /** In the gateway's words. */
  readonly message: string
}

const CONSECUTIVE_TO_OPEN = 5
const RATE_WINDOW_MS = 30_000
const RATE_SLICES = 30
const RATE_MIN_CALLS = 20
const OPEN_FIRST_MS = 10_000
const OPEN_MOST_MS = 300_000
/** A call that tries costs its caller little where the last failure came soon: then the next one comes soon, too. */
const SOON_MS = 2_000
const OPEN_MOST_SOON_MS = 20_000
const SAMPLES = 64
const OPENINGS = 16
/** Tokens a second before the first measurement. The fastest of OpenAI's recorded answers (from 64 tokens on) reached 123. */
const RATE_UNSEEN = 125
/** No provider generates faster than this: a faster answer came from a cache. */
const RATE_MOST = 5_000
/** Shorter answers measure the network more than the generation. */
const RATE_MIN_TOKENS = 64
/** One less than the failures that open the circuit, so that one key alone can't open it. */
const MOST_OF_ONE_KEY = CONSECUTIVE_TO_OPEN - 1

const countsAgainstHealth = (failure: FailureClass): boolean =>
  failure === "unavailable" ||
  failure === "connect_timeout" ||
  failure === "first_token_timeout" ||
  failure === "idle_timeout" ||
  failure === "truncated"

/** Given to a call at its start and handed in at its end: the circuit's state at the start, and whether this call tests it. */
export type Ticket = number

/** A deployment that was not measured for this long is called once to be measured. */
const THROUGHPUT_LASTS_MS = 120_000
const THROUGHPUT_WEIGHT = 0.3
/** Shorter streams say little: a few pieces come at once. */
const THROUGHPUT_MIN_TOKENS = 32

export class Health {
  inFlight = 0
  /** How long complete responses take. */
  readonly answerTimes = new AnswerTimes()
  private consecutive = 0
  private openUntil = 0
  /** How long the current opening lasts. */
  private openMs = 0
  /** How long the next opening lasts; it doubles. */
  private openFor = 0
  private probing = false
  /** When the circuit last opened or closed. */
  private turnedAt: number | null = null
  /** Counts openings and closings. Reports of calls from an earlier era do not change the circuit. */
  private era = 0
  /** All calls, and the failed ones among them. */
  private readonly rate = new SlidingWindowCounts(RATE_WINDOW_MS, RATE_SLICES)
  private readonly latencies = new Samples()
  private readonly firstTokens = new Samples()
  private readonly expected = new PeakEwma()
  private fastest = 0
  /** Tokens a second after the first token: a moving average, and when it was last measured. */
  private lately = { rate: 0, at: Number.NEGATIVE_INFINITY }
  private lastError: HealthReport["lastError"] = null
  private openings: ReadonlyArray<number> = []
  /** Callers that left an overdue answer since the last response came: how often, by key. */
  private readonly impatient = new Map<string, number>()

  /** Whether a call now is likely to succeed. */
  isReady(now: number): boolean {
    this.keepInReach(now)
    return this.openUntil === 0 || (now >= this.openUntil && !this.probing)
  }

  /** Whether the circuit is closed and the last call succeeded. */
  isHealthy(): boolean {
    return this.openUntil === 0 && this.consecutiveFailures === 0
  }

  /** Milliseconds, a peak EWMA; 0 while nothing is known. */
  expectedFirstToken(now: number): number {
    return this.expected.read(now)
  }

  /** Tokens a second: the fastest generation seen so far, including the first token; before that `assumed`. */
  outputRate(assumed = RATE_UNSEEN): number {
    return this.fastest === 0 ? assumed : this.fastest
  }

  /** See `DeploymentHealth.throughput`. A measurement is forgotten after a while, so that a slow day is. */
  throughput(now: number): number {
    const { at, rate } = this.lately
    if (now - at <= THROUGHPUT_LASTS_MS) return rate
    return this.inFlight === 0 ? Number.POSITIVE_INFINITY : 0
  }

  /** A stream of so many tokens came in the `tookMs` after its first token. */
  streamed(now: number, tookMs: number, tokens: number): void {
    if (tokens < THROUGHPUT_MIN_TOKENS) return
    const rate = (tokens * 1000) / Math.max(1, tookMs)
    const isKnown = now - this.lately.at <= THROUGHPUT_LASTS_MS
    this.lately = { rate: isKnown ? this.lately.rate + (rate - this.lately.rate) * THROUGHPUT_WEIGHT : rate, at: now }
  }

  /** A response took `tookMs` for its tokens (of one choice, counted by its provider). */
  generated(tookMs: number, tokens: number): void {
    if (tokens < RATE_MIN_TOKENS) return
    const rate = Math.min(RATE_MOST, (tokens * 1000) / Math.max(1, tookMs))
    if (rate > this.fastest) this.fastest = rate
  }

  began(now: number): Ticket {
    this.inFlight++
    this.expected.asked(now)
    this.keepInReach(now)
    const probes = this.openUntil !== 0 && now >= this.openUntil && !this.probing
    if (probes) this.probing = true
    return this.era * 2 + (probes ? 1 : 0)
  }

  firstToken(now: number, afterMs: number): void {
    this.firstTokens.add(afterMs)
    this.expected.observe(now, afterMs)
  }

  /** A complete response came in one piece. Its length tells about when its first token was generated. */
  wholeAnswer(now: number, tookMs: number, tokens: number): void {
    this.answerTimes.add(tookMs, tokens)
    this.expected.observe(now, (tookMs * FIRST_TOKEN_WEIGHS) / (FIRST_TOKEN_WEIGHS + tokens))
  }

  succeeded(ticket: Ticket, now: number, tookMs: number): void {
    this.inFlight--
    this.latencies.add(tookMs)
    this.rate.add(now, 1, 0)
    if (!this.isOfNow(ticket)) return
    this.consecutive = 0
    if (this.impatient.size > 0) this.impatient.clear()
    if (this.openUntil === 0) return
    this.close(now)
  }

  /** An administrator closes the circuit: what was counted against the deployment is forgotten. */
  reset(now: number): void {
    this.consecutive = 0
    if (this.openUntil !== 0) return this.close(now)
    if (this.impatient.size > 0) this.impatient.clear()
    this.rate.clear()
  }

  /** The call ended because of its caller: this says nothing about the deployment. */
  abandoned(ticket: Ticket): void {
    this.inFlight--
    if (this.isProbe(ticket)) this.probing = false
  }

  /**
   * The caller of `key` left when the response was overdue: a failure once a second key reports it. It never counts in the
   * failure rate. The call's end is reported separately.
   */
  overdue(ticket: Ticket, now: number, key: string): void {
    const wasProbe = this.isProbe(ticket)
    if (!this.isOfNow(ticket) || (this.openUntil !== 0 && !wasProbe)) return
    this.impatient.set(key, Math.min(MOST_OF_ONE_KEY, (this.impatient.get(key) ?? 0) + 1))
    if (!wasProbe && this.impatient.size < 2) return
    this.lastError = {
      at: now,
      class: "first_token_timeout",
      status: null,
      code: null,
      message: "clients disconnected before the overdue response came"
    }
    this.openOn(now, wasProbe, Infinity)
  }

  failed(ticket: Ticket, now: number, failure: ProviderFailure, tookMs: number): void {
    this.inFlight--
    this.keepInReach(now)
    const wasProbe = this.isProbe(ticket)
    if (wasProbe) this.probing = false
    this.lastError = lastErrorOf(now, failure)
    if (!countsAgainstHealth(failure.class)) return
    if (failure.class === "connect_timeout" || failure.class === "first_token_timeout") {
      this.expected.observe(now, tookMs)
    }
    this.rate.add(now, 1, 1)
    // Calls that began before the circuit opened often fail together: that is one failure, not many.
    if (!this.isOfNow(ticket)) return
    this.consecutive++
    this.openOn(now, wasProbe, tookMs)
  }

  report(now: number): HealthReport {
    this.keepInReach(now)
    const calls = this.rate.all(now)
    return {
      circuit: this.openUntil === 0 ? "closed" : now >= this.openUntil ? "half_open" : "open",
      since: this.turnedAt,
      consecutiveFailures: this.consecutiveFailures,
      errorRate: calls > 0 ? this.rate.part(now) / calls : 0,
      latencyP50: this.latencies.quantile(0.5),
      latencyP95: this.latencies.quantile(0.95),
      firstTokenP50: this.firstTokens.quantile(0.5),
      firstTokenP95: this.firstTokens.quantile(0.95),
      lastError: this.lastError,
      openings: this.openings
    }
  }

  private get consecutiveFailures(): number {
    if (this.impatient.size < 2) return this.consecutive
    let left = 0
    for (const times of this.impatient.values()) left += times
    return this.consecutive + left
  }

  /** Counts one more failure. The circuit opens if that was one too many, or opens again if it was the test call. */
  private openOn(now: number, wasProbe: boolean, tookMs: number): void {
    if (this.openUntil === 0 ? !this.isTooMuch(now) : !wasProbe && now < this.openUntil) return
    const most = tookMs <= SOON_MS ? OPEN_MOST_SOON_MS : OPEN_MOST_MS
    this.openFor = Math.min(most, this.openFor === 0 ? OPEN_FIRST_MS : this.openFor * 2)
    this.open(now, this.openFor)
  }

  private isTooMuch(now: number): boolean {
    if (this.consecutiveFailures >= CONSECUTIVE_TO_OPEN) return true
    const calls = this.rate.all(now)
    return calls >= RATE_MIN_CALLS && this.rate.part(now) > calls / 2
  }

  private close(now: number): void {
    this.openUntil = 0
    this.openFor = 0
    this.turnedAt = now
    this.turn()
    this.rate.clear()
  }

  private open(now: number, ms: number): void {
    if (this.openUntil === 0) {
      this.turnedAt = now
      this.openings = [...this.openings, now].slice(-OPENINGS)
    }
    this.openUntil = now + ms
    this.openMs = ms
    this.turn()
  }

  /** If the clock was set back, no wait is longer than it was meant to be. */
  private keepInReach(now: number): void {
    if (this.openUntil - now > this.openMs) this.openUntil = now + this.openMs
  }

  private turn(): void {
    this.era++
    this.probing = false
    if (this.impatient.size > 0) this.impatient.clear()
  }

  private isOfNow(ticket: Ticket): boolean {
    return ticket >> 1 === this.era
  }

  private isProbe(ticket: Ticket): boolean {
    return this.isOfNow(ticket) && (ticket & 1) === 1
  }
}

/** A code is a short word from a vendor's list; anything longer may be text. */
const CODE = /^[\w.:-]{1,64}$/

const lastErrorOf = (at: number, { class: name, code, message, status }: ProviderFailure): LastError => ({
  at,
  class: name,
  status: status === 0 ? null : status,
  code: code !== null && CODE.test(code) ? code : null,
  // Without a status the message is the gateway's own.
  message: status === 0 ? message : `${sentences[name]} (${status})`
})

const sentences: { readonly [Class in FailureClass]: string } = {
  rate_limited: "the provider limits the rate",
  quota_exhausted: "the provider's account is out of credit",
  auth: "the provider refused the gateway's credential, or the request",
  unavailable: "the provider is unavailable",
  connect_timeout: "the provider could not be reached in time",
  first_token_timeout: "the provider did not begin to respond in time",
  idle_timeout: "the provider stopped sending for longer than the limit `timeouts.idle`",
  total_timeout: "the response took longer than the limit `timeouts.total`",
  truncated: "the response broke off or could not be read",
  no_room: "the gateway had no free memory for the response",
  context_length: "the prompt is too long for the model",
  content_filter: "the provider's content filter refused the request",
  connections_full: "all connections to the provider are in use",
  bad_request: "the provider rejected the request as invalid",
  model_not_found: "the provider does not know the model"
}

/** The last measurements, a fixed number of them. */
class Samples {
  private readonly values: Array<number> = []
  private next = 0

  add(value: number): void {
    this.values[this.next] = value
    this.next = (this.next + 1) % SAMPLES
  }

  /** `share`: below 1. */
  quantile(share: number): number | null {
    if (this.values.length === 0) return null
    const sorted = [...this.values].sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length * share)]!
  }
}
