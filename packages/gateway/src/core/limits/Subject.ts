/** The recent use of one scope, such as a key or team, and its shares of the limits where other processes admit requests of it, too. */
import { RateLimited, RequestExceedsLimit } from "../domain/Errors.ts"
import { type CallerScope, namedIn, scopeName } from "../keys/CallerScope.ts"
import type { Limits } from "../domain/Budget.ts"
import type { Caller } from "../keys/Caller.ts"
import { SlidingWindowLog } from "../collections/SlidingWindowLog.ts"
import type { SharedGrants } from "../grants/Grants.ts"
import type { Short } from "../grants/Share.ts"
import { RateShares } from "./RateShares.ts"

export const WINDOW_MS = 60_000

/** What an `rpm` limit can count. */
export type Counted = "rpm" | "feedback"

/** Replaces the expected tokens with the used ones, at a time. `known`: the same key or team, which may have been forgotten meanwhile. */
export type SettleTokens = (used: number, at: number, known: Subject) => void

export type LimitedScope = Pick<CallerScope, "kind" | "id" | "scope" | "subject" | "limits" | "match">

/** Key, team, end user and session, as far as they have limits. Limits of model rules count for single attempts. */
export const limitedScopes = (caller: Caller): ReadonlyArray<LimitedScope> => {
  const { key, team } = caller
  const found: Array<LimitedScope> = []
  if (isLimited(key.limits)) found.push({ kind: "key", id: key.id, scope: "key", subject: key.id, limits: key.limits })
  if (team !== undefined && isLimited(team.limits))
    found.push({ kind: "team", id: team.name, scope: "team", subject: team.name, limits: team.limits })
  return caller.more === undefined ? found : [...found, ...limitedMore(caller)]
}

/** Those of end user and session. */
export const limitedMore = ({ more = [] }: Caller): ReadonlyArray<LimitedScope> =>
  more.filter(({ kind, limits }) => kind !== "rule" && isLimited(limits))

export const isLimited = ({ maxParallel, rpm, tpm }: Limits): boolean =>
  rpm !== undefined || tpm !== undefined || maxParallel !== undefined

/** Nobody can know when a running request ends. */
const PARALLEL_WAIT_MS = 1000

export class Subject {
  readonly of: LimitedScope
  readonly counted: Counted
  /** Each request weighs one. */
  readonly log = new SlidingWindowLog(WINDOW_MS)
  /** Weighed by tokens: those that a request is expected to use when it comes, those beyond when they were used. */
  tokens: SlidingWindowLog | undefined
  running = 0
  /** When it was looked up last: a request may still enter it. */
  usedAt = Number.NEGATIVE_INFINITY
  /** Undefined where this process owns all limits. */
  readonly shares: RateShares | undefined

  constructor(of: LimitedScope, counted: Counted, grants: SharedGrants | undefined) {
    this.of = of
    this.counted = counted
    this.shares = grants === undefined ? undefined : new RateShares(scopeName(of), grants, this)
  }

  used(kind: string, now: number): number {
    if (kind === "parallel") return this.running
    return kind === "tpm" ? (this.tokens?.used(now) ?? 0) : this.log.used(now)
  }

  /** Milliseconds until `need` is free of what this process may give out of a limit. */
  waitFor(kind: string, need: number, limit: number, now: number): number {
    if (kind === "parallel") return this.running + need > limit ? PARALLEL_WAIT_MS : 0
    if (kind === "tpm") return this.tokens === undefined ? 0 : this.tokens.waitFor(need, limit, now)
    return this.log.waitFor(need, limit, now)
  }

  refusal(limits: Limits, tokens: number, now: number, keyId: string): RateLimited | undefined {
    const { shares } = this
    let refusal: RateLimited | undefined
    if (limits.rpm !== undefined) {
      const own = shares === undefined ? limits.rpm : shares.own(this.counted, limits.rpm, now)
      const wait = this.log.waitFor(1, own, now)
      if (wait > 0) refusal = this.refuse(this.counted, 1, limits.rpm, wait, now, keyId)
    }
    if (limits.tpm !== undefined && (this.tokens !== undefined || shares !== undefined)) {
      const own = shares === undefined ? limits.tpm : shares.own("tpm", limits.tpm, now)
      const need = Math.min(tokens, limits.tpm)
      const wait = (this.tokens ??= new SlidingWindowLog(WINDOW_MS)).waitFor(need, own, now)
      if (wait > 0) refusal = longest(refusal, this.refuse("tpm", need, limits.tpm, wait, now, keyId))
    }
    if (limits.maxParallel !== undefined) {
      const own = shares === undefined ? limits.maxParallel : shares.own("parallel", limits.maxParallel, now)
      if (this.running >= own) {
        refusal = longest(refusal, this.refuse("parallel", 1, limits.maxParallel, PARALLEL_WAIT_MS, now, keyId))
      }
    }
    return refusal
  }

  private refuse(
    kind: RateLimited["kind"],
    need: number,
    limit: number,
    waitMs: number,
    now: number,
    keyId: string
  ): RateLimited {
    const { of, shares } = this
    const wait = shares === undefined ? waitMs : shares.waitFor(kind, need, limit, now)
    const used = shares === undefined ? this.used(kind, now) : shares.usedOf(kind, limit, now)
    const retryAfterSeconds = Math.max(1, Math.ceil(wait / 1000))
    return new RateLimited({ kind, ...namedIn(of), keyId, limit, used, retryAfterSeconds, resetsAt: now + wait })
  }

  /** What the shares lack for a request. */
  shorts(limits: Limits, tokens: number, now: number): ReadonlyArray<Short> {
    const { shares } = this
    if (shares === undefined) return []
    const shorts: Array<Short> = []
    const look = (kind: string, limit: number | undefined, need: number) => {
      const missing = limit === undefined ? 0 : need - shares.free(kind, limit, now)
      if (limit !== undefined && missing > 0) shorts.push({ share: shares.of(kind, limit, now), need: missing })
    }
    look(this.counted, limits.rpm, 1)
    look("tpm", limits.tpm, Math.min(tokens, limits.tpm ?? 0))
    look("parallel", limits.maxParallel, 1)
    return shorts
  }

  /** What requests have used of tokens beyond the share of them; undefined: nothing. */
  owed({ tpm }: Limits, now: number): Short | undefined {
    const { shares } = this
    return tpm === undefined ? undefined : shares?.debt("tpm", tpm, now)
  }

  /** Takes a slot and counts a request. Returns what gives the request back: it was refused before it reached a provider. */
  enter(limits: Limits, now: number): (() => void) | undefined {
    this.running++
    if (limits.rpm === undefined) return undefined
    const entry = this.log.add(now, 1)
    return () => this.log.correct(entry, -1)
  }

  /** Counts the tokens that a request is expected to use. They are corrected when the answer is there. */
  expect(limits: Limits, tokens: number, now: number): SettleTokens | undefined {
    if (limits.tpm === undefined) return undefined
    const log = (this.tokens ??= new SlidingWindowLog(WINDOW_MS))
    const counted = Math.min(tokens, limits.tpm)
    const entry = log.add(now, counted)
    return (used, at, known) => {
      if (used < counted) log.correct(entry, used - counted)
      if (used > counted) known.addLate(at, used - counted)
    }
  }

  /** Tokens beyond those that were expected. */
  private addLate(at: number, tokens: number): void {
    ;(this.tokens ??= new SlidingWindowLog(WINDOW_MS)).addLate(at, tokens)
  }
}

/** A caller that waits for the longest of several waits is admitted by all limits. */
export const longest = (a: RateLimited | undefined, b: RateLimited | undefined): RateLimited | undefined =>
  a === undefined || (b !== undefined && b.retryAfterSeconds > a.retryAfterSeconds) ? b : a

/** An idle subject is worth no more than a missing one. */
export const isIdle = ({ log, running, shares, tokens, usedAt }: Subject, now: number): boolean =>
  running === 0 &&
  usedAt !== now &&
  log.emptyIn(now) === 0 &&
  (tokens === undefined || tokens.emptyIn(now) === 0) &&
  (shares === undefined || !shares.isInUse())

/** Why a request for so many tokens can never be admitted, even with nothing else in use; undefined where it may be. */
export const exceedsLimit = (caller: Caller, asked: number): RequestExceedsLimit | undefined => {
  const { id, limits } = caller.key
  if (caller.more === undefined && caller.team === undefined && limits.tpm === undefined) return undefined
  const exceeded = limitedScopes(caller).find(({ limits: { tpm = Number.POSITIVE_INFINITY } }) => asked > tpm)
  if (exceeded?.limits.tpm === undefined) return undefined
  return new RequestExceedsLimit({ ...namedIn(exceeded), keyId: id, limit: exceeded.limits.tpm, asked })
}
