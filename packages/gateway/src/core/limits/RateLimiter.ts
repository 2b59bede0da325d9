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
import { Admitted, type AttemptPermit, type Part, type Permit, refusalOf, shortsOf } from "./Admitted.ts"
import {
  type Counted,
  isIdle,
  isLimited,
  type LimitedScope,
  limitedScopes,
  type SettleTokens,
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
      const known = () => new IdleMap(isIdle, (subject: Subject, now) => subject.shares?.leave(now))
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
        Effect.uninterruptible(Effect.suspend(() => enterNow(limitedScopes(caller), caller.key.id, tokens, 0)))

      const admitRules = (rules: ReadonlyArray<LimitedScope>, keyId: string, tokens: number) =>
        Effect.uninterruptible(Effect.suspend(() => enterNow(rules, keyId, tokens, 0)))

      /** `tokens`: undefined where they are not known yet. `asked`: how often its process asked for larger shares before. */
      const enterNow = (
        scopes: ReadonlyArray<LimitedScope>,
        keyId: string,
        tokens: number | undefined,
        asked: number
      ): Effect.Effect<AttemptPermit, RateLimited | StoreUnavailable, Scope.Scope> => {
        const now = steadyMs(clock)
        if (grants !== undefined && !grants.isInForce()) return Effect.fail(lapsed)
        const parts = partsOf(scopes, tokens === undefined ? withoutTokens : allOf, now)
        const refusal = refusalOf(parts, tokens ?? 0, now, keyId)
        if (refusal !== undefined) {
          return orMore(refusal, shortsOf(parts, tokens ?? 0, now), asked, now, () =>
            enterNow(scopes, keyId, tokens, asked + 1)
          )
        }
        const permit = new Admitted(entered(parts, now), (tokens, more = []) =>
          Effect.uninterruptible(Effect.suspend(() => expectNow(scopes, more, keyId, permit, tokens, 0)))
        )
        if (tokens !== undefined) permit.counted(settling(parts, tokens, now))
        if (!mustEnd(scopes, tokens)) {
          // No limit uses these counts, so they are taken back at once.
          permit.free()
          return Effect.succeed(permit)
        }
        return Effect.as(permit.endWithScope(), permit)
      }

      const entered = (parts: ReadonlyArray<Part>, now: number) =>
        parts.map(({ limits, subject }) => ({ subject, entry: subject.enter(limits, now) }))

      const expectNow = (
        scopes: ReadonlyArray<LimitedScope>,
        more: ReadonlyArray<LimitedScope>,
        keyId: string,
        permit: Admitted,
        tokens: number,
        asked: number
      ): Effect.Effect<void, RateLimited | StoreUnavailable, Scope.Scope> => {
        const now = steadyMs(clock)
        const added = more.length === 0 ? [] : partsOf(more, allOf, now)
        const parts = [...partsOf(scopes, onlyTokens, now), ...added]
        const refusal = refusalOf(parts, tokens, now, keyId)
        if (refusal === undefined) {
          if (added.length > 0) permit.enter(entered(added, now))
          permit.counted(settling(parts, tokens, now))
          return mustEnd(more, tokens) ? permit.endWithScope() : Effect.void
        }
        const again = orMore(refusal, shortsOf(parts, tokens, now), asked, now, () =>
          expectNow(scopes, more, keyId, permit, tokens, asked + 1)
        )
        return Effect.tapError(again, () => permit.cancel)
      }

      /** The scopes with the part of their limits that counts, those without any left out. */
      const partsOf = (
        scopes: ReadonlyArray<LimitedScope>,
        part: (limits: Limits) => Limits,
        now: number
      ): ReadonlyArray<Part> => {
        const parts: Array<Part> = []
        for (const of of scopes) {
          const limits = part(of.limits)
          if (isLimited(limits)) parts.push({ of, limits, subject: subjectOf(of, now) })
        }
        return parts
      }

      /** Counts expected tokens, which the result settles once; further calls do nothing. A response may take so long that its scopes were forgotten meanwhile. */
      const settling = (parts: ReadonlyArray<Part>, tokens: number, now: number): Permit["settle"] | undefined => {
        const expected: Array<{ readonly of: LimitedScope; readonly settle: SettleTokens }> = []
        for (const { limits, of, subject } of parts) {
          const settle = subject.expect(limits, tokens, now)
          if (settle !== undefined) expected.push({ of, settle })
        }
        if (expected.length === 0) return undefined
        let isSettled = false
        return (used: number) =>
          Effect.suspend(() => {
            if (isSettled) return Effect.void
            isSettled = true
            const at = steadyMs(clock)
            for (const { of, settle } of expected) settle(used, at, subjectOf(of, at))
            return grants === undefined ? Effect.void : Effect.uninterruptible(askForOwed(grants, expected))
          })
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
        const parts: Array<Part> = []
        for (const of of limitedScopes({ key, team: caller.team })) {
          if (of.limits.rpm === undefined) continue
          const known = raters[of.kind === "team" ? "team" : "key"]
          parts.push({ of, limits: onlyRpm(of.limits), subject: subjectIn(known, of, now, "feedback") })
        }
        const refusal = refusalOf(parts, 0, now, key.id)
        if (refusal !== undefined) {
          return orMore(refusal, shortsOf(parts, 0, now), asked, now, () => admitFeedbackNow(caller, asked + 1))
        }
        for (const { subject } of parts) subject.log.add(now, 1)
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

/** Whether something is given back when the request ends: a slot, or a request without its tokens. */
const mustEnd = (scopes: ReadonlyArray<LimitedScope>, tokens: number | undefined): boolean =>
  scopes.some(({ limits }) => limits.maxParallel !== undefined || (tokens === undefined && limits.rpm !== undefined))

const onlyRpm = ({ rpm }: Limits): Limits => ({ rpm, tpm: undefined, maxParallel: undefined })

const allOf = (limits: Limits): Limits => limits
const withoutTokens = ({ maxParallel, rpm }: Limits): Limits => ({ rpm, tpm: undefined, maxParallel })
const onlyTokens = ({ tpm }: Limits): Limits => ({ rpm: undefined, tpm, maxParallel: undefined })

const allowance = (limit: number | undefined, used: number, resetMs: number): RateAllowance | undefined =>
  limit === undefined ? undefined : { limit, remaining: Math.max(0, limit - used), resetMs }
