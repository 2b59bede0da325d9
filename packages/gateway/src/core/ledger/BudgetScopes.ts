/** The budgets of all scopes that this process knows, updated when they are used. */
import { type Clock, Effect, Semaphore } from "effect"
import { IdleMap } from "../collections/IdleMap.ts"
import type { Budget } from "../domain/Budget.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { SharedGrants } from "../grants/Grants.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { Caller } from "../keys/Caller.ts"
import type { Budgeted } from "../keys/KeyRepository.ts"
import { covers } from "../keys/CallerScope.ts"
import type { BudgetWindow } from "./BudgetWindow.ts"
import type { LedgerJournal } from "./LedgerJournal.ts"
import { type ScopeWithBudgets, ScopeBudgets } from "./ScopeBudgets.ts"

/** A key or team that was not used for this long is dropped from memory and read again on its next use. */
const FORGET_AFTER_MS = 600_000

const END_USER = "end_user:"

/** Scopes that are looked at between two pauses, which takes a few milliseconds. */
const LOOKED_AT_ONCE = 5_000

interface Surroundings {
  readonly journal: LedgerJournal["Service"]
  readonly clock: Clock.Clock
  /** Undefined where this process owns all budgets. */
  readonly grants: SharedGrants | undefined
  /** Counts ended attempts that are not queued in the store yet in new windows. */
  readonly chargeUnbooked: () => void
}

type ReadScope = Omit<ScopeWithBudgets, "of">

export class BudgetScopes {
  private readonly around: Surroundings
  private readonly scopes = new IdleMap<ScopeBudgets>(
    ({ open, usedAt }, now) => open === 0 && Math.abs(now - usedAt) > FORGET_AFTER_MS,
    ({ known }) => this.leave(known)
  )
  // Shared locks: one for each scope would cost more than the scope.
  private readonly reading = Array.from({ length: 256 }, () => Semaphore.makeUnsafe(1))
  private made = 0
  readonly keepSmall: Effect.Effect<never>

  constructor(around: Surroundings) {
    this.around = around
    this.keepSmall = this.scopes.keepSmall(() => around.clock.currentTimeMillisUnsafe())
  }

  of(name: string, now: number): ScopeBudgets {
    let scope = this.scopes.get(name)
    if (scope === undefined) {
      scope = new ScopeBudgets(name, now, this.reading[this.made++ % this.reading.length]!)
      this.scopes.set(name, scope, now)
    }
    scope.usedAt = now
    return scope
  }

  /** The current windows in memory; `windowsOf` includes past ones. */
  currentOf(name: string): ReadonlyArray<BudgetWindow> {
    return this.scopes.get(name)?.windows ?? []
  }

  readonly windowsOf = (name: string): ReadonlyArray<BudgetWindow> => this.scopes.get(name)?.known ?? []

  /** All windows in memory, of every scope. */
  all(): ReadonlyArray<BudgetWindow> {
    return Array.from(this.scopes.values(), ({ known }) => known).flat()
  }

  /**
   * The end users with the fullest budgets among those that this process remembers: they made a request in the last ten minutes.
   * `used`: the share of a budget that counts; undefined: it is left out. Pauses for other work, as there may be a million.
   */
  readonly fullestEndUsers = Effect.fnUntraced(
    { self: this },
    function* (used: (of: Budgeted, window: BudgetWindow) => number | undefined, most: number) {
      let fullest: Array<{ readonly of: Budgeted; readonly used: number }> = []
      const cut = () => (fullest = fullest.sort((a, b) => b.used - a.used).slice(0, most))
      for (const [index, scope] of Array.from(this.scopes.values()).entries()) {
        if (index % LOOKED_AT_ONCE === 0) yield* Effect.yieldNow
        if (!scope.name.startsWith(END_USER) || scope.budgets === undefined) continue
        const id = scope.name.slice(END_USER.length)
        const [owner = ""] = id.split("/").map(decodeURIComponent)
        const team = owner.startsWith("team:") ? owner.slice(5) : null
        const of = { scope: "end_user", id, name: null, team, budgets: scope.budgets } as const
        const shares = scope.windows.flatMap((window) => used(of, window) ?? [])
        if (shares.length > 0) fullest.push({ of, used: Math.max(...shares) })
        if (fullest.length > 2 * most) cut()
      }
      return cut().map(({ of }) => of)
    }
  )

  readonly budgetsOf = (name: string): ReadonlyArray<Budget> => this.scopes.get(name)?.budgets ?? []

  /** All scopes with budgets that count a request to the deployment. */
  heldBy({ key, more = [], team }: Caller, deployment: Deployment, now: number): ReadonlyArray<ScopeWithBudgets> {
    const held: Array<ScopeWithBudgets> = []
    const add = (name: string, of: ScopeWithBudgets["of"], budgets: ReadonlyArray<Budget>) => {
      if (budgets.length > 0) held.push({ scope: this.of(name, now), of, budgets })
    }
    add(`key:${key.id}`, { scope: "key", subject: key.id }, key.budgets)
    if (team !== undefined) add(`team:${team.name}`, { scope: "team", subject: team.name }, team.budgets)
    for (const of of more) if (covers(of, deployment)) add(of.name, of, of.budgets)
    return held
  }

  /** Updates all scopes to one time, which it returns. While one is read, another may change and the clock may move. */
  readonly current = (held: ReadonlyArray<ReadScope>): Effect.Effect<number, StoreUnavailable> =>
    this.becomeCurrent(held)

  private readonly becomeCurrent = Effect.fnUntraced({ self: this }, function* (held: ReadonlyArray<ReadScope>) {
    while (true) {
      const now = this.around.clock.currentTimeMillisUnsafe()
      const stale = held.find(({ budgets, scope }) => !scope.isCurrent(budgets, now))
      if (stale === undefined) return now
      yield* this.refresh(stale)
    }
  })

  /** Brings a scope's windows up to date with its budgets and the clock. Reads only windows from the store that are not known yet. */
  private readonly refresh = Effect.fnUntraced(
    { self: this },
    function* ({ budgets, scope }: ReadScope) {
      const { chargeUnbooked, clock, grants, journal } = this.around
      const before = scope.known
      scope.turnTo(budgets, clock.currentTimeMillisUnsafe(), grants !== undefined)
      this.leave(before.filter((window) => !scope.known.includes(window)))
      chargeUnbooked()
      // Marked as opened before the read: settlements during the read add to `spent`, on top of the store's answer. This is why
      // the store is asked for all of them in one step.
      const unread = scope.windows.filter((window) => !window.opened)
      const open = ({ charge, share }: BudgetWindow) =>
        share === undefined ? journal.openWindow(charge) : Effect.succeed(0)
      // A fiber for each costs more than the read, and an end user has one.
      const known =
        unread.length === 1
          ? [yield* open(unread[0]!)]
          : yield* Effect.forEach(unread, open, { concurrency: "unbounded" })
      for (const [index, window] of unread.entries()) {
        window.spent += known[index]!
        window.opened = true
      }
      for (const window of scope.windows) if (grants !== undefined) window.shareLimit(grants)
      scope.budgets = budgets
    },
    (effect, { scope }) => scope.reading.withPermit(effect),
    Effect.uninterruptible
  )

  /** Gives back the free quota of forgotten windows. */
  private leave(windows: ReadonlyArray<BudgetWindow>): void {
    const { grants } = this.around
    if (grants === undefined) return
    for (const { reserved, share } of windows) share?.leave(share.amount - reserved, grants)
  }
}
