/** The part of one limit that this process alone gives out. */
import type { Deferred } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { type QuotaGrant, type QuotaRequest, isRate, type ShareName, type SharedGrants } from "./Grants.ts"

/**
 * Whoever asked within this time asks for twice as much, and later for half as much: what is spent of a budget is asked for about so
 * often, however much it is.
 */
const SOON_MS = 60_000
/** A first question is for so many requests of the same size. */
const AHEAD = 8
/** When a running request ends, or costs less than it might have, nobody knows: what was refused is asked for again after this. */
const ASK_AGAIN_MS = 25

/** A share, and what it lacks for one request. */
export interface Short {
  readonly share: Share
  readonly need: number
  /** It was used already. */
  readonly isOwed?: boolean
}

interface ShareRefusal {
  readonly kind: string
  readonly scope: string
  readonly subject: string
  /** Epoch ms. */
  readonly resetsAt: number
}

export class Share {
  readonly name: ShareName
  limit: number
  amount = 0
  /** What nobody held and nobody had used when it was last asked for. */
  room = 0
  /** Of a budget: what was booked in its window when it was last asked for. */
  spent = 0
  /** Epoch ms: when another process has something free at the latest, as it was last told. */
  freeAt = Number.POSITIVE_INFINITY
  /** Epoch ms: until then so much is not to be had, and nobody needs to ask. */
  private refusedUntil = 0
  /** Who needs less may get it. */
  private refusedNeed = 0
  /** A question is on its way: who else is short waits for its answer. */
  asking: Deferred.Deferred<void, StoreUnavailable> | undefined
  /** What requests used beyond it could not be asked for, and will be. */
  isOwing = false
  private isGone = false
  /** What requests here wait for: it is not given away in between. */
  waiting = 0
  /**
   * All shares together may be more than the limit: it was lowered, or requests used more than they were expected to. What they leave of
   * what is held here goes back until something is granted, for which there has to be room.
   */
  isOver = false
  /** How often it became so. */
  private overs = 0
  private wanted = 0
  private asked = 0
  private askedOwed = false
  private askedOvers = 0
  private askedAt = Number.NEGATIVE_INFINITY

  constructor(name: ShareName, limit: number) {
    this.name = name
    this.limit = limit
  }

  /** `need`: of one more request that waits for the share. */
  await(need: number): void {
    this.waiting += need
  }

  awaitNoMore(need: number): void {
    this.waiting -= need
  }

  question({ isOwed = false, need }: Omit<Short, "share">, now: number): QuotaRequest {
    const before = Math.floor(Math.abs(now - this.askedAt) < SOON_MS ? 2 * this.wanted : this.wanted / 2)
    const asked = { share: this.name, limit: this.limit, need, isOwed }
    this.askedOwed = isOwed
    this.askedOvers = this.overs
    if (isOwed) return { ...asked, partly: false, want: need }
    const again = Math.max(before, AHEAD * need)
    this.wanted = Math.max(need, Math.min(this.limit, Math.max(this.waiting, again)))
    this.askedAt = now
    this.asked = need
    return { ...asked, partly: !isRate(this.name.kind), want: this.wanted }
  }

  answered({ amount, freeInMs, room, spent }: QuotaGrant, now: number, grants: SharedGrants): void {
    this.amount += amount
    if (this.askedOwed && room === 0) this.overdraw()
    else if (amount > 0 && this.askedOvers === this.overs) this.isOver = false
    this.room = room
    this.spent = spent
    this.freeAt = now + freeInMs
    // Where others have given something up, somebody else was quicker: that is no refusal.
    if (amount === 0 && freeInMs > 0) {
      this.refusedUntil = now + Math.min(ASK_AGAIN_MS, Math.max(1, freeInMs))
      this.refusedNeed = this.asked
    }
    if (this.isGone) this.giveBack(amount, grants)
  }

  overdraw(): void {
    this.isOver = true
    this.overs++
  }

  isRefused(need: number, now: number): boolean {
    return this.refusedUntil > now && need >= this.refusedNeed
  }

  /** A refusal that told its caller to wait until then. Of requests it is known that nobody needs to ask before. */
  refuse({ kind, resetsAt, scope, subject }: ShareRefusal): void {
    const { name } = this
    const isOfRequests = kind === "rpm" || kind === "feedback"
    if (!isOfRequests || kind !== name.kind || name.scope !== `${scope}:${subject}`) return
    this.refusedUntil = Math.max(this.refusedUntil, resetsAt)
  }

  /** Another limit, as an administrator set it. What is free of the old one goes back, and is shared out anew. */
  limitTo(limit: number, free: number, grants: SharedGrants): void {
    if (limit < this.limit) this.overdraw()
    this.limit = limit
    this.refusedUntil = 0
    this.room = 0
    this.giveBack(free, grants)
  }

  giveBack(amount: number, grants: SharedGrants): void {
    if (amount === 0) return
    this.amount -= amount
    grants.give([{ share: this.name, amount }])
  }

  /** Others have it by now, but for `amount`. */
  lose(amount: number): void {
    this.amount = amount
    this.room = 0
    this.refusedUntil = 0
  }

  /** Its limit is forgotten here: `free` goes back, and so does what may still come. */
  leave(free: number, grants: SharedGrants): void {
    this.isGone = true
    this.giveBack(free, grants)
  }
}
