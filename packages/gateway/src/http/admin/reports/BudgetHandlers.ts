/** `/admin/budgets`. */
import { type BudgetUse, ServedApi } from "@model-gateway/protocol"
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { KeyStore } from "../../../core/keys/KeyStore.ts"
import { type FullestBudget, fullestBudgets, shownId } from "../../../core/ledger/FullestBudgets.ts"
import { SpendLedger } from "../../../core/ledger/SpendLedger.ts"
import { CurrentPrincipal } from "../../../core/domain/Principal.ts"
import { answering } from "../../shared/Answer.ts"
import { rfc3339 } from "../../errors/WireFormat.ts"
import { DEFAULT_PAGE, listOf, type QueryOf } from "../AdminPages.ts"
import { wireBudget } from "../../records/Limits.ts"

export const budgetHandlers = HttpApiBuilder.group(
  ServedApi,
  "budgets",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* KeyStore
    const ledger = yield* SpendLedger

    const list = Effect.fnUntraced(function* ({
      limit = DEFAULT_PAGE,
      min_used: minUsed = 0,
      scope
    }: QueryOf<"listBudgets">) {
      const now = yield* Clock.currentTimeMillis
      const { visibility } = yield* CurrentPrincipal
      const { budgets, hasMore } = yield* fullestBudgets(keys, ledger, { visibility, scope, minUsed, limit }, now)
      return { ...listOf(budgets.map(wireUse)), has_more: hasMore }
    })

    return handlers.handle("listBudgets", ({ query }) => answering(list(query)))
  })
)

export const wireUse = ({ of, runsOutAt, ...state }: FullestBudget): BudgetUse => ({
  scope: of.scope,
  id: shownId(of),
  name: of.name,
  ...wireBudget(state),
  used: Number((state.spent / state.limit).toFixed(6)),
  runs_out_at: runsOutAt === null ? null : rfc3339(runsOutAt)
})
