/**
 * Limits of keys, teams and other scopes: requests per minute, tokens per minute, concurrent requests. They are exact: any 60 s
 * window admits at most `rpm` requests. A refusal counts nothing, and its wait is real. A request is admitted in two steps:
 * `admit` takes its slot and its place in the minute before the body is read, `expect` its tokens. Expected tokens count for
 * 60 s from the admission, further ones from when they are known. Scores have a count of their own with the same limit.
 */
import { Clock, Context, Effect, Layer, type Scope } from "effect"
import { RateLimited, type StoreUnavailable } from "../domain/Errors.ts"
import { IdleMap } from "../collections/IdleMap.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Limits } from "../domain/Budget.ts"
import { fillShares, MOST_QUESTIONS, stillOpen } from "../grants/FillShares.ts"
import type { Short } from "../grants/Share.ts"
import { steadyMs } from "../collections/Steady.ts"
import { Grants, isRate, lapsed, nothingGiven, type SharedGrants } from "../grants/Grants.ts"
import { Admitted, type AttemptPermit, type Permit, type PermitLimiter, Place } from "./Admitted.ts"
import {
  type Counted,
  countsIn,
  type RateDimension,
  isIdle,
  type LimitedScope,
  limitedScopes,
  longest,
  Subject
} from "./Subject.ts"

/** Until what could not be asked for is asked for again. */
const TELL_AGAIN_MS = 1_000

/** What is left of a limit. `resetMs`: the time until all of it is free again. */
interface RateAllowance {
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
}

export interface Allowances {
  readonly requests: RateAllowance | undefined
  readonly tokens: RateAllowance | undefined
}

export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    /**
     * Admits a request under all limits of its scopes, or none. `tokens`: expected; left out, `Permit.expect` counts them later.
     * The slot is released when the Scope closes. A request whose tokens were never expected is then given back.
     */
    readonly admit: (
      caller: Caller,
      tokens?: number
    ) => Effect.Effect<Permit, RateLimited | StoreUnavailable, Scope.Scope>
    /** Admits one attempt under the limits of model rules, which hold for its deployment, until the Scope closes. */
    readonly admitRules: (
      rules: ReadonlyArray<LimitedScope>,
      keyId: string,
      tokens: number
    ) => Effect.Effect<AttemptPermit, RateLimited | StoreUnavailable, Scope.Scope>
    /** Admits one score for a response. The limits are the `rpm` of its key and team. */
    readonly admitFeedback: (caller: Caller) => Effect.Effect<void, RateLimited | StoreUnavailable>
    /** The key's limits when the effect runs. Never fails; an unknown limit is undefined. */
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
      const known = () =>
        new IdleMap(isIdle, (subject: Subject, now) => {
          subject.isForgotten = true
          subject.shares?.leave(now)
        })
      const subjects = {
        key: known(),
        team: known(),
        end_user: known(),
        session: known(),
        member: known(),
        rule: known(),
        client: known()
      }
      const raters = { key: known(), team: known() }
      for (const map of [...Object.values(subjects), ...Object.values(raters)])
        yield* Effect.forkScoped(map.keepSmall(() => steadyMs(clock)))

      const subjectOf = (of: LimitedScope, now: number): Subject => subjectIn(subjects[of.kind], of, now, "rpm")

      const subjectIn = (known: IdleMap<Subject>, of: LimitedScope, now: number, counted: Counted): Subject => {
        let subject = known.get(of.id)
        if (subject === undefined) known.set(of.id, (subject = new Subject(of, counted, grants)), now)
        subject.usedAt = now
        return subject
      }

      const admit = (caller: Caller, tokens?: number) =>
        Effect.uninterruptibleMask(() => enterNow(limitedScopes(caller), caller.key.id, tokens, 0))

      const admitRules = (rules: ReadonlyArray<LimitedScope>, keyId: string, tokens: number) =>
        Effect.uninterruptibleMask(() => enterNow(rules, keyId, tokens, 0))

      /** `tokens`: undefined where they are not known yet. `asked`: how often its process asked for larger shares before. */
      const enterNow = (
        scopes: ReadonlyArray<LimitedScope>,
        keyId: string,
        tokens: number | undefined,
        asked: number
      ): Effect.Effect<AttemptPermit, RateLimited | StoreUnavailable, Scope.Scope> => {
        const now = steadyMs(clock)
        if (grants !== undefined && !grants.isInForce()) return Effect.fail(lapsed)
        const dimension = tokens === undefined ? "requests" : "all"
        const places = placesOf(scopes, now)
        const refusal = refusalOf(places, dimension, tokens ?? 0, now, keyId)
        if (refusal !== undefined) {
          return orMore(refusal, shortsOf(places, dimension, tokens ?? 0, now), asked, now, () =>
            enterNow(scopes, keyId, tokens, asked + 1)
          )
        }
        const permit = new Admitted(permits, places, keyId)
        for (const place of places) if (countsIn(place.of.limits, dimension)) place.enter(now)
        if (tokens !== undefined) permit.count([], tokens, now)
        if (!mustEnd(scopes, tokens)) {
          // No limit uses these counts, so they are taken back at once.
          permit.free()
          return Effect.succeed(permit)
        }
        return permit.endWithScope()
      }

      const expectNow = (
        permit: Admitted,
        tokens: number,
        more: ReadonlyArray<LimitedScope>,
        asked: number
      ): Effect.Effect<void, RateLimited | StoreUnavailable, Scope.Scope> => {
        const now = steadyMs(clock)
        const { keyId, places } = permit
        for (const place of places) {
          if (place.subject.isForgotten) place.renew(subjectOf(place.of, now))
          place.subject.usedAt = now
        }
        const added = placesOf(more, now)
        const refusal = longest(
          refusalOf(places, "tokens", tokens, now, keyId),
          refusalOf(added, "all", tokens, now, keyId)
        )
        if (refusal === undefined) {
          for (const place of added) place.enter(now)
          permit.count(added, tokens, now)
          if (mustEnd(more, tokens)) return Effect.asVoid(permit.endWithScope())
          // No limit uses these counts, so they are taken back at once.
          for (const place of added) place.free()
          return Effect.void
        }
        const shorts = [...shortsOf(places, "tokens", tokens, now), ...shortsOf(added, "all", tokens, now)]
        const again = orMore(refusal, shorts, asked, now, () => expectNow(permit, tokens, more, asked + 1))
        return Effect.tapError(again, () => permit.cancel)
      }

      const placesOf = (scopes: ReadonlyArray<LimitedScope>, now: number): ReadonlyArray<Place> =>
        scopes.map((of) => new Place(of, subjectOf(of, now)))

      const permits: PermitLimiter = {
        expect: (permit, tokens, more) => Effect.uninterruptibleMask(() => expectNow(permit, tokens, more, 0)),
        settle: (places, used) => {
          const at = steadyMs(clock)
          for (const place of places) {
            const { of, subject } = place
            // A response may take so long that its scopes were forgotten meanwhile.
            place.settle(used, at, subject.isForgotten ? subjectOf(of, at) : subject)
          }
          return grants === undefined ? Effect.void : Effect.uninterruptible(askForOwed(grants, places))
        }
      }

      /** Takes excess tokens from the leases for all processes; without enough of them no process admits requests. */
      const askForOwed = (
        grants: SharedGrants,
        settled: ReadonlyArray<{ readonly of: LimitedScope }>,
        asked = 0
      ): Effect.Effect<void> => {
        const now = steadyMs(clock)
        const owed = settled.flatMap(({ of }) => subjectOf(of, now).owed(of.limits, now) ?? [])
        if (owed.length === 0) return Effect.void
        const later = Effect.suspend(() => askLater(owed, () => askForOwed(grants, settled)))
        if (asked === MOST_QUESTIONS) return later
        // While somebody asks for a share already, that response is waited for, and this is asked after it.
        return Effect.matchEffect(fillShares(grants, owed), {
          onFailure: () => later,
          onSuccess: () => askForOwed(grants, settled, asked + 1)
        })
      }

      /** No response waits for a store that is away: it is asked for once the store is back, in one question for all that is owed by then. */
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
          // Only what callers are shown is on the clock of the day.
          const resetsAt = clock.currentTimeMillisUnsafe() + refusal.resetsAt - now
          return Effect.fail(new RateLimited({ ...refusal, resetsAt }))
        }
        return Effect.flatMap(fillShares(grants, open), again)
      }

      const admitFeedback = (caller: Caller) => Effect.suspend(() => admitFeedbackNow(caller, 0))

      const admitFeedbackNow = (caller: Caller, asked: number): Effect.Effect<void, RateLimited | StoreUnavailable> => {
        const { key } = caller
        const now = steadyMs(clock)
        if (grants !== undefined && !grants.isInForce()) return Effect.fail(lapsed)
        const subjects = limitedScopes({ key, team: caller.team }).flatMap((of) => {
          if (of.limits.rpm === undefined) return []
          const known = raters[of.kind === "team" ? "team" : "key"]
          return [{ limits: onlyRpm(of.limits), subject: subjectIn(known, of, now, "feedback") }]
        })
        const refusals = subjects.map(({ limits, subject }) => subject.refusal(limits, "requests", 0, now, key.id))
        const refusal = refusals.reduce(longest, undefined)
        if (refusal !== undefined) {
          const shorts = subjects.flatMap(({ limits, subject }) => subject.shorts(limits, "requests", 0, now))
          return orMore(refusal, shorts, asked, now, () => admitFeedbackNow(caller, asked + 1))
        }
        for (const { subject } of subjects) subject.log.add(now, 1)
        return Effect.void
      }

      const allowances = (caller: Caller): Effect.Effect<Allowances> =>
        Effect.sync(() => {
          const now = steadyMs(clock)
          const { limits } = caller.key
          const subject = subjects.key.get(caller.key.id)
          const tokens = subject?.tokens
          return {
            requests: allowance(limits.rpm, usedOf(subject, "rpm", limits.rpm, now), subject?.log.emptyIn(now) ?? 0),
            tokens: allowance(limits.tpm, usedOf(subject, "tpm", limits.tpm, now), tokens?.emptyIn(now) ?? 0)
          }
        })

      grants?.called(
        isRate,
        (call) => {
          const { kind, scope } = call.share
          const [of = "", ...id] = scope.split(":")
          const known: { readonly [kind: string]: IdleMap<Subject> } = kind === "feedback" ? raters : subjects
          const subject = known[of]?.get(id.join(":"))
          return subject?.shares?.calledFor(kind, call, steadyMs(clock)) ?? nothingGiven
        },
        () => {
          for (const known of [...Object.values(subjects), ...Object.values(raters)]) {
            for (const { shares } of known.values()) shares?.lose()
          }
          return []
        }
      )

      return { admit, admitRules, admitFeedback, allowances }
    })
  )
}

/** What is used of a limit, as far as it is known here. */
const usedOf = (subject: Subject | undefined, kind: "rpm" | "tpm", limit: number | undefined, now: number): number => {
  if (subject === undefined || limit === undefined) return 0
  return subject.shares === undefined ? subject.used(kind, now) : subject.shares.usedOf(kind, limit, now)
}

/** The longest refusal by the limits of these scopes that count in a dimension, if there is one. */
const refusalOf = (
  places: ReadonlyArray<Place>,
  dimension: RateDimension,
  tokens: number,
  now: number,
  keyId: string
): RateLimited | undefined => {
  let refusal: RateLimited | undefined
  for (const { of, subject } of places) {
    if (countsIn(of.limits, dimension))
      refusal = longest(refusal, subject.refusal(of.limits, dimension, tokens, now, keyId))
  }
  return refusal
}

/** What the shares of limits lack for a request; nothing where this process owns all. */
const shortsOf = (places: ReadonlyArray<Place>, dimension: RateDimension, tokens: number, now: number) =>
  places.flatMap(({ of, subject }) =>
    countsIn(of.limits, dimension) ? subject.shorts(of.limits, dimension, tokens, now) : []
  )

/** Whether something is given back when the request ends: a slot, or a request without its tokens. */
const mustEnd = (scopes: ReadonlyArray<LimitedScope>, tokens: number | undefined): boolean =>
  scopes.some(({ limits }) => limits.maxParallel !== undefined || (tokens === undefined && limits.rpm !== undefined))

const onlyRpm = ({ rpm }: Limits): Limits => ({ rpm, tpm: undefined, maxParallel: undefined })

const allowance = (limit: number | undefined, used: number, resetMs: number): RateAllowance | undefined =>
  limit === undefined ? undefined : { limit, remaining: Math.max(0, limit - used), resetMs }
