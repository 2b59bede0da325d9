/** How a change of budgets affects the windows in Postgres. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { Budget } from "../../../core/domain/Budget.ts"
import { windowName } from "../../../core/ledger/BudgetWindow.ts"
import type { FlushQueue } from "../ledger/Flusher.ts"

/** Runs in the transaction of the change. `before` is the budgets as JSON. */
export type ForgetWindows = (
  scope: string,
  before: string | undefined,
  after: ReadonlyArray<Budget>
) => Effect.Effect<void, SqlError.SqlError>

/** Drops the marks of windows whose budgets are not in force before and after the change, to compute them anew. */
export const makeForgetWindows =
  (sql: PgClient, flusher: FlushQueue): ForgetWindows =>
  (scope, before, after) => {
    const old = before === undefined ? [] : (JSON.parse(before) as ReadonlyArray<Budget>)
    const had = new Set(old.map(windowName))
    const kept = JSON.stringify(after.map(windowName).filter((name) => had.has(name)))
    return sql`DELETE FROM budget_windows
      WHERE scope = ${scope} AND "window" NOT IN (SELECT json_array_elements_text(${kept}::json))`.pipe(
      Effect.andThen(Effect.sync(() => flusher.forgetMarks()))
    )
  }
