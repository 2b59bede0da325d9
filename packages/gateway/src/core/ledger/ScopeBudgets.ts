/** Which windows the budgets of a key or a team have now, and which they had. */
import type { Semaphore } from "effect"
import { BudgetWindow, spanAt, windowName } from "./BudgetWindow.ts"
import type { Budget } from "../domain/Budget.ts"

/** The budgets of one key or team, each in its present window. */
export class ScopeBudgets {
  readonly name: string
  /** The budgets that `windows` were made for; undefined until they are read. */
  budgets: ReadonlyArray<Budget> | undefined
  windows: ReadonlyArray<BudgetWindow> = []
  /** Those of budgets that were taken away too: a budget may come back while requests still hold a part of it. */
  known: ReadonlyArray<BudgetWindow> = []
  /** Requests whose money is not booked yet: for as long as there are any, no second one may be made for this key or team. */
  open = 0
  /** Epoch ms. */
  usedAt: number
  /** Held while its windows are read. Many scopes share one. */
  readonly reading: Semaphore.Semaphore

  constructor(name: string, now: number, reading: Semaphore.Semaphore) {
    this.name = name
    this.usedAt = now
    this.reading = reading
  }

  isCurrent(budgets: ReadonlyArray<Budget>, now: number): boolean {
    if (this.budgets !== budgets) return false
    for (const window of this.windows) if (!window.covers(now) || !window.opened) return false
    return true
  }

  /**
   * The window of each budget that holds `now`, whichever way the clock was moved. Others are kept while requests hold a part of
   * them, which the store does not know; what was spent in them is read from the store if the clock comes back to them.
   */
  turnTo(budgets: ReadonlyArray<Budget>, now: number): void {
    const kept = this.known.filter((window) => window.opened && (window.covers(now) || window.reserved > 0))
    this.windows = budgets.map((budget) => {
      const same = kept.findLast((window) => isSameWindow(window.budget, budget) && window.covers(now))
      return same?.withLimit(budget) ?? new BudgetWindow(this.name, budget, spanAt(budget, now))
    })
    this.known = kept.length === 0 ? this.windows : [...new Set([...kept, ...this.windows])]
  }
}

/** A scope, with its budgets as a caller has them. */
export interface Held {
  readonly scope: ScopeBudgets
  readonly budgets: ReadonlyArray<Budget>
}

const isSameWindow = (a: Budget, b: Budget) => windowName(a) === windowName(b)
