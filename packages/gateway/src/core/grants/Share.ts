/** This process's lease on part of one limit. */
import type { Deferred } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { type QuotaGrant, type QuotaRequest, isRate, type ShareName, type SharedGrants } from "./Grants.ts"

/** A repeated request within this time asks for twice as much, a later one for half: a lease is renewed about once in it. */
const SOON_MS = 60_000
/** The first lease is for this many requests of the same size. */
const AHEAD = 8
/** Milliseconds until refused quota is requested again: running requests end, or cost less than reserved, at any time. */
const ASK_AGAIN_MS = 25

/** A lease, and the amount that it lacks for one request. */
export interface Short {
  readonly share: Share
  readonly need: number
  /** A request has used the amount already. */
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
  /** Amount that was neither leased nor used when the last lease was granted. */
  room = 0
  /** Of a budget: the cost charged to its window when the last lease was granted. */
  spent = 0
  /** Epoch ms: when another process will have free quota at the latest, as last reported. */
  freeAt = Number.POSITIVE_INFINITY
  /** Epoch ms: until then requests for `refusedNeed` or more would be refused. */
  private refusedUntil = 0
  /** A smaller amount may still be granted. */
  private refusedNeed = 0
  /** Completes with the lease request that is in flight: other requests that lack quota wait for it. */
  asking: Deferred.Deferred<void, StoreUnavailable> | undefined
  /** Requests used more than the lease, which is still to be reported. */
  isOwing = false
  private isGone = false
  /** Amount that requests of this process wait for: it is not released meanwhile. */
  waiting = 0
  /** All leases exceed the limit, which was lowered or overrun. Free quota is released until a lease is granted again. */
  isOver = false
  /** How many times `isOver` was set. */
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

  /** `need`: of one more request that waits for the lease. */
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
    // Quota that other processes released went to another one first: that is no refusal.
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

  /** The caller was told to wait until `resetsAt`. Request counts cannot become free earlier, so the lease asks for none before. */
  refuse({ kind, resetsAt, scope, subject }: ShareRefusal): void {
    const { name } = this
    const isOfRequests = kind === "rpm" || kind === "feedback"
    if (!isOfRequests || kind !== name.kind || name.scope !== `${scope}:${subject}`) return
    this.refusedUntil = Math.max(this.refusedUntil, resetsAt)
  }

  /** An administrator changed the limit: free quota of the old one is released and leased anew. */
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

  /** The lease expired: other processes may hold all of it but `amount`. */
  lose(amount: number): void {
    this.amount = amount
    this.room = 0
    this.refusedUntil = 0
  }

  /** This process forgets the limit: `free` is released, and so is what is still granted. */
  leave(free: number, grants: SharedGrants): void {
    this.isGone = true
    this.giveBack(free, grants)
  }
}
