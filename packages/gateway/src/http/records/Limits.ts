/** Converts limits and budgets between the wire and the rules. */
import type { Budget as WireBudget, BudgetInput, LimitsInput } from "@model-gateway/protocol"
import { DateTime } from "effect"
import { nanoToUsd, usdToNano } from "../../core/domain/Money.ts"
import type { BudgetState } from "../../core/ledger/SpendLedger.ts"
import type { Budget, Limits } from "../../core/domain/Budget.ts"
import { rfc3339 } from "../errors/WireFormat.ts"

export const wireLimits = (limits: Limits) => ({
  rpm: limits.rpm ?? null,
  tpm: limits.tpm ?? null,
  max_parallel: limits.maxParallel ?? null
})

const none: Limits = { rpm: undefined, tpm: undefined, maxParallel: undefined }

/** `before`: limits that are not named keep these values. */
export const toLimits = (input: LimitsInput, before: Limits = none): Limits => ({
  rpm: input.rpm === undefined ? before.rpm : (input.rpm ?? undefined),
  tpm: input.tpm === undefined ? before.tpm : (input.tpm ?? undefined),
  maxParallel: input.max_parallel === undefined ? before.maxParallel : (input.max_parallel ?? undefined)
})

/** Undefined if neither the budgets nor their short form is given; null means none. */
export const toBudgets = (body: {
  readonly budgets?: ReadonlyArray<BudgetInput> | null
  readonly budget_usd?: number | null
}): ReadonlyArray<Budget> | undefined => {
  const short = body.budget_usd === undefined || body.budget_usd === null ? body.budget_usd : [{ usd: body.budget_usd }]
  const given = body.budgets === undefined ? short : body.budgets
  return given === undefined ? undefined : (given ?? []).map(toBudget)
}

export const toBudget = ({ time_zone = "UTC", usd, window = "total" }: BudgetInput): Budget => ({
  limit: usdToNano(usd),
  window,
  // One spelling, so that `utc` and `UTC` are one window in the store.
  timeZone: DateTime.zoneToString(DateTime.zoneMakeNamedUnsafe(time_zone))
})

/** As it was given, without what was spent of it. */
export const budgetInput = ({ limit, timeZone, window }: Budget) => ({
  usd: nanoToUsd(limit),
  window,
  time_zone: timeZone
})

export const wireBudget = ({ budget, reserved, resetsAt, spent }: BudgetState): WireBudget => ({
  ...budgetInput(budget),
  spent_usd: nanoToUsd(spent),
  reserved_usd: nanoToUsd(reserved),
  remaining_usd: nanoToUsd(Math.max(0, budget.limit - spent - reserved)),
  resets_at: resetsAt === null ? null : rfc3339(resetsAt)
})
