/**
 * Limits of virtual keys and their teams: requests per minute, tokens per minute, requests at once.
 *
 * Exact: in any 60 s window at most `rpm` requests are admitted. A token bucket would admit up to twice that. A refused request
 * uses nothing up, and the wait it is told is the real one.
 *
 * Every token counts for 60 s: what a request is expected to use from its admission on, what it used beyond that from the moment
 * when it is known. So an answer that took longer than the window, or was larger than expected, counts all the same.
 *
 * Scores that callers give to answers are counted apart: as many per minute as requests, so that every answer can be rated and
 * rating takes nothing from asking.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { type LimitScope, RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import type { Caller } from "../keys/Caller.ts"
import { SlidingWindowLog } from "../collections/SlidingWindowLog.ts"
import type { Limits } from "../domain/Budget.ts"

export const WINDOW_MS = 60_000

/** An admitted request: a handle, of which only its limiter knows what it stands for. */
export interface Permit {
  /** Replaces the tokens that were expected by those that were used, the first time that it runs. */
  readonly settle: (tokens: number) => Effect.Effect<void, StoreUnavailable>
  /** Gives back the slot of `max_parallel` before the Scope closes. */
  readonly leave: Effect.Effect<void, StoreUnavailable>
}

/** What is left of a limit: `resetMs` until all of it is there again. */
export interface Allowance {
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
     * Admits one request that is expected to use `tokens`, under the limits of the key and of its team, all or none. The slot it
     * takes of `max_parallel` is free again when the Scope closes, also when the admission itself is interrupted.
     */
    readonly admit: (
      caller: Caller,
      tokens: number
    ) => Effect.Effect<Permit, RateLimited | StoreUnavailable, Scope.Scope>
    /** Admits one score for an answer, under the limits of requests per minute of the key and of its team. */
    readonly admitFeedback: (caller: Caller) => Effect.Effect<void, RateLimited | StoreUnavailable>
    /** The key's own limits now. It never fails, since answers that are paid for show it: what can't be told is undefined. */
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
            // Nobody asks for these counts: they go up and never down otherwise.
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

/** Settles once. */
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

/** Gives the slots back once. */
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

/** Whoever waits for the longest of several waits is admitted by all. */
const longest = (a: RateLimited | undefined, b: RateLimited | undefined): RateLimited | undefined =>
  a === undefined || (b !== undefined && b.retryAfterSeconds > a.retryAfterSeconds) ? b : a

/** As good as one that was never there. */
const isIdle = ({ log, running, tokens }: Subject, now: number): boolean =>
  running === 0 && log.emptyIn(now) === 0 && (tokens === undefined || tokens.emptyIn(now) === 0)

/** What a limit of requests per minute can count. */
type Counted = "rpm" | "feedback"

/** What one key or team has used lately. */
class Subject {
  readonly scope: LimitScope
  readonly id: string
  readonly counted: Counted
  /** An entry for each request. */
  readonly log = new SlidingWindowLog(WINDOW_MS)
  /** Weighed by tokens: an entry for what each request was expected to use, and one for what it used beyond. */
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
      // When one of them ends nobody can know.
      refusal = longest(refusal, refuse("parallel", limits.maxParallel, this.running, 1000))
    }
    return refusal
  }

  /** Counts a request in; the answer corrects its tokens later. */
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
