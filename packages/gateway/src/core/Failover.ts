/**
 * Which deployment is asked next when one failed, and after what wait. `Effect.retry` with a `Schedule` drives it: each attempt
 * asks the next untried deployment.
 */
import { Duration, Effect, Random, Schedule, Schema } from "effect"
import type { Deployment } from "./Deployment.ts"
import { Exhausted } from "./Errors.ts"
import { type FailureClass, ProviderFailure, Unsupported } from "./Provider.ts"
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
  connect_timeout: "next",
  first_token_timeout: "next",
  truncated: "next",
  model_not_found: "next",
  context_length: "next_larger",
  content_filter: "stop",
  bad_request: "stop"
}

/** Try again, after `waitMs`. */
class Again extends Schema.TaggedError<Again>()("Again", { waitMs: Schema.Finite }) {}

export interface Attempt {
  readonly deployment: Deployment
  /** 0 for the first. */
  readonly number: number
}

/**
 * Runs `attempt` until one succeeds, at most `settings.attempts` times. Failures of ours (budget, store) end it at once; failures
 * where the request is at fault come out as they are, all others as `Exhausted`.
 */
export const failover = <A, E, R>(
  candidates: ReadonlyArray<Deployment>,
  settings: Pick<FailoverSettings, "attempts" | "baseDelayMs">,
  attempt: (attempt: Attempt) => Effect.Effect<A, E | ProviderFailure | Unsupported, R>
): Effect.Effect<A, Exclude<E, ProviderFailure | Unsupported> | ProviderFailure | Unsupported | Exhausted, R> => {
  let untried = [...candidates]
  let target = untried.shift()!
  let made = 0
  let shortestWait: number | undefined
  /** The last failure of a provider. */
  let outage: ProviderFailure | undefined

  const judge = (failure: ProviderFailure | Unsupported) => {
    const mayTry = made < settings.attempts
    if (failure instanceof Unsupported) {
      if (mayTry && untried.length > 0) return goOn(untried.shift()!, 0)
      // The request was fine for a provider that failed: that is what there is to say.
      return outage === undefined ? failure : exhausted(outage)
    }
    outage = failure
    if (failure.retryAfterMs !== undefined) shortestWait = Math.min(shortestWait ?? Infinity, failure.retryAfterMs)
    const verdict = verdictOn[failure.class]
    if (verdict === "stop") return failure
    if (verdict === "next_larger") {
      const window = target.contextWindow ?? 0
      // Whatever comes of the next one: it stays too long for the others.
      untried = untried.filter((one) => (one.contextWindow ?? 0) > window)
      return mayTry && untried.length > 0 ? goOn(untried.shift()!, 0) : failure
    }
    if (mayTry) {
      if (untried.length > 0) return goOn(untried.shift()!, 0)
      if (failure.class === "rate_limited" && (failure.retryAfterMs ?? Infinity) <= WORTH_WAITING_MS) {
        return new Again({ waitMs: failure.retryAfterMs! })
      }
      // The same one again, once: a blip is over by then.
      if (failure.class === "unavailable" && made === 1) return goOn(target, jitter)
    }
    return exhausted(failure)
  }

  const exhausted = (failure: ProviderFailure) =>
    new Exhausted({
      class: failure.class,
      status: failure.status,
      message: failure.message,
      attempts: made,
      ...(shortestWait === undefined ? {} : { retryAfterMs: shortestWait })
    })

  const goOn = (next: Deployment, waitMs: number) => {
    target = next
    return new Again({ waitMs })
  }

  const once = Effect.suspend(() => attempt({ deployment: target, number: made++ })).pipe(
    Effect.mapError((error) =>
      error instanceof ProviderFailure || error instanceof Unsupported
        ? judge(error)
        : (error as Exclude<E, ProviderFailure | Unsupported>)
    )
  )

  return Effect.retry(once, { schedule: schedule(settings), while: (error) => error instanceof Again }) as never
}

/** Stands for a wait that the schedule draws itself. */
const jitter = -1

/** Full jitter: the wait is anywhere between 0 and `base · 2ⁿ`, unless the failure says how long. */
const schedule = (settings: Pick<FailoverSettings, "attempts" | "baseDelayMs">) =>
  Schedule.recurs(settings.attempts - 1).pipe(
    Schedule.setInputType<unknown>(),
    Schedule.modifyDelay(({ input, output }) => {
      if (!(input instanceof Again)) return Effect.succeed(Duration.zero)
      if (input.waitMs !== jitter) return Effect.succeed(Duration.millis(input.waitMs))
      const most = Math.min(MAX_DELAY_MS, settings.baseDelayMs * 2 ** output)
      return Effect.map(Random.next, (share) => Duration.millis(Math.round(share * most)))
    })
  )
