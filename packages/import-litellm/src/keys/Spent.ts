/** The budgets of a row, and what counts of what was spent. */
import { DateTime, Result } from "effect"
import type { Budget, Limits } from "@model-gateway/gateway/internal/core/domain/Budget"
import { MAX_BUDGET_USD, type NanoUsd, usdToNano } from "@model-gateway/gateway/internal/core/domain/Money"
import { spanAt } from "@model-gateway/gateway/internal/core/ledger/BudgetWindow"
import type { RowAccount } from "./KeysAccount.ts"
import { amountOf, windowOf } from "./LitellmBudgets.ts"
import type { Draft } from "./Draft.ts"
import { smallest } from "./ModelRules.ts"

interface Times {
  readonly timeZone: string
  /** Epoch ms. */
  readonly now: number
}

/** The budget of the row and those of `budget_limits`; of one window the smaller amount holds. */
export const budgetsOf = (draft: Draft, options: Times): { budgets: ReadonlyArray<Budget>; spent: NanoUsd } => {
  const { account, moreBudgets } = draft
  const own = ownBudget(draft, options)
  let spent = 0
  if (draft.spend > 0 && own === undefined) account.notNeeded("spend", "no budget counts it")
  else if (draft.spend > 0 && draft.budgetResetAt !== undefined && draft.budgetResetAt <= options.now) {
    account.notNeeded("spend", "the window that it was spent in is over")
  } else if (draft.spend > 0) {
    spent = usdToNano(Math.min(draft.spend, MAX_BUDGET_USD))
    account.carried("spend")
  }
  resetOf(draft, own, options.now)
  return { budgets: smallest(own === undefined ? moreBudgets : [...moreBudgets, own]), spent }
}

/** Windows follow from the clock: the report names the two times where LiteLLM would start the budget anew at another one. */
const resetOf = ({ account, budgetResetAt }: Draft, own: Budget | undefined, now: number): void => {
  if (own === undefined || own.window === "total" || budgetResetAt === undefined || budgetResetAt <= now) return
  const { end } = spanAt(own, now)
  if (end === budgetResetAt) return account.carried("budget_reset_at")
  const [here, there] = [end, budgetResetAt].map((at) => DateTime.formatIso(DateTime.makeUnsafe(at)))
  account.changed("budget_reset_at", `the budget starts anew at ${here}, in LiteLLM it would at ${there}`)
}

const ownBudget = (draft: Draft, { timeZone }: Times): Budget | undefined => {
  const { account, budgetDuration, budgetFrom, disabled, maxBudget } = draft
  const amount = maxBudget === undefined ? undefined : amountOf(maxBudget)
  if (amount === undefined || amount.limit === 0) {
    if (budgetDuration !== undefined) account.notNeeded(budgetFrom.duration, "there is no amount for it")
    if (amount === undefined) return undefined
    draft.isBlocked = true
    account.changed(budgetFrom.amount, `it lets nothing be spent: ${disabled}`)
    return undefined
  }
  const mapped = budgetDuration === undefined ? undefined : windowOf(budgetDuration)
  const { change, window } =
    mapped !== undefined && Result.isSuccess(mapped) ? mapped.success : { window: "total" as const, change: "" }
  say(account, budgetFrom.amount, amount.change)
  if (budgetDuration !== undefined) say(account, budgetFrom.duration, change)
  return { limit: amount.limit, window, timeZone: window === "total" ? "UTC" : timeZone }
}

/** Those that let something through; whether one lets nothing. */
export const limitsOf = ({ limits }: Draft): { readonly limits: Limits; readonly isNothing: boolean } => {
  const orNone = (limit: number | undefined) => (limit === 0 ? undefined : limit)
  const { maxParallel, rpm, tpm } = limits
  return {
    limits: { rpm: orNone(rpm), tpm: orNone(tpm), maxParallel: orNone(maxParallel) },
    isNothing: [rpm, tpm, maxParallel].includes(0)
  }
}

const say = (account: RowAccount, column: string, change: string): void =>
  change === "" ? account.carried(column) : account.changed(column, change)
