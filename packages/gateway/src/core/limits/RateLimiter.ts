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
import { Clock, Context, Effect, Layer, Scope } from "effect"
import { type LimitScope, type RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Limits } from "../domain/Budget.ts"
import { fillShares, MOST_QUESTIONS, stillOpen } from "../grants/FillShares.ts"
import type { Short } from "../grants/Share.ts"
import { wholly } from "../effects/Wholly.ts"
import { Grants, isRate, lapsed, nothingGiven, type SharedGrants } from "../grants/Grants.ts"
import { type Counted, isIdle, longest, type Settle, Subject } from "./Subject.ts"

/** Until what could not be asked for is asked for again. */
const TELL_AGAIN_MS = 1_000

/** An admitted request: a handle whose content only its limiter knows. */
export interface Permit {
  /** Replaces the expected tokens with the used ones, when it is called; only the first call does. */
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
     * Admits one request that is expected to use `tokens`, under all limits of its key and team, or none. It may do so
     * when it is called: call it where its effect runs. Its slot of `max_parallel` is freed when the Scope closes, even if the admission is
     * interrupted.
     */
    readonly admit: (
      caller: Caller,
      tokens: number
    ) => Effect.Effect<Permit, RateLimited | StoreUnavailable, Scope.Scope>
    /** Admits one score for an answer. The limits are the `rpm` of its key and team. */
    readonly admitFeedback: (caller: Caller) => Effect.Effect<void, RateLimited | StoreUnavailable>
    /**
     * The key's limits at the moment of the call. It never fails, as answers that are already paid for show it; an unknown limit is
     * undefined.
     */
    readonly allowances: (caller: Caller) => Effect.Effect<Allowances>
  }
>()("gateway/core/RateLimiter") {
  /** In this process's memory. Where other processes admit requests of the same keys, its share of each limit bounds it. */
  static readonly layerMemory = Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const grants = yield* Grants
      const lifetime = yield* Effect.scope
      const known = () => new IdleMap(isIdle, (subject: Subject, now) => subject.shares?.leave(now))
      const subjects = { key: known(), team: known() }
      const raters = { key: known(), team: known() }

      const subjectOf = (scope: LimitScope, id: string, now: number, kind: Counted = "rpm"): Subject => {
        const known = (kind === "rpm" ? subjects : raters)[scope]
        let subject = known.get(id)
        if (subject === undefined) known.set(id, (subject = new Subject(scope, id, kind, grants)), now)
        return subject
      }

      const admit = (caller: Caller, tokens: number) =>
        hasSlots(caller)
          ? Effect.uninterruptible(Effect.suspend(() => admitNow(caller, tokens, 0)))
          : wholly(admitNow(caller, tokens, 0))

      /** `asked`: how often its process asked for larger shares before. */
      const admitNow = (
        caller: Caller,
        tokens: number,
        asked: number
      ): Effect.Effect<Permit, RateLimited | StoreUnavailable, Scope.Scope> => {
        const { key, team } = caller
        const now = clock.currentTimeMillisUnsafe()
        const own = isLimited(key.limits) ? subjectOf("key", key.id, now) : undefined
        const shared = team !== undefined && isLimited(team.limits) ? subjectOf("team", team.name, now) : undefined

        if (grants !== undefined && !grants.isInForce()) return Effect.fail(lapsed)
        const refusal = longest(
          own?.refusal(key.limits, tokens, now, key.id),
          shared?.refusal(team!.limits, tokens, now, key.id)
        )
        if (refusal !== undefined) {
          const shorts = [shortsOf(own, key.limits, tokens, now), shortsOf(shared, team?.limits, tokens, now)].flat()
          return orMore(refusal, shorts, asked, now, () => admitNow(caller, tokens, asked + 1))
        }
        const settleOwn = own?.take(key.limits, tokens, now)
        const settleShared = shared?.take(team!.limits, tokens, now)
        const settle =
          settleOwn === undefined && settleShared === undefined
            ? nothingToSettle
            : settling(caller, settleOwn, settleShared)
        const leave = leaving(own, shared)
        if (!hasSlots(caller)) {
          // No limit uses these counts, so they are taken back at once.
          leave()
          return Effect.succeed({ settle, leave: Effect.void })
        }
        const left = Effect.sync(leave)
        // `Effect.addFinalizer` keeps all services for the release: two large maps a request, for nothing.
        return Effect.flatMap(Effect.scope, (scope) =>
          Effect.as(Scope.addFinalizer(scope, left), { settle, leave: left })
        )
      }

      /** Settles once; further calls do nothing. An answer may take so long that its key or team was forgotten meanwhile. */
      const settling = (caller: Caller, settleOwn: Settle | undefined, settleShared: Settle | undefined) => {
        const { key, team } = caller
        let isSettled = false
        return (used: number) => {
          if (isSettled) return Effect.void
          isSettled = true
          const at = clock.currentTimeMillisUnsafe()
          const own = settleOwn && subjectOf("key", key.id, at)
          const shared = settleShared && team && subjectOf("team", team.name, at)
          if (own !== undefined) settleOwn?.(used, at, own)
          if (shared !== undefined) settleShared?.(used, at, shared)
          return grants === undefined ? Effect.void : Effect.uninterruptible(askForOwed(grants, caller, own, shared))
        }
      }

      /**
       * Tokens that were used beyond what was expected count for all processes: what shares lack of them is taken, and where there is too little,
       * nobody admits anything before there is enough again.
       */
      const askForOwed = (
        grants: SharedGrants,
        caller: Caller,
        own: Subject | undefined,
        shared: Subject | undefined,
        asked = 0
      ): Effect.Effect<void> => {
        const { key, team } = caller
        const now = clock.currentTimeMillisUnsafe()
        const owed = [own?.owed(key.limits, now), team && shared?.owed(team.limits, now)].flatMap((one) => one ?? [])
        if (owed.length === 0) return Effect.void
        const later = Effect.suspend(() => askLater(owed, () => askForOwed(grants, caller, own, shared)))
        if (asked === MOST_QUESTIONS) return later
        // While somebody asks for a share already, that answer is waited for, and this is asked after it.
        return Effect.matchEffect(fillShares(grants, owed), {
          onFailure: () => later,
          onSuccess: () => askForOwed(grants, caller, own, shared, asked + 1)
        })
      }

      /** No answer waits for a store that is away: it is asked for once the store is back, in one question for all that is owed by then. */
      const askLater = (owed: ReadonlyArray<Short>, again: () => Effect.Effect<void>): Effect.Effect<void> => {
        const shares = owed.flatMap(({ share }) => (share.isOwing ? [] : [share]))
        if (shares.length === 0) return Effect.void
        for (const share of shares) share.isOwing = true
        const retry = Effect.suspend(() => {
          for (const share of shares) share.isOwing = false
          return again()
        })
        return Effect.asVoid(Effect.forkIn(Effect.delay(retry, TELL_AGAIN_MS), lifetime))
      }

      /** Refuses, unless shares are too small and somebody else may have more: then it is tried again. */
      const orMore = <A, R>(
        refusal: RateLimited,
        shorts: ReadonlyArray<Short>,
        asked: number,
        now: number,
        again: () => Effect.Effect<A, RateLimited | StoreUnavailable, R>
      ): Effect.Effect<A, RateLimited | StoreUnavailable, R> => {
        const open = stillOpen(shorts, now)
        if (grants === undefined || open.length === 0 || asked === MOST_QUESTIONS) {
          // Nobody needs to ask before the first of those requests is a minute old.
          for (const { need, share } of shorts) if (share.isRefused(need, now)) share.refuse(refusal)
          return Effect.fail(refusal)
        }
        return Effect.flatMap(fillShares(grants, open), again)
      }

      const admitFeedback = (caller: Caller) => Effect.suspend(() => admitFeedbackNow(caller, 0))

      const admitFeedbackNow = (caller: Caller, asked: number): Effect.Effect<void, RateLimited | StoreUnavailable> => {
        const { key, team } = caller
        const now = clock.currentTimeMillisUnsafe()
        if (grants !== undefined && !grants.isInForce()) return Effect.fail(lapsed)
        const own = key.limits.rpm === undefined ? undefined : subjectOf("key", key.id, now, "feedback")
        const shared = team?.limits.rpm === undefined ? undefined : subjectOf("team", team.name, now, "feedback")
        const refusal = longest(
          own?.refusal(onlyRpm(key.limits), 0, now, key.id),
          shared?.refusal(onlyRpm(team!.limits), 0, now, key.id)
        )
        if (refusal !== undefined) {
          const teams = team === undefined ? undefined : onlyRpm(team.limits)
          const shorts = [shortsOf(own, onlyRpm(key.limits), 0, now), shortsOf(shared, teams, 0, now)].flat()
          return orMore(refusal, shorts, asked, now, () => admitFeedbackNow(caller, asked + 1))
        }
        own?.log.add(now, 1)
        shared?.log.add(now, 1)
        return Effect.void
      }

      const allowances = (caller: Caller): Effect.Effect<Allowances> => {
        const now = clock.currentTimeMillisUnsafe()
        const { limits } = caller.key
        const subject = subjects.key.get(caller.key.id)
        const tokens = subject?.tokens
        return Effect.succeed({
          requests: allowance(limits.rpm, usedOf(subject, "rpm", limits.rpm, now), subject?.log.emptyIn(now) ?? 0),
          tokens: allowance(limits.tpm, usedOf(subject, "tpm", limits.tpm, now), tokens?.emptyIn(now) ?? 0)
        })
      }

      grants?.called(
        isRate,
        (call) => {
          const { kind, scope } = call.share
          const [of = "", ...id] = scope.split(":")
          const known = kind === "feedback" ? raters : subjects
          const subject = known[of === "team" ? "team" : "key"].get(id.join(":"))
          return subject?.shares?.calledFor(kind, call, clock.currentTimeMillisUnsafe()) ?? nothingGiven
        },
        () => {
          for (const known of [subjects.key, subjects.team, raters.key, raters.team]) {
            for (const { shares } of known.values()) shares?.lose()
          }
          return []
        }
      )

      return { admit, admitFeedback, allowances }
    })
  )
}

/** What a limit's share lacks for a request; nothing where this process owns all. */
const shortsOf = (
  subject: Subject | undefined,
  limits: Limits | undefined,
  tokens: number,
  now: number
): ReadonlyArray<Short> => (subject === undefined || limits === undefined ? [] : subject.shorts(limits, tokens, now))

/** What is used of a limit, as far as it is known here. */
const usedOf = (subject: Subject | undefined, kind: "rpm" | "tpm", limit: number | undefined, now: number): number => {
  if (subject === undefined || limit === undefined) return 0
  return subject.shares === undefined ? subject.used(kind, now) : subject.shares.usedOf(kind, limit, now)
}

const nothingToSettle: Permit["settle"] = () => Effect.void

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

/** A slot that is taken has to be given back, so nothing may come between. */
const hasSlots = ({ key, team }: Caller): boolean =>
  key.limits.maxParallel !== undefined || team?.limits.maxParallel !== undefined

const onlyRpm = ({ rpm }: Limits): Limits => ({ rpm, tpm: undefined, maxParallel: undefined })

const isLimited = (limits: Limits): boolean =>
  limits.rpm !== undefined || limits.tpm !== undefined || limits.maxParallel !== undefined

const allowance = (limit: number | undefined, used: number, resetMs: number): Allowance | undefined =>
  limit === undefined ? undefined : { limit, remaining: Math.max(0, limit - used), resetMs }
