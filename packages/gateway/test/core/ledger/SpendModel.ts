/**
 * The ledger in its plainest form: a list of rows, summed up anew for every question. What a budget window has spent is the cost
 * of the rows that began in it or held it; what is reserved is the worst case of the open rows that hold it.
 */
import { spanAt } from "../../../src/core/ledger/BudgetWindow.ts"
import type { Budget } from "../../../src/core/domain/Budget.ts"

export interface ModelRow {
  readonly scopes: ReadonlyArray<string>
  readonly at: number
  readonly amount: number
  /** The windows it holds, by name. */
  holds: ReadonlySet<string>
  state: "open" | "closed"
  cost: number
}

interface ModelWindow {
  readonly scope: string
  readonly name: string
  readonly limit: number
  readonly start: number
  readonly end: number
}

export class SpendModel {
  rows: Array<ModelRow> = []

  windows(scope: string, budgets: ReadonlyArray<Budget>, now: number): ReadonlyArray<ModelWindow> {
    return budgets.map((budget) => {
      const zone = budget.window === "total" ? "" : budget.timeZone
      const key = `${scope} ${budget.window} ${zone}`
      const span = quickSpanAt(budget, now)
      return { scope, name: `${key} ${span.start}`, limit: budget.limit, ...span }
    })
  }

  spent({ end, name, scope, start }: ModelWindow): number {
    return this.rows
      .filter((row) => row.scopes.includes(scope) && ((row.at >= start && row.at < end) || row.holds.has(name)))
      .reduce((sum, row) => sum + row.cost, 0)
  }

  reserved({ name }: ModelWindow): number {
    return this.rows
      .filter((row) => row.state === "open" && row.holds.has(name))
      .reduce((sum, row) => sum + row.amount, 0)
  }

  room(window: ModelWindow): number {
    return window.limit - this.spent(window) - this.reserved(window)
  }

  open(scopes: ReadonlyArray<string>, windows: ReadonlyArray<ModelWindow>, at: number, amount: number): ModelRow {
    const holds = new Set(windows.map((window) => window.name))
    const row: ModelRow = { scopes, at, amount, holds, state: "open", cost: 0 }
    this.rows.push(row)
    return row
  }

  close(row: ModelRow, cost: number): void {
    row.state = "closed"
    row.cost = cost
  }

  /** The process died: what was open is booked at its worst case. */
  restart(): void {
    for (const row of this.rows) if (row.state === "open") this.close(row, row.amount)
  }
}

const spans = new Map<string, ReturnType<typeof spanAt>>()

/** In the zones of this test every window begins with a full hour. */
export const quickSpanAt = (budget: Budget, now: number) => {
  const key = `${budget.window} ${budget.timeZone} ${Math.floor(now / 3_600_000)}`
  const known = spans.get(key) ?? spanAt(budget, now)
  spans.set(key, known)
  return known
}
