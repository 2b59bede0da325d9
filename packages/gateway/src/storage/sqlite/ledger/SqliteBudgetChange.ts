/** How a change of budgets affects the windows in the store. */
import type { DatabaseSync } from "node:sqlite"
import { windowName } from "../../../core/ledger/BudgetWindow.ts"
import type { Budget } from "../../../core/domain/Budget.ts"

/** Drops the windows of budgets that are not in force before and after the change: `ledger verify` needs complete windows. */
export const forgetWindows = (db: DatabaseSync, scope: string, before: unknown, after: ReadonlyArray<Budget>): void => {
  const old = typeof before === "string" ? (JSON.parse(before) as ReadonlyArray<Budget>) : []
  const had = new Set(old.map(windowName))
  const kept = JSON.stringify(after.map(windowName).filter((name) => had.has(name)))
  db.prepare(`DELETE FROM budget_windows WHERE scope = ? AND "window" NOT IN (SELECT value FROM json_each(?))`).run(
    scope,
    kept
  )
}
