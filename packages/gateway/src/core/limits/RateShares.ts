/** This process's shares of the limits of one key or team. */
import { type QuotaCall, type Given, nothingGiven, type SharedGrants } from "../grants/Grants.ts"
import { Share, type Short } from "../grants/Share.ts"

/** Whose limits they are: it knows what is used of them. */
interface ShareUsage {
  readonly used: (kind: string, now: number) => number
  readonly waitFor: (kind: string, need: number, limit: number, now: number) => number
}

export class RateShares {
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
