/** What a change of budgets means for the windows in the store. */
import type { DatabaseSync } from "node:sqlite"
import { windowName } from "../../../core/ledger/BudgetWindow.ts"
import type { Budget } from "../../../core/domain/Budget.ts"

/**
 * Drops the windows of budgets that are not there before and after the change: without a budget nobody charges them, and one that
 * comes back is counted anew. So every window of a budget in force holds all that it should, and `ledger verify` can insist on it.
 */
export const forgetWindows = (db: DatabaseSync, scope: string, before: unknown, after: ReadonlyArray<Budget>): void => {
  const old = typeof before === "string" ? (JSON.parse(before) as ReadonlyArray<Budget>) : []
  const had = new Set(old.map(windowName))
  const kept = JSON.stringify(after.map(windowName).filter((name) => had.has(name)))
  db.prepare(`DELETE FROM budget_windows WHERE scope = ? AND "window" NOT IN (SELECT value FROM json_each(?))`).run(
    scope,
    kept
  )
}
