/** The current and past budget windows of a key, a team or another scope. */
import type { Semaphore } from "effect"
import type { CallerScope } from "../keys/CallerScope.ts"
import { BudgetWindow, limitAt, limitSpan, spanAt, windowName, type WindowSpan } from "./BudgetWindow.ts"
import type { Budget } from "../domain/Budget.ts"

/** The budgets of one key or team, each with its current window. */
export class ScopeBudgets {
  readonly name: string
  /** The budgets of `windows`; undefined before they are read. */
  budgets: ReadonlyArray<Budget> | undefined
  windows: ReadonlyArray<BudgetWindow> = []
  /** The time for which the windows have the right limits. */
  private limits: WindowSpan | undefined
  /**
   * All windows in memory, including those of removed budgets: such a budget may be restored while requests still reserve part of
   * it.
   */
  known: ReadonlyArray<BudgetWindow> = []
  /** Requests that are not recorded yet. While there are any, this object must stay the only one of its scope. */
  open = 0
  /** Epoch ms. */
  usedAt: number
  /** Held while windows are read. Many scopes share one. */
  readonly reading: Semaphore.Semaphore

  constructor(name: string, now: number, reading: Semaphore.Semaphore) {
    this.name = name
    this.usedAt = now
    this.reading = reading
  }

  isCurrent(budgets: ReadonlyArray<Budget>, now: number): boolean {
    if (this.budgets !== budgets || this.limits === undefined) return false
    if (now < this.limits.start || now >= this.limits.end) return false
    for (const window of this.windows) if (!window.covers(now) || !window.opened || window.isOver) return false
    return true
  }

  /**
   * Selects the window of each budget that contains `now`, even if the clock went back. Other windows are kept while requests
   * reserve part of them, since the store does not know that. When the clock returns to one, its spend is read from the store.
   */
  turnTo(budgets: ReadonlyArray<Budget>, now: number, isShared = false): void {
    const kept = this.known.filter((window) => window.opened && (window.covers(now) || window.reserved > 0))
    this.limits = limitSpan(budgets, now)
    this.windows = budgets.map((budget) => {
      const limit = limitAt(budget, now)
      const same = kept.findLast((window) => isSameWindow(window.budget, budget) && window.covers(now))
      return same?.withLimit(budget, limit) ?? new BudgetWindow(this.name, budget, spanAt(budget, now), isShared, limit)
    })
    this.known = kept.length === 0 ? this.windows : [...new Set([...kept, ...this.windows])]
  }
}

/** A scope with its budgets for one caller. */
export interface ScopeWithBudgets {
  readonly scope: ScopeBudgets
  /** Its name in errors. */
  readonly of: Pick<CallerScope, "scope" | "subject" | "match">
  readonly budgets: ReadonlyArray<Budget>
}

const isSameWindow = (a: Budget, b: Budget) => windowName(a) === windowName(b)
