/** One limit, or one window of a budget, as its owner shares it out. Each step is synchronous: nothing comes between check and change. */
import { isRate, type ShareName } from "../../../src/core/grants/Grants.ts"

/** A share whose process died: requests of it may be counted until a minute after its end. */
interface Ghost {
  readonly amount: number
  readonly until: number
}

const WINDOW_MS = 60_000

export class Pot<Member> {
  readonly name: ShareName
  /** What each process holds, as it knows itself. Below zero where requests cost it more than it held. */
  private readonly held = new Map<Member, number>()
  private ghosts: ReadonlyArray<Ghost> = []
  /** The limit, as who asked last to admit something knew it. */
  limit: number | undefined
  /** Of a budget: booked in its window. */
  spent = 0
  usedAt: number

  constructor(name: ShareName, now: number) {
    this.name = name
    this.usedAt = now
  }

  get isBudget(): boolean {
    return !isRate(this.name.kind)
  }

  isIdle(now: number, idleMs: number): boolean {
    return this.held.size === 0 && this.livingGhosts(now).length === 0 && Math.abs(now - this.usedAt) > idleMs
  }

  /** Below zero where the limit was lowered. */
  room(limit: number, now: number): number {
    let taken = this.spent
    for (const amount of this.held.values()) if (amount > 0) taken += amount
    for (const { amount } of this.livingGhosts(now)) taken += amount
    return limit - taken
  }

  holds(member: Member): number {
    return this.held.get(member) ?? 0
  }

  /** Everybody else who holds some of it. */
  others(member: Member): ReadonlyArray<Member> {
    return Array.from(this.held).flatMap(([one, amount]) => (one !== member && amount > 0 ? [one] : []))
  }

  change(member: Member, by: number): void {
    const amount = this.holds(member) + by
    if (amount === 0) this.held.delete(member)
    else this.held.set(member, amount)
  }

  /** A process is gone. What it may have used of a rate counts for a minute. */
  bury(member: Member, now: number): void {
    const amount = this.holds(member)
    this.held.delete(member)
    if (this.isBudget || this.name.kind === "parallel" || amount <= 0) return
    this.ghosts = [...this.livingGhosts(now), { amount, until: now + WINDOW_MS }]
  }

  /** Milliseconds until what a dead process held is free; Infinity where there is none. */
  freeInMs(now: number): number {
    return this.livingGhosts(now).reduce((least, { until }) => Math.min(least, until - now), Number.POSITIVE_INFINITY)
  }

  private livingGhosts(now: number): ReadonlyArray<Ghost> {
    if (this.ghosts.length > 0) this.ghosts = this.ghosts.filter(({ until }) => until > now)
    return this.ghosts
  }
}
