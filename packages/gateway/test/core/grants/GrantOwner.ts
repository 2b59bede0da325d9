/**
 * The process that owns all limits and shares them out among others. It never gives what it has not got back: what others hold and
 * do not need is called back, and they answer for it themselves.
 */
import { steadyMs } from "../../../src/core/collections/Steady.ts"
import { type Clock, Effect } from "effect"
import { IdleMap } from "../../../src/core/collections/IdleMap.ts"
import type { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import {
  type QuotaGrant,
  type QuotaRequest,
  type QuotaCall,
  CALL_WAIT_MS,
  type Give,
  type Given,
  type ShareName
} from "../../../src/core/grants/Grants.ts"
import { Pot } from "./Pot.ts"

/** A process that shares are given to. */
export interface Member {
  /** Completes when what it gave stands in the books (`given`). */
  readonly call: (call: QuotaCall) => Effect.Effect<Given>
}

interface Books {
  readonly clock: Clock.Clock
  /** What is booked in a budget's window so far; what is booked later is told by `booked`. */
  readonly open: (share: ShareName) => Effect.Effect<number, StoreUnavailable>
}

const FORGET_AFTER_MS = 600_000

export class GrantOwner {
  private readonly books: Books
  /** In the order in which they joined, which is that in which they go. */
  private readonly members = new Map<Member, number>()
  private joined = 0
  private readonly pots = new IdleMap<Pot<Member>>(
    (pot, now) => pot.isIdle(now, FORGET_AFTER_MS),
    (pot) => this.forget(pot)
  )
  /** Budgets of a key or team: those that are being opened, too. */
  private readonly budgets = new Map<string, Set<Pot<Member>>>()
  private readonly opening = new Map<Pot<Member>, Effect.Effect<void, StoreUnavailable>>()
  /** How often anything had to be called back. */
  recalls = 0

  constructor(books: Books) {
    this.books = books
  }

  join(member: Member): void {
    this.members.set(member, ++this.joined)
  }

  /** It is dead: what it held is free, of rates after a minute. What it had in flight has to be booked before. */
  leave(member: Member): void {
    this.members.delete(member)
    const now = this.now()
    for (const pot of this.pots.values()) pot.bury(member, now)
  }

  /** What a process holds, for people who look. */
  heldBy(member: Member): number {
    let held = 0
    for (const pot of this.pots.values()) if (pot.holds(member) > 0) held++
    return held
  }

  readonly ask = (
    member: Member,
    asks: ReadonlyArray<QuotaRequest>
  ): Effect.Effect<ReadonlyArray<QuotaGrant>, StoreUnavailable> =>
    Effect.forEach(asks, (ask) => this.askOne(member, ask), { concurrency: "unbounded" })

  private readonly askOne = Effect.fnUntraced({ self: this }, function* (member: Member, ask: QuotaRequest) {
    const pot = yield* this.opened(ask.share)
    if (!ask.isOwed) pot.limit = ask.limit
    const first = this.grant(pot, member, ask)
    const missing = ask.isOwed ? -pot.room(pot.limit ?? ask.limit, this.now()) : ask.need - first
    const others = missing <= 0 ? [] : pot.others(member)
    if (others.length === 0) return this.answer(pot, ask, first, Number.POSITIVE_INFINITY)
    this.recalls++
    const { share } = ask
    const rank = this.rankOf(member)
    const given = yield* Effect.forEach(
      others,
      (other) => called(other, { share, need: missing, goesFirst: rank < this.rankOf(other), isOverdrawn: ask.isOwed }),
      { concurrency: "unbounded" }
    )
    const freeInMs = given.reduce((least, one) => Math.min(least, one.freeInMs), Number.POSITIVE_INFINITY)
    if (ask.isOwed) return this.answer(pot, ask, first, freeInMs)
    const second = this.grant(pot, member, { ...ask, need: missing, want: Math.max(missing, ask.want - first) })
    return this.answer(pot, ask, first + second, freeInMs)
  })

  /** Nothing to a process that died while it asked. */
  private grant(pot: Pot<Member>, member: Member, { isOwed, limit, need, partly, want }: QuotaRequest): number {
    if (!this.members.has(member)) return 0
    if (isOwed) {
      pot.change(member, need)
      return need
    }
    const room = pot.room(limit, this.now())
    if (room <= 0 || (room < need && !partly)) return 0
    // The next who asks finds some, too.
    const fair = Math.floor(room / (2 * this.members.size))
    const amount = Math.min(room, Math.max(need, Math.min(want, fair)))
    pot.change(member, amount)
    return amount
  }

  private answer(pot: Pot<Member>, { limit }: QuotaRequest, amount: number, freeInMs: number): QuotaGrant {
    const now = this.now()
    return {
      amount,
      room: Math.max(0, pot.room(pot.limit ?? limit, now)),
      spent: pot.spent,
      freeInMs: Math.min(freeInMs, pot.freeInMs(now))
    }
  }

  given(member: Member, gives: ReadonlyArray<Give>): void {
    for (const { amount, share } of gives) this.pots.get(idOf(share))?.change(member, -amount)
  }

  /**
   * A request of a key and its team cost so much, of reservations made `at`. `taken`: the windows whose shares at `member` it has
   * left. Returns the windows that it counts in.
   */
  booked(
    member: Member | undefined,
    scopes: ReadonlyArray<string>,
    at: number,
    cost: number,
    taken: ReadonlyArray<{ readonly scope: string; readonly window: string; readonly start: number }>
  ): ReadonlyArray<ShareName> {
    if (cost === 0) return []
    const counted: Array<ShareName> = []
    for (const scope of scopes) {
      for (const pot of this.budgets.get(scope) ?? []) {
        if (at < pot.name.start || at >= pot.name.end) continue
        pot.spent += cost
        counted.push(pot.name)
      }
    }
    if (member === undefined) return counted
    for (const { scope, start, window } of taken) this.pots.get(`${scope}|${window}|${start}`)?.change(member, -cost)
    return counted
  }

  readonly spent = (share: ShareName): Effect.Effect<number, StoreUnavailable> =>
    Effect.map(this.opened(share), ({ spent }) => spent)

  /** The books of a limit; those of a budget know what was spent before. */
  private readonly opened = (share: ShareName): Effect.Effect<Pot<Member>, StoreUnavailable> =>
    Effect.suspend(() => {
      const now = this.now()
      const known = this.pots.get(idOf(share))
      if (known !== undefined) {
        known.usedAt = now
        return Effect.as(this.opening.get(known) ?? Effect.void, known)
      }
      const pot = new Pot<Member>(share, now)
      this.pots.set(idOf(share), pot, now)
      return pot.isBudget ? Effect.as(this.openBudget(pot), pot) : Effect.succeed(pot)
    })

  /** What is booked while the store is asked is counted on top of its answer: both are queued in the same order. */
  private openBudget(pot: Pot<Member>): Effect.Effect<void, StoreUnavailable> {
    const { scope } = pot.name
    const all = this.budgets.get(scope) ?? new Set()
    this.budgets.set(scope, all.add(pot))
    const opened = Effect.onExit(
      Effect.map(this.books.open(pot.name), (spent) => {
        pot.spent += spent
      }),
      (exit) =>
        Effect.sync(() => {
          this.opening.delete(pot)
          if (exit._tag === "Success") return
          this.pots.delete(idOf(pot.name))
          this.forget(pot)
        })
    )
    const shared = Effect.runSync(Effect.cached(opened))
    this.opening.set(pot, shared)
    return shared
  }

  private forget(pot: Pot<Member>): void {
    const all = this.budgets.get(pot.name.scope)
    all?.delete(pot)
    if (all?.size === 0) this.budgets.delete(pot.name.scope)
  }

  private rankOf(member: Member): number {
    return this.members.get(member) ?? Number.POSITIVE_INFINITY
  }

  private now(): number {
    return steadyMs(this.books.clock)
  }
}

const idOf = ({ kind, scope, start }: ShareName): string => `${scope}|${kind}|${start}`

/** Who does not answer in time keeps what it holds until it does. */
const called = (member: Member, call: QuotaCall): Effect.Effect<Given> =>
  Effect.map(Effect.timeoutOption(member.call(call), CALL_WAIT_MS), (given) =>
    given._tag === "Some" ? given.value : { amount: 0, freeInMs: CALL_WAIT_MS }
  )
