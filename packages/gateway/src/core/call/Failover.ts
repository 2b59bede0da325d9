/**
 * Which deployment is asked next when one failed, and after what wait. A request whose first attempt succeeds pays nothing for it;
 * from the first failure on `Effect.retry` with a `Schedule` drives the attempts: another key of the same provider where the key
 * failed, then untried deployments, at once, then those that may be asked again, after a wait.
 */
import { Clock, Duration, Effect, Random, Schedule } from "effect"
import type { Deployment } from "../domain/Deployment.ts"
import type { Exhausted } from "../domain/Errors.ts"
import { Outages } from "./Outages.ts"
import { type FailureClass, ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { ProviderPool } from "../pool/ProviderPool.ts"
import { RetryBudget } from "./RetryBudget.ts"
import type { FailoverSettings } from "../domain/Settings.ts"

/** The longest delay a schedule may grow to. */
const MAX_DELAY_MS = 8_000
/** A rate limit that passes sooner than this is worth waiting for when nothing else is free. */
const WORTH_WAITING_MS = 10_000

/** What the failure of an attempt asks for. */
type Verdict = "next" | "next_larger" | "stop"

const verdictOn: { readonly [Class in FailureClass]: Verdict } = {
  rate_limited: "next",
  quota_exhausted: "next",
  auth: "next",
  unavailable: "next",
  connections_full: "next",
  connect_timeout: "next",
  first_token_timeout: "next",
  truncated: "next",
  model_not_found: "next",
  context_length: "next_larger",
  content_filter: "stop",
  bad_request: "stop"
}

export interface Attempt {
  readonly deployment: Deployment
  /** 0 for the first. */
  readonly number: number
  /** Indices of its provider's keys that failed just before: another one is to be used. */
  readonly triedKeys?: ReadonlyArray<number>
}

type Upstream = ProviderFailure | Unsupported

/**
 * Runs `attempt` until one succeeds, at most `attempts` times, not counting those with another key. Failures of ours (budget, store) end it at once; failures where the
 * request is at fault come out as they are, all others as `Exhausted`.
 */
export type Failover = <A, E, R>(
  candidates: ReadonlyArray<Deployment>,
  attempts: number,
  attempt: (attempt: Attempt) => Effect.Effect<A, E | Upstream, R>
) => Effect.Effect<A, Failed<E>, R>

type Failed<E> = Exclude<E, Upstream> | Upstream | Exhausted

/** One for the whole process: its retries share a budget. */
export const makeFailover = Effect.fnUntraced(function* (
  settings: Pick<FailoverSettings, "baseDelayMs" | "retryBudget">,
  pool: Pool
): Effect.fn.Return<Failover> {
  const clock = yield* Clock.Clock
  const means = { clock, pool, budget: new RetryBudget(settings.retryBudget), waits: waits(settings.baseDelayMs) }
  return <A, E, R>(
    candidates: ReadonlyArray<Deployment>,
    attempts: number,
    attempt: (attempt: Attempt) => Effect.Effect<A, E | Upstream, R>
  ) =>
    Effect.suspend(() => {
      means.budget.request(clock.currentTimeMillisUnsafe())
      return attempt({ deployment: candidates[0]!, number: 0 }).pipe(
        Effect.catch((error) =>
          isUpstream(error)
            ? (new Course(candidates, attempts, means).goOn(error, attempt) as Effect.Effect<A, Failed<E>, R>)
            : Effect.fail(error as Failed<E>)
        )
      )
    })
})

const isUpstream = (error: unknown): error is Upstream =>
  error instanceof ProviderFailure || error instanceof Unsupported

type Pool = Pick<ProviderPool["Service"], "isReady" | "isHealthy" | "hasOtherKey">

interface Means {
  readonly clock: Clock.Clock
  readonly pool: Pool
  readonly budget: RetryBudget
  readonly waits: Schedule.Schedule<unknown, unknown>
}

/** Try again, after `waitMs`; undefined leaves the wait to the schedule. */
class Again {
  readonly waitMs: number | undefined

  constructor(waitMs: number | undefined) {
    this.waitMs = waitMs
  }
}

/** A deployment that may be asked once more. */
interface Repeat {
  readonly deployment: Deployment
  /** Epoch ms, as its provider said; undefined for a moment, which is all that a blip needs. */
  readonly notBefore: number | undefined
}

/** The way of one request from its first failure on. */
class Course {
  private readonly means: Means
  private readonly attempts: number
  private untried: ReadonlyArray<Deployment>
  private target: Deployment
  private made = 1
  /** How many of those were made with another key. */
  private madeByKey = 0
  /** The keys of the target's provider that failed, one right after the other. */
  private triedKeys: ReadonlyArray<number> = []
  /** What the first of them said whose rate is limited: that passes, whatever is wrong with the others. */
  private limitedKey: ProviderFailure | undefined
  private readonly blips = new Set<Deployment>()
  private repeats: ReadonlyArray<Repeat> = []
  private readonly outages = new Outages()

  constructor(candidates: ReadonlyArray<Deployment>, attempts: number, means: Means) {
    this.means = means
    this.attempts = attempts
    this.target = candidates[0]!
    this.untried = candidates.slice(1)
  }

  goOn<A, E, R>(failure: Upstream, attempt: (attempt: Attempt) => Effect.Effect<A, E | Upstream, R>) {
    const judge = (error: E | Upstream) => (isUpstream(error) ? this.judge(error) : error)
    // The attempt that has failed already is the first round, so that the schedule draws the wait after it too.
    let failed: Again | Upstream | Exhausted | undefined = this.judge(failure)
    const round = Effect.suspend(() => {
      if (failed === undefined) {
        const { target: deployment, triedKeys } = this
        return Effect.mapError(attempt({ deployment, number: this.made++, triedKeys }), judge)
      }
      const first = failed
      failed = undefined
      return Effect.fail(first)
    })
    return Effect.retry(round, { schedule: this.means.waits, while: (error) => error instanceof Again })
  }

  private judge(failure: Upstream): Again | Upstream | Exhausted {
    if (failure instanceof Unsupported) {
      // The request was fine for a provider that failed: that is what there is to say.
      return this.next() ?? this.outages.exhausted(this.made) ?? failure
    }
    this.outages.waits(failure)
    const verdict = verdictOn[failure.class]
    if (verdict === "stop") return failure
    if (verdict === "next_larger") {
      const window = this.target.contextWindow ?? 0
      // Whatever comes of the next one: it stays too long for the others.
      const isLarger = (one: Deployment) => (one.contextWindow ?? 0) > window
      this.untried = this.untried.filter(isLarger)
      this.repeats = this.repeats.filter(({ deployment }) => isLarger(deployment))
      return this.next() ?? failure
    }
    this.mayRepeat(failure)
    const otherKey = this.otherKey(failure)
    if (otherKey !== undefined) return otherKey
    this.outages.add(isOfKey(failure) ? (this.limitedKey ?? failure) : failure)
    return this.next() ?? this.outages.exhausted(this.made) ?? failure
  }

  /**
   * The same deployment at once, with a key of its provider that did not fail yet. A key that failed is set aside, so this asks a
   * provider in trouble no more often than it has keys, and the retry budget does not count it.
   */
  private otherKey(failure: ProviderFailure): Again | undefined {
    if (failure.key === undefined || !isOfKey(failure)) return undefined
    this.triedKeys = [...this.triedKeys, failure.key]
    if (failure.class === "rate_limited") this.limitedKey ??= failure
    // Two keys that are refused what may be the request's fault: it is the request's.
    if (failure.mayBeOfRequest === true && this.triedKeys.length > 1) return undefined
    const now = this.means.clock.currentTimeMillisUnsafe()
    if (!this.means.pool.hasOtherKey(this.target.id, now, this.triedKeys)) return undefined
    this.madeByKey++
    return new Again(0)
  }

  /** A blip is over in a moment, so that once more is worth it; a rate limit ends when its provider says. */
  private mayRepeat({ class: name, retryAfterMs = Infinity }: ProviderFailure): void {
    const deployment = this.target
    if (name === "unavailable" && !this.blips.has(deployment)) {
      this.blips.add(deployment)
      this.repeats = [...this.repeats, { deployment, notBefore: undefined }]
    } else if (name === "rate_limited" && retryAfterMs <= WORTH_WAITING_MS) {
      const notBefore = this.means.clock.currentTimeMillisUnsafe() + retryAfterMs
      this.repeats = [...this.repeats, { deployment, notBefore }]
    }
  }

  /** Makes the next deployment the target: what is free now, then what is so after a wait, then what hardly is. */
  private next(): Again | undefined {
    if (this.made - this.madeByKey >= this.attempts) return undefined
    const { budget, clock, pool } = this.means
    const now = clock.currentTimeMillisUnsafe()
    const free = budget.hasRoom(now)
      ? this.untried.find(({ id }) => pool.isReady(id, now))
      : this.untried.find(({ id }) => pool.isHealthy(id, now))
    if (free !== undefined) return this.ask(free, 0, now)
    if (!budget.hasRoom(now)) return undefined
    const repeat = this.repeats.reduce<Repeat | undefined>(
      (soonest, one) => (soonest === undefined || (one.notBefore ?? 0) < (soonest.notBefore ?? 0) ? one : soonest),
      undefined
    )
    if (repeat !== undefined) {
      const { deployment, notBefore } = repeat
      return this.ask(
        deployment,
        notBefore === undefined ? undefined : Math.min(WORTH_WAITING_MS, Math.max(0, notBefore - now)),
        now
      )
    }
    const [last] = this.untried
    return last === undefined ? undefined : this.ask(last, 0, now)
  }

  private ask(deployment: Deployment, waitMs: number | undefined, now: number): Again {
    this.means.budget.retry(now)
    this.target = deployment
    this.triedKeys = []
    this.limitedKey = undefined
    this.untried = this.untried.filter((one) => one !== deployment)
    this.repeats = this.repeats.filter((one) => one.deployment !== deployment)
    return new Again(waitMs)
  }
}

/** Another key may do what this one can't. */
const isOfKey = ({ class: name }: ProviderFailure): boolean =>
  name === "auth" || name === "quota_exhausted" || name === "rate_limited"

/** Full jitter: the wait is anywhere between 0 and `base · 2ⁿ`, unless the failure says how long. It lasts as long as failures do. */
const waits = (baseDelayMs: number): Means["waits"] =>
  Schedule.forever.pipe(
    Schedule.setInputType<unknown>(),
    Schedule.modifyDelay(({ input, output }) => {
      if (!(input instanceof Again)) return Effect.succeed(Duration.zero)
      if (input.waitMs !== undefined) return Effect.succeed(Duration.millis(input.waitMs))
      const most = Math.min(MAX_DELAY_MS, baseDelayMs * 2 ** output)
      return Effect.map(Random.next, (share) => Duration.millis(Math.round(share * most)))
    })
  )
