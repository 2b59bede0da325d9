/** The recent use of one scope, such as a key or team, and its shares of the limits where other processes admit requests of it, too. */
import { SlidingWindowLog } from "../collections/SlidingWindowLog.ts"
import type { Limits } from "../domain/Budget.ts"
import { RateLimited, RequestExceedsLimit } from "../domain/Errors.ts"
import { type Given, nothingGiven, type QuotaCall, type SharedGrants } from "../grants/Grants.ts"
import { Share, type Short } from "../grants/Share.ts"
import type { Caller } from "../keys/Caller.ts"
import { type CallerScope, namedIn, scopeName } from "../keys/CallerScope.ts"

// This process's shares of the limits of one key or team.

/** Whose limits they are: it knows what is used of them. */
interface ShareUsage {
  readonly used: (kind: string, now: number) => number
  readonly waitFor: (kind: string, need: number, limit: number, now: number) => number
}

class RateShares {
  private readonly scope: string
  private readonly grants: SharedGrants
  private readonly usage: ShareUsage
  private readonly shares = new Map<string, Share>()

  constructor(scope: string, grants: SharedGrants, usage: ShareUsage) {
    this.scope = scope
    this.grants = grants
    this.usage = usage
  }

  of(kind: string, limit: number, now: number): Share {
    let share = this.shares.get(kind)
    if (share === undefined) {
      share = new Share({ scope: this.scope, kind, start: 0, end: 0 }, limit)
      this.shares.set(kind, share)
    } else if (share.limit !== limit || share.isOver) {
      const free = Math.max(0, this.freeOf(share, now))
      if (share.limit !== limit) share.limitTo(limit, free, this.grants)
      else share.giveBack(free, this.grants)
    }
    return share
  }

  /** What this process may give out of a limit. */
  own(kind: string, limit: number, now: number): number {
    return Math.min(limit, this.of(kind, limit, now).amount)
  }

  /** What requests have used beyond the share. `limit` is that of their admission: it may be another one by now. */
  debt(kind: string, limit: number, now: number): Short | undefined {
    const share = this.shares.get(kind) ?? this.of(kind, limit, now)
    const need = this.usage.used(kind, now) - share.amount
    return need > 0 ? { share, need, isOwed: true } : undefined
  }

  /** What this process may still give out of a limit. Below zero where requests used more than they were expected to. */
  free(kind: string, limit: number, now: number): number {
    return this.own(kind, limit, now) - this.usage.used(kind, now)
  }

  /** What is used of a limit, here and, as last told, elsewhere. */
  usedOf(kind: string, limit: number, now: number): number {
    const { amount, room } = this.of(kind, limit, now)
    return Math.max(0, limit - room - amount) + this.usage.used(kind, now)
  }

  /** Milliseconds until a request that needs so much of a limit fits, here or elsewhere. */
  waitFor(kind: string, need: number, limit: number, now: number): number {
    const { amount, freeAt, room } = this.of(kind, limit, now)
    const here = this.usage.waitFor(kind, need, Math.min(limit, amount + room), now)
    return freeAt > now ? Math.min(here, freeAt - now) : here
  }

  /** Something was asked for. */
  isInUse(): boolean {
    for (const { asking } of this.shares.values()) if (asking !== undefined) return true
    return false
  }

  /** Somebody else lacks `need`: half of what is free goes, or all that is missing. Where all shares are too much, that goes before all else. */
  calledFor(kind: string, { goesFirst, isOverdrawn, need }: QuotaCall, now: number): Given {
    const share = this.shares.get(kind)
    if (share === undefined) return nothingGiven
    const kept = goesFirst || isOverdrawn ? 0 : share.waiting
    const free = Math.max(0, this.freeOf(share, now) - kept)
    const amount = Math.min(free, isOverdrawn ? need : Math.max(need, Math.ceil(free / 2)))
    if (isOverdrawn && amount < need) share.overdraw()
    share.amount -= amount
    if (amount >= need) return { amount, freeInMs: 0 }
    const missing = need - amount
    const isHere = share.amount >= missing
    return { amount, freeInMs: isHere ? this.usage.waitFor(kind, missing, share.amount, now) : nothingGiven.freeInMs }
  }

  /** Others have all of it by now. */
  lose(): void {
    for (const share of this.shares.values()) share.lose(0)
  }

  /** The key or team is forgotten: nothing of its limits is in use. */
  leave(now: number): void {
    for (const share of this.shares.values()) share.leave(this.freeOf(share, now), this.grants)
  }

  private freeOf({ amount, name }: Share, now: number): number {
    return amount - this.usage.used(name.kind, now)
  }
}

export const WINDOW_MS = 60_000

/** What an `rpm` limit can count. */
export type Counted = "rpm" | "feedback"

/** Which limits count. `requests`: `rpm` and `max_parallel`, before the body is read; `tokens`: `tpm`, after it. */
export type RateDimension = "all" | "requests" | "tokens"

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

/** Whether any of the limits counts in a dimension. */
export const countsIn = ({ maxParallel, rpm, tpm }: Limits, dimension: RateDimension): boolean =>
  (dimension !== "tokens" && (rpm !== undefined || maxParallel !== undefined)) ||
  (dimension !== "requests" && tpm !== undefined)

/** Nobody can know when a running request ends. */
const PARALLEL_WAIT_MS = 1000

export class Subject {
  readonly of: LimitedScope
  readonly counted: Counted
  readonly log = new SlidingWindowLog(WINDOW_MS)
  /** Weighed by tokens: those that a request is expected to use when it comes, those beyond when they were used. */
  tokens: SlidingWindowLog | undefined
  running = 0
  /** When it was looked up last: a request may still enter it. */
  usedAt = Number.NEGATIVE_INFINITY
  /** It was idle, and is no longer looked up. */
  isForgotten = false
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

  /** Why a request is refused by those limits that count in a dimension, if it is. */
  refusal(
    limits: Limits,
    dimension: RateDimension,
    tokens: number,
    now: number,
    keyId: string
  ): RateLimited | undefined {
    const { shares } = this
    let refusal: RateLimited | undefined
    if (limits.rpm !== undefined && dimension !== "tokens") {
      const own = shares === undefined ? limits.rpm : shares.own(this.counted, limits.rpm, now)
      const wait = this.log.waitFor(1, own, now)
      if (wait > 0) refusal = this.refuse(this.counted, 1, limits.rpm, wait, now, keyId)
    }
    const countsTokens = dimension !== "requests" && (this.tokens !== undefined || shares !== undefined)
    if (limits.tpm !== undefined && countsTokens) {
      const own = shares === undefined ? limits.tpm : shares.own("tpm", limits.tpm, now)
      const need = Math.min(tokens, limits.tpm)
      const wait = (this.tokens ??= new SlidingWindowLog(WINDOW_MS)).waitFor(need, own, now)
      if (wait > 0) refusal = longest(refusal, this.refuse("tpm", need, limits.tpm, wait, now, keyId))
    }
    if (limits.maxParallel !== undefined && dimension !== "tokens") {
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
  shorts(limits: Limits, dimension: RateDimension, tokens: number, now: number): ReadonlyArray<Short> {
    const { shares } = this
    if (shares === undefined) return []
    const shorts: Array<Short> = []
    const look = (kind: string, limit: number | undefined, need: number) => {
      const missing = limit === undefined ? 0 : need - shares.free(kind, limit, now)
      if (limit !== undefined && missing > 0) shorts.push({ share: shares.of(kind, limit, now), need: missing })
    }
    if (dimension !== "tokens") look(this.counted, limits.rpm, 1)
    if (dimension !== "requests") look("tpm", limits.tpm, Math.min(tokens, limits.tpm ?? 0))
    if (dimension !== "tokens") look("parallel", limits.maxParallel, 1)
    return shorts
  }

  /** What requests have used of tokens beyond the share of them; undefined: nothing. */
  owed({ tpm }: Limits, now: number): Short | undefined {
    const { shares } = this
    return tpm === undefined ? undefined : shares?.debt("tpm", tpm, now)
  }

  /** Takes a slot and counts a request. Returns its entry in the log, if it has one. */
  enter(limits: Limits, now: number): number | undefined {
    this.running++
    return limits.rpm === undefined ? undefined : this.log.add(now, 1)
  }

  /** Counts the tokens that a request is expected to use. Returns their entry in the log. */
  expect(tokens: number, now: number): number {
    return (this.tokens ??= new SlidingWindowLog(WINDOW_MS)).add(now, tokens)
  }

  /** Adds to the tokens of an entry, or takes away. */
  correctTokens(entry: number, by: number): void {
    this.tokens?.correct(entry, by)
  }

  /** Adds tokens beyond those expected. */
  addLate(at: number, tokens: number): void {
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
  const { key, more, team } = caller
  const isExceeded = ({ tpm = Number.POSITIVE_INFINITY }: Limits) => asked > tpm
  if (more === undefined && !isExceeded(key.limits) && (team === undefined || !isExceeded(team.limits)))
    return undefined
  const exceeded = limitedScopes(caller).find(({ limits }) => isExceeded(limits))
  if (exceeded?.limits.tpm === undefined) return undefined
  return new RequestExceedsLimit({ ...namedIn(exceeded), keyId: key.id, limit: exceeded.limits.tpm, asked })
}
