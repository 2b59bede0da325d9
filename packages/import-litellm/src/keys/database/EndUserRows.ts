/** LiteLLM's end users, and what one has for whom nothing was set. */
import { Schema } from "effect"
import { EndUserId } from "@model-gateway/protocol"
import type { ScopeTemplate } from "@model-gateway/gateway/internal/core/domain/Budget"
import { nanoToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import { endUserColumns } from "../columns/OwnerColumns.ts"
import { type Draft, emptyDraft, type EndUserCandidate } from "../Draft.ts"
import { RowAccount } from "../KeysAccount.ts"
import { rulesOf } from "../ModelRules.ts"
import { type ReadOptions, readRow, type Row } from "../ReadKeys.ts"
import { budgetsOf, limitsOf } from "../Spent.ts"

/** What a budget gives, read into the draft of whoever has it. */
type Inherit = (draft: Draft, budget: Draft) => void

/** Of the row of an end user, or of the default for all. */
const ownOf = (draft: Draft, options: ReadOptions) => {
  const { budgets, spent } = budgetsOf(draft, options)
  const { isNothing, limits } = limitsOf(draft)
  const own: ScopeTemplate = { limits, budgets, modelRules: rulesOf(draft, options) }
  return { own, spent, isBlocked: draft.isBlocked || isNothing }
}

export const endUsersIn = (
  rows: ReadonlyArray<Row>,
  budgets: ReadonlyMap<string, Draft>,
  inherit: Inherit,
  options: ReadOptions
) => {
  const found: Array<EndUserCandidate> = []
  const used = new Set<Draft>()
  const accounts: Array<RowAccount> = []
  for (const row of rows) {
    const draft = readRow(row, endUserColumns, "the end user is blocked", options)
    const { account, ids } = draft
    accounts.push(account)
    const id = ids.get("user_id") ?? ""
    const budget = budgets.get(ids.get("budget_id") ?? "")
    if (budget === undefined && ids.has("budget_id"))
      account.leftOut("budget_id", "LiteLLM has no such budget any more")
    if (budget !== undefined) {
      used.add(budget)
      inherit(draft, budget)
    }
    if (!Schema.is(EndUserId)(id)) {
      account.leftOut("user_id", "the id of an end user is 1 to 256 bytes without control characters")
    } else if (budget === undefined && !draft.isBlocked) {
      account.notNeeded("user_id", "nothing was set: `per_end_user` of its key or team holds from the first request")
      if (draft.spend > 0) account.notNeeded("spend", "no budget of its own counts it")
    } else {
      const { isBlocked, own, spent } = ownOf(draft, options)
      account.carried("user_id")
      found.push({ id, name: draft.name, isBlocked, own: budget === undefined ? null : own, spent })
    }
  }
  return { found, used, accounts }
}

/** `litellm_settings.max_end_user_budget_id`: what each end user has. */
export const perEndUserOf = (
  id: string,
  budget: Draft | undefined,
  inherit: Inherit,
  options: ReadOptions
): { readonly template: ScopeTemplate | null; readonly account: RowAccount } => {
  const account = new RowAccount({ table: "LiteLLM_BudgetTable", row: id.slice(0, 80) })
  const column = "max_end_user_budget_id"
  if (budget === undefined) {
    account.wrong(column, "--end-user-budget names it, and LiteLLM has no such budget")
    return { template: null, account }
  }
  const draft = emptyDraft(account, "the end user is blocked")
  inherit(draft, budget)
  const { isBlocked, own } = ownOf(draft, options)
  const [first] = own.budgets
  account.changed(
    column,
    `\`per_end_user\` of each key${first === undefined ? "" : `: ${nanoToDecimal(first.limit)} USD`}`
  )
  if (isBlocked) account.wrong(column, "it lets nothing through, which no template can say")
  return { template: own, account }
}
