/** Columns that more than one of LiteLLM's tables has: models, limits, budgets. */
import { Result, Schema } from "effect"
import { ModelPattern } from "@model-gateway/protocol"
import { amountOf, windowOf } from "../LitellmBudgets.ts"
import type { Draft } from "../Draft.ts"
import { isObject, json, list, number, time, whole } from "../ColumnValues.ts"
import { type Column, read, plain } from "./Column.ts"
import { modelMaxBudget } from "./ModelColumns.ts"

const limit = (of: keyof Draft["limits"], most: number): Column =>
  read(whole, (value, draft, name) => {
    const { account, disabled, limits } = draft
    if (value < 0) return account.wrong(name, `${value} is less than nothing`)
    limits[of] = Math.min(value, most)
    if (value === 0) account.changed(name, `0 lets nothing through: ${disabled}`)
    else if (value > most) account.changed(name, `the largest limit there is: ${most}`)
    else account.carried(name)
  })

export const limits = [
  ["max_parallel_requests", limit("maxParallel", 100_000)],
  ["rpm_limit", limit("rpm", 1_000_000)],
  ["tpm_limit", limit("tpm", 1_000_000_000_000)],
  ["tpd_limit", read(whole, (_, draft, name) => draft.account.looser(name, "there are no limits of tokens a day"))]
] as const satisfies ReadonlyArray<readonly [string, Column]>

const ALL = new Set(["all-proxy-models", "all-team-models", "*"])
const NONE = "no-default-models"
const MOST_MODELS = 500

export const models: readonly [string, Column] = [
  "models",
  read(list, (items, draft, name) => {
    const { account } = draft
    const named = items.filter((item) => !ALL.has(item) && item !== NONE)
    const known = named.filter((item) => Schema.is(ModelPattern)(item))
    if (named.length > 0 && known.length === 0) return account.forbids(name, "no name here can be a model's")
    if (items.includes(NONE) && named.length === 0) {
      return account.forbids(name, "no-default-models: it may use none, which no key here can say")
    }
    draft.hasTeamsModels = items.includes("all-team-models")
    // A list that names everything beside others is everything.
    draft.models = items.some((item) => ALL.has(item)) ? [] : [...new Set(known)].slice(0, MOST_MODELS)
    if (known.length < named.length || known.length > MOST_MODELS)
      account.changed(name, "names that no model can have are left out")
    else if (items.length > 0) account.carried(name)
  })
]

export const budgets = [
  [
    "max_budget",
    read(number, (value, draft, name) => {
      if (value < 0) return draft.account.wrong(name, `${value} is less than nothing`)
      draft.maxBudget = value
    })
  ],
  [
    "budget_duration",
    read(plain, (text, draft, name) => {
      const window = windowOf(text)
      if (Result.isFailure(window)) return draft.account.wrong(name, `it should be ${window.failure}`)
      draft.budgetDuration = text.trim()
    })
  ],
  [
    "budget_reset_at",
    read(time, (value, draft, name) => {
      draft.budgetResetAt = value
      draft.account.notNeeded(name, "windows follow from the clock")
    })
  ],
  modelMaxBudget
] as const satisfies ReadonlyArray<readonly [string, Column]>

export const spend: readonly [string, Column] = [
  "spend",
  read(number, (value, draft, name) => {
    // Refunds of other systems: less than nothing is nothing spent.
    if (value < 0) draft.account.changed(name, "less than nothing counts as nothing")
    draft.spend = Math.max(0, value)
  })
]

export const budgetLimits: readonly [string, Column] = [
  "budget_limits",
  read(json, (value, draft, name, timeZone) => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return
    if (!Array.isArray(value)) return draft.account.looser(name, "these budgets have a form that is not known")
    for (const entry of value) {
      const { budget_duration: duration, max_budget: amount } = isObject(entry) ? entry : {}
      const window = typeof duration === "string" ? windowOf(duration) : Result.fail("")
      if (typeof amount !== "number" || amount <= 0 || Result.isFailure(window)) {
        return draft.account.looser(name, "these budgets have a form that is not known")
      }
      draft.moreBudgets.push({ limit: amountOf(amount).limit, window: window.success.window, timeZone })
    }
    draft.account.changed(name, "what is spent of these budgets is not in this table, so they begin anew")
  })
]
