/** Budget windows: computed from the clock in the budget's time zone, never reset by a job. */
import { DateTime } from "effect"
import type { Budget, WindowCharge } from "./Store.ts"
import type { NanoUsd } from "./Money.ts"

/** Epoch ms; `end` is exclusive, Infinity for `total`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The window of a budget that holds `now`. Weeks begin on Monday. */
export const spanAt = (budget: Budget, now: number): Span => {
  if (budget.window === "total") return { start: 0, end: Number.POSITIVE_INFINITY }
  const zoned = DateTime.makeZonedUnsafe(now, { timeZone: budget.timeZone })
  const start = DateTime.startOf(zoned, budget.window, { weekStartsOn: 1 })
  const end = DateTime.add(start, { [`${budget.window}s`]: 1 })
  return { start: DateTime.toEpochMillis(start), end: DateTime.toEpochMillis(end) }
}

/** One budget of one key or team in the window that holds the present: what is spent, and what requests in flight hold. */
export class BudgetWindow {
  /** Its limit may change while the window goes on. */
  budget: Budget
  /** `spent` holds what the store knows too. */
  opened = false
  readonly scope: string
  readonly start: number
  readonly end: number
  spent: NanoUsd = 0
  reserved: NanoUsd = 0

  constructor(scope: string, budget: Budget, span: Span) {
    this.scope = scope
    this.budget = budget
    this.start = span.start
    this.end = span.end
  }

  withLimit(budget: Budget): this {
    this.budget = budget
    return this
  }

  get room(): NanoUsd {
    return this.budget.limit - this.spent - this.reserved
  }

  /** How the window is known in the store. */
  get charge(): WindowCharge {
    const { window, timeZone } = this.budget
    return { scope: this.scope, window: window === "total" ? "total" : `${window}@${timeZone}`, start: this.start }
  }
}
