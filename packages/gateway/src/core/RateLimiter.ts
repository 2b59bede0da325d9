/**
 * Limits of virtual keys and their teams: requests per minute, tokens per minute, requests at once.
 *
 * Exact: in any 60 s window at most `rpm` requests are admitted. A token bucket would admit up to twice that. A refused request
 * uses nothing up, and the wait it is told is the real one.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { type LimitScope, RateLimited } from "./Errors.ts"
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
    /** The key's own limits now. */
    readonly allowances: (caller: Caller) => Effect.Effect<Allowances>
  }
>()("gateway/core/RateLimiter") {
  static readonly layerMemory = Layer.effect(
    RateLimiter,
    Effect.map(Clock.Clock, (clock) => {
      const subjects = new Map<string, Subject>()

      const subjectOf = (scope: LimitScope, id: string): Subject => {
        const name = `${scope}:${id}`
        let subject = subjects.get(name)
        if (subject === undefined) subjects.set(name, (subject = new Subject(scope, id)))
        return subject
      }

      const admit = (caller: Caller, tokens: number) =>
        Effect.suspend((): Effect.Effect<Permit, RateLimited, Scope.Scope> => {
          const { key, team } = caller
          const now = clock.currentTimeMillisUnsafe()
          const own = isLimited(key.limits) ? subjectOf("key", key.id) : undefined
          const shared = team !== undefined && isLimited(team.limits) ? subjectOf("team", team.name) : undefined

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

      const allowances = (caller: Caller) =>
        Effect.sync((): Allowances => {
          const now = clock.currentTimeMillisUnsafe()
          const { limits } = caller.key
          const subject = subjects.get(`key:${caller.key.id}`)
          return {
            requests: limits.rpm === undefined ? undefined : allowance(limits.rpm, subject?.requests, now),
            tokens: limits.tpm === undefined ? undefined : allowance(limits.tpm, subject?.tokens, now)
          }
        })

      return { admit, allowances }
    })
  )
}

const isLimited = (limits: Limits): boolean =>
  limits.rpm !== undefined || limits.tpm !== undefined || limits.maxParallel !== undefined

const allowance = (limit: number, log: SlidingLog | undefined, now: number): Allowance => {
  const used = log?.used(now) ?? 0
  return { limit, remaining: Math.max(0, limit - used), resetMs: log?.emptyIn(now) ?? 0 }
}

/** Whoever waits for the longest of several waits is admitted by all. */
const longest = (a: RateLimited | undefined, b: RateLimited | undefined): RateLimited | undefined =>
  a === undefined || (b !== undefined && b.retryAfterSeconds > a.retryAfterSeconds) ? b : a

/** What one key or team has used lately. */
class Subject {
  readonly scope: LimitScope
  readonly id: string
  readonly requests = new SlidingLog(WINDOW_MS)
  readonly tokens = new SlidingLog(WINDOW_MS)
  running = 0

  constructor(scope: LimitScope, id: string) {
    this.scope = scope
    this.id = id
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
      const wait = this.requests.waitFor(1, limits.rpm, now)
      if (wait > 0) refusal = refuse("rpm", limits.rpm, this.requests.used(now), wait)
    }
    if (limits.tpm !== undefined) {
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
  take(limits: Limits, tokens: number, now: number): ((used: number) => void) | undefined {
    this.running++
    if (limits.rpm !== undefined) this.requests.add(now, 1)
    if (limits.tpm === undefined) return undefined
    const entry = this.tokens.add(now, Math.min(tokens, limits.tpm))
    return (used) => this.tokens.replace(entry, used)
  }
}
