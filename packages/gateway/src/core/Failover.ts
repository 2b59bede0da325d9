/**
 * Which deployment is asked next when one failed, and after what wait. A request whose first attempt succeeds pays nothing for it;
 * from the first failure on `Effect.retry` with a `Schedule` drives the attempts: untried deployments first, at once, then those
 * that may be asked again, after a wait.
 */
import { Clock, Duration, Effect, Random, Schedule } from "effect"
import type { Deployment } from "./Deployment.ts"
import { Exhausted } from "./Errors.ts"
import { type FailureClass, ProviderFailure, Unsupported } from "./Provider.ts"
import type { ProviderPool } from "./ProviderPool.ts"
import { RetryBudget } from "./RetryBudget.ts"
import type { FailoverSettings } from "./Settings.ts"

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
}

type Upstream = ProviderFailure | Unsupported

/**
 * Runs `attempt` until one succeeds, at most `attempts` times. Failures of ours (budget, store) end it at once; failures where the
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
  pool: Pick<ProviderPool["Service"], "isReady" | "isHealthy">
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

interface Means {
  readonly clock: Clock.Clock
  readonly pool: Pick<ProviderPool["Service"], "isReady" | "isHealthy">
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
  private readonly blips = new Set<Deployment>()
  private repeats: ReadonlyArray<Repeat> = []
  private shortestWait: number | undefined
  /** The last failure of a provider. */
  private outage: ProviderFailure | undefined

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
        return Effect.mapError(attempt({ deployment: this.target, number: this.made++ }), judge)
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
      return this.next() ?? (this.outage === undefined ? failure : this.exhausted(this.outage))
    }
    // That there was no room is what there is to say only where nothing else is.
    if (failure.class !== "connections_full" || this.outage === undefined) this.outage = failure
    if (failure.retryAfterMs !== undefined) {
      this.shortestWait = Math.min(this.shortestWait ?? Infinity, failure.retryAfterMs)
    }
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
    return this.next() ?? this.exhausted(this.outage)
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
    if (this.made >= this.attempts) return undefined
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
    this.untried = this.untried.filter((one) => one !== deployment)
    this.repeats = this.repeats.filter((one) => one.deployment !== deployment)
    return new Again(waitMs)
  }

  private exhausted({ class: name, message, status }: ProviderFailure): Exhausted {
    const { made: attempts, shortestWait } = this
    const wait = shortestWait === undefined ? {} : { retryAfterMs: shortestWait }
    return new Exhausted({ class: name, status, message, attempts, ...wait })
  }
}

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
