/** Converts limits and budgets between the wire and the rules. */
import type { Budget as WireBudget, BudgetInput, LimitsInput } from "@model-gateway/protocol"
import { DateTime, Effect } from "effect"
import { nanoToUsd, usdToNano } from "../../core/domain/Money.ts"
import type { BudgetState } from "../../core/ledger/SpendLedger.ts"
import { InvalidField } from "../../core/domain/Errors.ts"
import { windowName } from "../../core/ledger/BudgetWindow.ts"
import type { Budget, BudgetRaise, Limits } from "../../core/domain/Budget.ts"
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
export const toBudgets = (
  body: {
    readonly budgets?: ReadonlyArray<BudgetInput> | null
    readonly budget_usd?: number | null
  },
  before: ReadonlyArray<Budget> = []
): ReadonlyArray<Budget> | undefined => {
  const short = body.budget_usd === undefined || body.budget_usd === null ? body.budget_usd : [{ usd: body.budget_usd }]
  const given = body.budgets === undefined ? short : body.budgets
  return given === undefined ? undefined : (given ?? []).map((one) => carried(toBudget(one), one, before))
}

/** A budget of the same window keeps its raises and its soft amount where the body does not name them. */
const carried = (budget: Budget, { raises, soft_usd }: BudgetInput, before: ReadonlyArray<Budget>): Budget => {
  const same = before.find((one) => windowName(one) === windowName(budget))
  return {
    ...budget,
    ...(raises === undefined && same?.raises !== undefined ? { raises: same.raises } : {}),
    ...(soft_usd === undefined && same?.soft !== undefined ? { soft: same.soft } : {})
  }
}

/** Fails where a new raise has ended before it began to count. */
export const checkRaises = (
  budgets: ReadonlyArray<BudgetInput> | null | undefined,
  before: ReadonlyArray<Budget>,
  now: number
): Effect.Effect<void, InvalidField> => {
  const known = new Set(before.flatMap(({ raises = [] }) => raises.map(({ until }) => until)))
  for (const [index, { raises = [] }] of (budgets ?? []).entries()) {
    const past = raises.findIndex(({ until }) => Date.parse(until) <= now && !known.has(Date.parse(until)))
    if (past >= 0) {
      const param = `budgets[${index}].raises[${past}].until`
      return Effect.fail(new InvalidField({ param, message: `\`${param}\`: Expected a time in the future.` }))
    }
  }
  return Effect.void
}

export const toBudget = ({ raises, soft_usd, time_zone = "UTC", usd, window = "total" }: BudgetInput): Budget => ({
  limit: usdToNano(usd),
  window,
  // One spelling, so that `utc` and `UTC` are one window in the store.
  timeZone: DateTime.zoneToString(DateTime.zoneMakeNamedUnsafe(time_zone)),
  ...(raises === undefined || raises.length === 0 ? {} : { raises: raises.map(toRaise) }),
  ...(soft_usd === undefined || soft_usd === null ? {} : { soft: usdToNano(soft_usd) })
})

const toRaise = ({ add_usd, from, reason = "", until }: NonNullable<BudgetInput["raises"]>[number]): BudgetRaise => ({
  add: usdToNano(add_usd),
  from: from === undefined ? 0 : Date.parse(from),
  until: Date.parse(until),
  reason
})

/** As it was given, without what was spent of it. */
export const budgetInput = ({ limit, raises, soft, timeZone, window }: Budget) => ({
  usd: nanoToUsd(limit),
  window,
  time_zone: timeZone,
  ...(raises === undefined ? {} : { raises: raises.map(wireRaise) }),
  ...(soft === undefined ? {} : { soft_usd: nanoToUsd(soft) })
})

const wireRaise = ({ add, from, reason, until }: BudgetRaise) => ({
  add_usd: nanoToUsd(add),
  ...(from === 0 ? {} : { from: rfc3339(from) }),
  until: rfc3339(until),
  ...(reason === "" ? {} : { reason })
})

export const wireBudget = ({ budget, limit, reserved, resetsAt, spent }: BudgetState): WireBudget => ({
  ...budgetInput(budget),
  spent_usd: nanoToUsd(spent),
  reserved_usd: nanoToUsd(reserved),
  remaining_usd: nanoToUsd(Math.max(0, limit - spent - reserved)),
  ...(limit === budget.limit ? {} : { raised_usd: nanoToUsd(limit - budget.limit) }),
  resets_at: resetsAt === null ? null : rfc3339(resetsAt)
})
