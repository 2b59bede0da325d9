/**
 * What recent real traffic says of one deployment. No probe calls: they cost money.
 *
 * The circuit opens after 5 failures in a row, or when more than half of at least 20 calls in 30 s failed, for 10 s, doubling to
 * 300 s while it keeps failing; then one real call is let through to try.
 */
import type { FailureClass, ProviderFailure } from "./Provider.ts"

export interface HealthReport {
  readonly circuit: "closed" | "open" | "half_open"
  readonly consecutiveFailures: number
  /** Failures over calls of the last 30 s; 0 without calls. */
  readonly errorRate: number
  /** Milliseconds; null without a successful call yet. */
  readonly latencyP50: number | null
  readonly firstTokenP50: number | null
  readonly lastError: { readonly at: number; readonly class: FailureClass; readonly message: string } | null
}

const CONSECUTIVE_TO_OPEN = 5
const RATE_WINDOW_MS = 30_000
const RATE_MIN_CALLS = 20
const OPEN_FIRST_MS = 10_000
const OPEN_MOST_MS = 300_000
/** A provider without credit, or that refuses our key, does not recover in seconds. */
const OPEN_LONG_MS = 300_000
const SAMPLES = 64
/** Weight of the newest first-token time in the moving average. */
const EWMA = 0.2

const countsAgainstHealth = (failure: FailureClass): boolean =>
  failure === "unavailable" ||
  failure === "connect_timeout" ||
  failure === "first_token_timeout" ||
  failure === "truncated"

export class Health {
  inFlight = 0
  expectedFirstToken = 0
  private consecutive = 0
  private openUntil = 0
  private openFor = 0
  private probing = false
  /** The provider asked not to be called before this time. */
  private notBefore = 0
  private windowStart = 0
  private calls = 0
  private failures = 0
  private readonly latencies = new Samples()
  private readonly firstTokens = new Samples()
  private lastError: HealthReport["lastError"] = null

  /** Whether a call now is likely to be answered. */
  isReady(now: number): boolean {
    return now >= this.notBefore && (this.openUntil === 0 || (now >= this.openUntil && !this.probing))
  }

  began(now: number): void {
    this.inFlight++
    if (this.openUntil !== 0 && now >= this.openUntil) this.probing = true
  }

  firstToken(afterMs: number): void {
    this.firstTokens.add(afterMs)
    this.expectedFirstToken =
      this.expectedFirstToken === 0 ? afterMs : this.expectedFirstToken * (1 - EWMA) + afterMs * EWMA
  }

  succeeded(now: number, tookMs: number): void {
    this.inFlight--
    this.latencies.add(tookMs)
    this.count(now, 0)
    this.consecutive = 0
    this.openUntil = 0
    this.openFor = 0
    this.probing = false
  }

  /** The call ended for a reason of the caller's: it says nothing about the deployment. */
  abandoned(): void {
    this.inFlight--
    this.probing = false
  }

  failed(now: number, failure: ProviderFailure): void {
    this.inFlight--
    const wasProbe = this.probing
    this.probing = false
    this.lastError = { at: now, class: failure.class, message: failure.message }
    if (failure.class === "rate_limited") this.notBefore = Math.max(this.notBefore, now + (failure.retryAfterMs ?? 0))
    if (failure.class === "quota_exhausted" || failure.class === "auth") {
      this.openUntil = now + OPEN_LONG_MS
      return
    }
    if (!countsAgainstHealth(failure.class)) return
    this.consecutive++
    this.count(now, 1)
    // Calls that began before it opened fail together with those that opened it: that is one failure, not many.
    if (now < this.openUntil && !wasProbe) return
    const tooMany = this.calls >= RATE_MIN_CALLS && this.failures > this.calls / 2
    if (wasProbe || this.consecutive >= CONSECUTIVE_TO_OPEN || tooMany) {
      this.openFor = Math.min(OPEN_MOST_MS, this.openFor === 0 ? OPEN_FIRST_MS : this.openFor * 2)
      this.openUntil = now + this.openFor
    }
  }

  report(now: number): HealthReport {
    const recent = now - this.windowStart < RATE_WINDOW_MS
    return {
      circuit: this.openUntil === 0 ? "closed" : now >= this.openUntil ? "half_open" : "open",
      consecutiveFailures: this.consecutive,
      errorRate: recent && this.calls > 0 ? this.failures / this.calls : 0,
      latencyP50: this.latencies.median(),
      firstTokenP50: this.firstTokens.median(),
      lastError: this.lastError
    }
  }

  private count(now: number, failures: number): void {
    if (now - this.windowStart >= RATE_WINDOW_MS) {
      this.windowStart = now
      this.calls = 0
      this.failures = 0
    }
    this.calls++
    this.failures += failures
  }
}

/** The last so many measurements. */
class Samples {
  private readonly values: Array<number> = []
  private next = 0

  add(value: number): void {
    this.values[this.next] = value
    this.next = (this.next + 1) % SAMPLES
  }

  median(): number | null {
    if (this.values.length === 0) return null
    const sorted = [...this.values].sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)]!
  }
}
