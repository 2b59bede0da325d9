/**
 * Limits of virtual keys and their teams: requests per minute, tokens per minute, requests at once.
 *
 * The limits are exact: in any 60 s window at most `rpm` requests are admitted, where a token bucket would admit up to twice that.
 * A refused request uses nothing up, and the wait it is told is the real one.
 *
 * Tokens count for 60 s: the expected ones from the request's admission, and any beyond them from the moment they are known. So an
 * answer that is slower than the window, or larger than expected, still counts.
 *
 * Scores that callers give to answers have a count of their own, with the same limit as requests: every answer can be rated, and
 * rating takes nothing from asking.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { type LimitScope, RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import type { Caller } from "../keys/Caller.ts"
import { SlidingWindowLog } from "../collections/SlidingWindowLog.ts"
import type { Limits } from "../domain/Budget.ts"

export const WINDOW_MS = 60_000

/** An admitted request: a handle whose content only its limiter knows. */
export interface Permit {
  /** Replaces the expected tokens with the used ones; only the first call does. */
  readonly settle: (tokens: number) => Effect.Effect<void, StoreUnavailable>
  /** Frees the slot of `max_parallel` before the Scope closes. */
  readonly leave: Effect.Effect<void, StoreUnavailable>
}

/** What is left of a limit. `resetMs`: the time until all of it is free again. */
interface Allowance {
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
}

export interface Allowances {
  readonly requests: Allowance | undefined
  readonly tokens: Allowance | undefined
}

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /**
     * Admits one request that is expected to use `tokens`, under all limits of its key and team, or none. Its slot of
     * `max_parallel` is freed when the Scope closes, even if the admission is interrupted.
     */
    readonly admit: (
      caller: Caller,
      tokens: number
    ) => Effect.Effect<Permit, RateLimited | StoreUnavailable, Scope.Scope>
    /** Admits one score for an answer. The limits are the `rpm` of its key and team. */
    readonly admitFeedback: (caller: Caller) => Effect.Effect<void, RateLimited | StoreUnavailable>
    /** The key's current limits. It never fails, as answers that are already paid for show it; an unknown limit is undefined. */
    readonly allowances: (caller: Caller) => Effect.Effect<Allowances>
  }
>()("gateway/core/RateLimiter") {
  static readonly layerMemory = Layer.effect(
    RateLimiter,
    Effect.map(Clock.Clock, (clock) => {
      const subjects = { key: new IdleMap(isIdle), team: new IdleMap(isIdle) }
      const raters = { key: new IdleMap(isIdle), team: new IdleMap(isIdle) }

      const subjectOf = (scope: LimitScope, id: string, now: number, kind: Counted = "rpm"): Subject => {
        const known = (kind === "rpm" ? subjects : raters)[scope]
        let subject = known.get(id)
        if (subject === undefined) known.set(id, (subject = new Subject(scope, id, kind)), now)
        return subject
      }

      const admit = (caller: Caller, tokens: number) =>
        Effect.suspend((): Effect.Effect<Permit, RateLimited, Scope.Scope> => {
          const { key, team } = caller
          const now = clock.currentTimeMillisUnsafe()
          const own = isLimited(key.limits) ? subjectOf("key", key.id, now) : undefined
          const shared = team !== undefined && isLimited(team.limits) ? subjectOf("team", team.name, now) : undefined

          const refusal = longest(
            own?.refusal(key.limits, tokens, now, key.id),
            shared?.refusal(team!.limits, tokens, now, key.id)
          )
          if (refusal !== undefined) return Effect.fail(refusal)
          const settleOwn = own?.take(key.limits, tokens, now)
          const settleShared = shared?.take(team!.limits, tokens, now)
          const settle =
            settleOwn === undefined && settleShared === undefined
              ? nothingToSettle
              : settling(clock, settleOwn, settleShared)
          const leave = leaving(own, shared)
          if (key.limits.maxParallel === undefined && team?.limits.maxParallel === undefined) {
            // No limit uses these counts, so they are taken back at once.
            leave()
            return Effect.succeed({ settle, leave: Effect.void })
          }
          const left = Effect.sync(leave)
          return Effect.as(
            Effect.addFinalizer(() => left),
            { settle, leave: left }
          )
        }).pipe(Effect.uninterruptible)

      const admitFeedback = ({ key, team }: Caller) =>
        Effect.suspend((): Effect.Effect<void, RateLimited> => {
          const now = clock.currentTimeMillisUnsafe()
          const own = key.limits.rpm === undefined ? undefined : subjectOf("key", key.id, now, "feedback")
          const shared = team?.limits.rpm === undefined ? undefined : subjectOf("team", team.name, now, "feedback")
          const refusal = longest(
            own?.refusal(onlyRpm(key.limits), 0, now, key.id),
            shared?.refusal(onlyRpm(team!.limits), 0, now, key.id)
          )
          if (refusal !== undefined) return Effect.fail(refusal)
          own?.log.add(now, 0)
          shared?.log.add(now, 0)
          return Effect.void
        })

      const allowances = (caller: Caller) =>
        Effect.sync((): Allowances => {
          const now = clock.currentTimeMillisUnsafe()
          const { limits } = caller.key
          const subject = subjects.key.get(caller.key.id)
          const tokens = subject?.tokens
          return {
            requests: allowance(limits.rpm, subject?.log.count(now) ?? 0, subject?.log.emptyIn(now) ?? 0),
            tokens: allowance(limits.tpm, tokens?.used(now) ?? 0, tokens?.emptyIn(now) ?? 0)
          }
        })

      return { admit, admitFeedback, allowances }
    })
  )
}

type Settle = (used: number, at: number) => void

const nothingToSettle: Permit["settle"] = () => Effect.void

/** Settles once; further calls do nothing. */
const settling = (clock: Clock.Clock, own: Settle | undefined, shared: Settle | undefined): Permit["settle"] => {
  let isSettled = false
  return (used) =>
    Effect.sync(() => {
      if (isSettled) return
      isSettled = true
      const at = clock.currentTimeMillisUnsafe()
      own?.(used, at)
      shared?.(used, at)
    })
}

/** Frees the slots once; further calls do nothing. */
const leaving = (own: Subject | undefined, shared: Subject | undefined) => {
  let hasLeft = false
  return () => {
    if (hasLeft) return
    hasLeft = true
    if (own !== undefined) own.running--
    if (shared !== undefined) shared.running--
  }
}

const onlyRpm = ({ rpm }: Limits): Limits => ({ rpm, tpm: undefined, maxParallel: undefined })

const isLimited = (limits: Limits): boolean =>
  limits.rpm !== undefined || limits.tpm !== undefined || limits.maxParallel !== undefined

const allowance = (limit: number | undefined, used: number, resetMs: number): Allowance | undefined =>
  limit === undefined ? undefined : { limit, remaining: Math.max(0, limit - used), resetMs }

/** A caller that waits for the longest of several waits is admitted by all limits. */
const longest = (a: RateLimited | undefined, b: RateLimited | undefined): RateLimited | undefined =>
  a === undefined || (b !== undefined && b.retryAfterSeconds > a.retryAfterSeconds) ? b : a

/** An idle subject is worth no more than a missing one. */
const isIdle = ({ log, running, tokens }: Subject, now: number): boolean =>
  running === 0 && log.emptyIn(now) === 0 && (tokens === undefined || tokens.emptyIn(now) === 0)

/** What an `rpm` limit can count. */
type Counted = "rpm" | "feedback"

/** The recent use of one key or team. */
class Subject {
  readonly scope: LimitScope
  readonly id: string
  readonly counted: Counted
  /** One entry for each request. */
  readonly log = new SlidingWindowLog(WINDOW_MS)
  /** Weighed by tokens: for each request an entry with its expected tokens, and one with the tokens beyond. */
  tokens: SlidingWindowLog | undefined
  running = 0

  constructor(scope: LimitScope, id: string, counted: Counted) {
    this.scope = scope
    this.id = id
    this.counted = counted
  }

  refusal(limits: Limits, tokens: number, now: number, keyId: string): RateLimited | undefined {
    const refuse = (kind: RateLimited["kind"], limit: number, used: number, waitMs: number) =>
      new RateLimited({
        kind,
        scope: this.scope,
        subject: this.id,
        keyId,
        limit,
        used,
        retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
        resetsAt: now + waitMs
      })
    let refusal: RateLimited | undefined
    if (limits.rpm !== undefined) {
      const wait = this.log.waitForOne(limits.rpm, now)
      if (wait > 0) refusal = refuse(this.counted, limits.rpm, this.log.count(now), wait)
    }
    if (limits.tpm !== undefined && this.tokens !== undefined) {
      const wait = this.tokens.waitFor(Math.min(tokens, limits.tpm), limits.tpm, now)
      if (wait > 0) refusal = longest(refusal, refuse("tpm", limits.tpm, this.tokens.used(now), wait))
    }
    if (limits.maxParallel !== undefined && this.running >= limits.maxParallel) {
      // Nobody can know when a running request ends.
      refusal = longest(refusal, refuse("parallel", limits.maxParallel, this.running, 1000))
    }
    return refusal
  }

  /** Counts a request. Its tokens are corrected when the answer is there. */
  take(limits: Limits, tokens: number, now: number): Settle | undefined {
    this.running++
    if (limits.rpm !== undefined) this.log.add(now, 0)
    if (limits.tpm === undefined) return undefined
    const log = (this.tokens ??= new SlidingWindowLog(WINDOW_MS))
    const counted = Math.min(tokens, limits.tpm)
    const entry = log.add(now, counted)
    return (used, at) => {
      log.replace(entry, Math.min(used, counted))
      if (used > counted) log.addLate(at, used - counted)
    }
  }
}
