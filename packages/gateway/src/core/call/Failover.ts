/**
 * Which deployment is called next after a failure, and after what wait. `Effect.retry` drives the attempts in this order:
 * 1. the same deployment: with another key, for another operation, or without reasoning that it could not verify;
 * 2. deployments that were not called yet, without a wait;
 * 3. deployments that can be called again after a wait.
 *
 * An `ExecutionPlan` does not fit: it fixes steps and their order before the first attempt. Here each failure decides what
 * follows (open circuits, keys, context windows, rate limits), and all requests share one retry budget.
 */
import { type Clock, Duration, Effect, Random, Schedule } from "effect"
import { SlidingWindowCounts } from "../collections/SlidingWindowCounts.ts"
import type { Deployment } from "../domain/Deployment.ts"
import { type BudgetExceeded, Exhausted, isOfRule, type RateLimited } from "../domain/Errors.ts"
import { type FailureClass, ProviderFailure, Unsupported } from "../domain/Failures.ts"
import type { OperationName } from "../domain/OperationName.ts"
import type { FailoverSettings } from "../domain/Settings.ts"
import type { DeploymentHealth } from "../pool/ProviderPool.ts"

/** Combines the failures of several providers into what the caller is told when no deployment is left. */
class Outages {
  private shortestWait: number | undefined
  /** The last failure of any other class than rate limits, unknown models and full connections; those three have a field each. */
  private other: ProviderFailure | undefined
  private limited: ProviderFailure | undefined
  private unknown: ProviderFailure | undefined
  private full: ProviderFailure | undefined

  /** A deployment failed with every key that could be tried. */
  add(failure: ProviderFailure): void {
    if (failure.class === "rate_limited") this.limited = failure
    else if (failure.class === "model_not_found") this.unknown = failure
    else if (failure.class === "connections_full") this.full = failure
    else this.other = failure
  }

  /** Notes the wait that a provider asked for, with any key. */
  waits({ retryAfterMs }: ProviderFailure): void {
    if (retryAfterMs !== undefined) this.shortestWait = Math.min(this.shortestWait ?? Infinity, retryAfterMs)
  }

  /** Rate limits give way to any other failure, full connections to rate limits, unknown models to those. Undefined: none. */
  exhausted(attempts: number): Exhausted | undefined {
    const failure = this.other ?? this.limited ?? this.full ?? this.unknown
    if (failure === undefined) return undefined
    const { class: name, message, status } = failure
    const wait = this.shortestWait === undefined ? {} : { retryAfterMs: this.shortestWait }
    return new Exhausted({ class: name, status, message, attempts, ...wait })
  }
}

// Limits the retries of the process, so that an unavailable provider does not get several times its traffic. Retries at a
// healthy deployment are counted and never refused.

const SLICES = 20

export class RetryBudget {
  private readonly settings: FailoverSettings["retryBudget"]
  /** Requests, and the retries among them. */
  private readonly counts: SlidingWindowCounts

  constructor(settings: FailoverSettings["retryBudget"]) {
    this.settings = settings
    this.counts = new SlidingWindowCounts(settings.windowMs, SLICES)
  }

  request(now: number): void {
    this.counts.add(now, 1, 0)
  }

  retry(now: number): void {
    this.counts.add(now, 0, 1)
  }

  /** Whether one more retry fits. */
  hasRoom(now: number): boolean {
    const { extra, percent } = this.settings
    return this.counts.part(now) + 1 <= (this.counts.all(now) * percent) / 100 + extra
  }
}

/** The longest delay a schedule may grow to. */
const MAX_DELAY_MS = 8_000
/** When nothing else is free, the gateway waits for a rate limit that ends sooner than this. */
const WORTH_WAITING_MS = 10_000

type Verdict = "next" | "next_larger" | "stop"

const verdictOn: { readonly [Class in FailureClass]: Verdict } = {
  rate_limited: "next",
  quota_exhausted: "next",
  auth: "next",
  unavailable: "next",
  connections_full: "next",
  connect_timeout: "next",
  first_token_timeout: "next",
  idle_timeout: "next",
  total_timeout: "next",
  truncated: "next",
  model_not_found: "next",
  no_room: "stop",
  context_length: "next_larger",
  content_filter: "stop",
  bad_request: "stop"
}

export interface AttemptTarget {
  readonly deployment: Deployment
  /** 0 for the first. */
  readonly number: number
  /** Indices of the provider's keys that just failed: a different key is used. */
  readonly triedKeys?: ReadonlyArray<number>
  /** The operation to call, as this deployment named it when it refused the usual one. */
  readonly instead?: OperationName | undefined
  /** Leave out what this deployment could not verify in the history. */
  readonly portable?: boolean
}

type Upstream = ProviderFailure | Unsupported

/** What another deployment may answer: of refusals, those of model rules. */
type Judged = Upstream | BudgetExceeded | RateLimited

/**
 * Runs `attempt` until one succeeds, at most `attempts` times; other keys do not count. Failures of the gateway and of the
 * request are returned as they are, all others as `Exhausted`.
 */
export type Failover = <A, E, R>(
  candidates: ReadonlyArray<Deployment>,
  attempts: number,
  attempt: (target: AttemptTarget) => Effect.Effect<A, E | Upstream, R>
) => Effect.Effect<A, Failed<E>, R>

type Failed<E> = Exclude<E, Upstream> | Upstream | Exhausted

/** One for the whole process: all requests share a retry budget. */
export const makeFailover = (
  settings: Pick<FailoverSettings, "baseDelayMs" | "retryBudget">,
  health: FailoverHealth,
  clock: Clock.Clock
): Failover => {
  const shared = { clock, health, budget: new RetryBudget(settings.retryBudget), waits: waits(settings.baseDelayMs) }
  return <A, E, R>(
    candidates: ReadonlyArray<Deployment>,
    attempts: number,
    attempt: (target: AttemptTarget) => Effect.Effect<A, E | Upstream, R>
  ) =>
    Effect.suspend(() => {
      shared.budget.request(clock.currentTimeMillisUnsafe())
      return attempt({ deployment: candidates[0]!, number: 0 })
    }).pipe(
      Effect.catch((error) =>
        isUpstream(error) || isOfRule(error)
          ? (new RetryPlan(candidates, attempts, shared).run(error, attempt) as Effect.Effect<A, Failed<E>, R>)
          : Effect.fail(error as Failed<E>)
      )
    )
}

const isUpstream = (error: unknown): error is Upstream =>
  error instanceof ProviderFailure || error instanceof Unsupported

type FailoverHealth = Pick<DeploymentHealth, "isReady" | "isHealthy" | "hasOtherKey">

/** What all requests share. */
interface Shared {
  readonly clock: Clock.Clock
  readonly health: FailoverHealth
  readonly budget: RetryBudget
  readonly waits: Schedule.Schedule<unknown, unknown>
}

/** Call again after `waitMs`; undefined leaves the wait to the schedule. */
class Retry {
  readonly waitMs: number | undefined

  constructor(waitMs: number | undefined) {
    this.waitMs = waitMs
  }
}

interface Repeat {
  readonly deployment: Deployment
  /** Epoch ms, as the provider reported; undefined: the schedule's wait, for a short outage. */
  readonly notBefore: number | undefined
}

/** The failover of one request, from its first failure on. */
class RetryPlan {
  private readonly shared: Shared
  private readonly attempts: number
  private untried: ReadonlyArray<Deployment>
  private target: Deployment
  private made = 1
  /** How many of those called the same deployment with another key, for another operation, or with a portable history. */
  private uncounted = 0
  private instead: OperationName | undefined
  /** The current deployment could not verify the history. */
  private portable = false
  /** The keys of the current provider that failed in a row. */
  private triedKeys: ReadonlyArray<number> = []
  /** The first rate limit among those keys. It is reported even if other keys failed for worse: a rate limit passes. */
  private limitedKey: ProviderFailure | undefined
  private readonly blips = new Set<Deployment>()
  private repeats: ReadonlyArray<Repeat> = []
  private readonly outages = new Outages()
  /** The first refusal by a model rule. */
  private refused: BudgetExceeded | RateLimited | undefined

  constructor(candidates: ReadonlyArray<Deployment>, attempts: number, shared: Shared) {
    this.shared = shared
    this.attempts = attempts
    this.target = candidates[0]!
    this.untried = candidates.slice(1)
  }

  run<A, E, R>(failure: Judged, attempt: (target: AttemptTarget) => Effect.Effect<A, E | Upstream, R>) {
    const judge = (error: E | Upstream) => (isUpstream(error) || isOfRule(error) ? this.judge(error) : error)
    // The attempt that already failed is the first round, so that the schedule also gives the wait after it.
    let failed: Retry | Judged | Exhausted | undefined = this.judge(failure)
    const round = Effect.suspend(() => {
      if (failed === undefined) {
        const { instead, portable, target: deployment, triedKeys } = this
        return Effect.mapError(attempt({ deployment, number: this.made++, triedKeys, instead, portable }), judge)
      }
      const first = failed
      failed = undefined
      return Effect.fail(first)
    })
    return Effect.retry(round, { schedule: this.shared.waits, while: (error) => error instanceof Retry })
  }

  private judge(failure: Judged): Retry | Judged | Exhausted {
    if (isOfRule(failure)) return this.passOver(failure)
    if (failure instanceof Unsupported) {
      // Another provider accepted the request and failed later: that failure is reported rather than `Unsupported`.
      return this.next() ?? this.outages.exhausted(this.made) ?? failure
    }
    if (failure.instead !== undefined && this.instead === undefined) {
      this.instead = failure.instead
      this.uncounted++
      return new Retry(0)
    }
    if (failure.portable === true && !this.portable) {
      this.portable = true
      this.uncounted++
      return new Retry(0)
    }
    this.outages.waits(failure)
    const verdict = verdictOn[failure.class]
    if (verdict === "stop") return failure
    if (verdict === "next_larger") {
      const window = this.target.contextWindow ?? 0
      // The prompt is too long for smaller windows, even if the next attempt fails for another reason.
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

  /** The next deployment that was not called yet, without a wait; else what was refused first, unless a provider failed. */
  private passOver(refusal: BudgetExceeded | RateLimited): Retry | Judged | Exhausted {
    this.refused ??= refusal
    // Nothing was called: the next attempt has this one's number.
    this.made--
    const { clock, health } = this.shared
    const now = clock.currentTimeMillisUnsafe()
    const next = this.untried.find(({ id }) => health.isReady(id, now)) ?? this.untried[0]
    if (next !== undefined) return this.retryAt(next, 0, now, false)
    return this.next() ?? this.outages.exhausted(this.made) ?? this.refused
  }

  /** Retries with another key of the provider, without a wait. A provider is called at most once per key. */
  private otherKey(failure: ProviderFailure): Retry | undefined {
    if (failure.key === undefined || !isOfKey(failure)) return undefined
    this.triedKeys = [...this.triedKeys, failure.key]
    if (failure.class === "rate_limited") this.limitedKey ??= failure
    // After a refusal of two keys that may be due to the request, the request is taken to be the cause.
    if (failure.mayBeOfRequest === true && this.triedKeys.length > 1) return undefined
    const now = this.shared.clock.currentTimeMillisUnsafe()
    if (!this.shared.health.hasOtherKey(this.target.id, now, this.triedKeys)) return undefined
    this.uncounted++
    return new Retry(0)
  }

  /** A short outage gets one more attempt. A rate limit ends when its provider says. */
  private mayRepeat({ class: name, retryAfterMs = Infinity }: ProviderFailure): void {
    const deployment = this.target
    if (name === "unavailable" && !this.blips.has(deployment)) {
      this.blips.add(deployment)
      this.repeats = [...this.repeats, { deployment, notBefore: undefined }]
    } else if (name === "rate_limited" && retryAfterMs <= WORTH_WAITING_MS) {
      const notBefore = this.shared.clock.currentTimeMillisUnsafe() + retryAfterMs
      this.repeats = [...this.repeats, { deployment, notBefore }]
    }
  }

  /** Picks the next deployment: first one that is ready now, then one that is ready after a wait, then any other. */
  private next(): Retry | undefined {
    if (this.made - this.uncounted >= this.attempts) return undefined
    const { budget, clock, health } = this.shared
    const now = clock.currentTimeMillisUnsafe()
    const free = budget.hasRoom(now)
      ? this.untried.find(({ id }) => health.isReady(id, now))
      : this.untried.find(({ id }) => health.isHealthy(id, now))
    if (free !== undefined) return this.retryAt(free, 0, now)
    if (!budget.hasRoom(now)) return undefined
    const repeat = this.repeats.reduce<Repeat | undefined>(
      (soonest, one) => (soonest === undefined || (one.notBefore ?? 0) < (soonest.notBefore ?? 0) ? one : soonest),
      undefined
    )
    if (repeat !== undefined) {
      const { deployment, notBefore } = repeat
      return this.retryAt(
        deployment,
        notBefore === undefined ? undefined : Math.min(WORTH_WAITING_MS, Math.max(0, notBefore - now)),
        now
      )
    }
    const [last] = this.untried
    return last === undefined ? undefined : this.retryAt(last, 0, now)
  }

  private retryAt(deployment: Deployment, waitMs: number | undefined, now: number, isRetry = true): Retry {
    if (isRetry) this.shared.budget.retry(now)
    this.target = deployment
    this.triedKeys = []
    this.instead = undefined
    this.portable = false
    this.limitedKey = undefined
    this.untried = this.untried.filter((one) => one !== deployment)
    this.repeats = this.repeats.filter((one) => one.deployment !== deployment)
    return new Retry(waitMs)
  }
}

/** Failures of a key: another key may succeed. */
const isOfKey = ({ class: name }: ProviderFailure): boolean =>
  name === "auth" || name === "quota_exhausted" || name === "rate_limited"

/** Full jitter: the wait is random between 0 and `base · 2ⁿ`, unless the failure names one. Repeats for as long as attempts fail. */
const waits = (baseDelayMs: number): Shared["waits"] =>
  Schedule.forever.pipe(
    Schedule.setInputType<unknown>(),
    Schedule.modifyDelay(({ input, output }) => {
      if (!(input instanceof Retry)) return Effect.succeed(Duration.zero)
      if (input.waitMs !== undefined) return Effect.succeed(Duration.millis(input.waitMs))
      const most = Math.min(MAX_DELAY_MS, baseDelayMs * 2 ** output)
      return Effect.map(Random.next, (share) => Duration.millis(Math.round(share * most)))
    })
  )
