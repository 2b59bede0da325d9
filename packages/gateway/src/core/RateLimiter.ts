/**
 * Limits of virtual keys and their teams: requests per minute, tokens per minute, requests at once.
 *
 * Exact: in any 60 s window at most `rpm` requests are admitted. A token bucket would admit up to twice that. A refused request
 * uses nothing up, and the wait it is told is the real one.
 *
 * Scores that callers give to answers are counted apart: as many per minute as requests, so that every answer can be rated and
 * rating takes nothing from asking.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { type LimitScope, RateLimited } from "./Errors.ts"
import { IdleMap } from "./IdleMap.ts"
import type { Caller } from "./KeyStore.ts"
import { SlidingLog } from "./SlidingLog.ts"
import type { Limits } from "./Store.ts"

export const WINDOW_MS = 60_000

/** An admitted request. */
export interface Permit {
  /** Replaces the tokens that were expected by those that were used. */
  readonly settle: (tokens: number) => void
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
     * takes of `max_parallel` is free again when the Scope closes. Not to be interrupted.
     */
    readonly admit: (caller: Caller, tokens: number) => Effect.Effect<Permit, RateLimited, Scope.Scope>
    /** Admits one score for an answer, under the limits of requests per minute of the key and of its team. */
    readonly admitFeedback: (caller: Caller) => Effect.Effect<void, RateLimited>
    /** The key's own limits now. */
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
          const permit: Permit = {
            settle: (used) => {
              settleOwn?.(used)
              settleShared?.(used)
            }
          }
          const leave = () => {
            if (own !== undefined) own.running--
            if (shared !== undefined) shared.running--
          }
          if (key.limits.maxParallel !== undefined || team?.limits.maxParallel !== undefined) {
            return Effect.as(
              Effect.addFinalizer(() => Effect.sync(leave)),
              permit
            )
          }
          // Nobody asks for these counts: they go up and never down otherwise.
          leave()
          return Effect.succeed(permit)
        })

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
          const log = subjects.key.get(caller.key.id)?.log
          const resetMs = log?.emptyIn(now) ?? 0
          return {
            requests: allowance(limits.rpm, log?.count(now) ?? 0, resetMs),
            tokens: allowance(limits.tpm, log?.used(now) ?? 0, resetMs)
          }
        })

      return { admit, admitFeedback, allowances }
    })
  )
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
const isIdle = (subject: Subject, now: number): boolean => subject.running === 0 && subject.log.emptyIn(now) === 0

/** What a limit of requests per minute can count. */
type Counted = "rpm" | "feedback"

/** What one key or team has used lately. */
class Subject {
  readonly scope: LimitScope
  readonly id: string
  readonly counted: Counted
  /** An entry for each request, its tokens as the weight. */
  readonly log = new SlidingLog(WINDOW_MS)
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
    if (limits.tpm !== undefined) {
      const wait = this.log.waitFor(Math.min(tokens, limits.tpm), limits.tpm, now)
      if (wait > 0) refusal = longest(refusal, refuse("tpm", limits.tpm, this.log.used(now), wait))
    }
    if (limits.maxParallel !== undefined && this.running >= limits.maxParallel) {
      // When one of them ends nobody can know.
      refusal = longest(refusal, refuse("parallel", limits.maxParallel, this.running, 1000))
    }
    return refusal
  }

  /** Counts a request in; the answer corrects its tokens later. */
  take(limits: Limits, tokens: number, now: number): ((used: number) => void) | undefined {
    this.running++
    if (limits.tpm === undefined) {
      if (limits.rpm !== undefined) this.log.add(now, 0)
      return undefined
    }
    const entry = this.log.add(now, Math.min(tokens, limits.tpm))
    return (used) => this.log.replace(entry, used)
  }
}
