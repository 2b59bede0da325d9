/**
 * What LiteLLM holds single models to: `model_max_budget`, and `model_rpm_limit` and `model_tpm_limit` of metadata. Read in its
 * `proxy/hooks/model_max_budget_limiter.py` and `proxy/auth/auth_utils.py` (public repository, 2026-11-27).
 */
import { Result, Schema } from "effect"
import { ModelPattern } from "@model-gateway/protocol"
import type { Budget } from "@model-gateway/gateway/internal/core/domain/Budget"
import { isObject, json } from "../ColumnValues.ts"
import type { Draft, PerModel } from "../Draft.ts"
import { amountOf, type MappedWindow, windowOf } from "../LitellmBudgets.ts"
import { type Column, read } from "./Column.ts"

/** What is said where a value can't be carried over. */
interface Wrong {
  readonly wrong: string
}

/** The smallest limits that were given hold. */
export const holdModel = (
  { perModel }: Pick<Draft, "perModel">,
  name: string,
  { budgets = [], column, rpm, tpm }: Partial<PerModel>
): void => {
  const before = perModel.get(name)
  const least = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
  perModel.set(name, {
    column: before?.column ?? column ?? "model_max_budget",
    budgets: [...(before?.budgets ?? []), ...budgets],
    rpm: least(before?.rpm, rpm),
    tpm: least(before?.tpm, tpm)
  })
}

const MOST = { rpm: 1_000_000, tpm: 1_000_000_000_000 }

const limitOf = (value: unknown, of: keyof typeof MOST): number | undefined | Wrong => {
  if (value === undefined || value === null) return undefined
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) return { wrong: "its form is not known" }
  if (value === 0) return { wrong: "0 lets nothing through: take it out of `models` of the key" }
  return Math.min(value, MOST[of])
}

const budgetOf = (amount: unknown, duration: unknown, timeZone: string): Budget | undefined | Wrong => {
  if (amount === undefined || amount === null) return undefined
  const mapped: Result.Result<MappedWindow, string> =
    duration === undefined || duration === null
      ? Result.succeed({ window: "total", change: "" })
      : typeof duration === "string"
        ? windowOf(duration)
        : Result.fail("")
  if (typeof amount !== "number" || amount < 0 || Result.isFailure(mapped)) return { wrong: "its form is not known" }
  const { limit } = amountOf(amount)
  if (limit === 0) return { wrong: "0 lets nothing be spent: take it out of `models` of the key" }
  const { window } = mapped.success
  return { limit, window, timeZone: window === "total" ? "UTC" : timeZone }
}

const isWrong = (value: unknown): value is Wrong => isObject(value) && "wrong" in value

const entriesOf = (value: object): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(value).map(([name, one]) => [name.trim(), one])

const shown = (model: string): string => (Schema.is(ModelPattern)(model) ? model : "a name that no model can have")

/** `{ "gpt-4o": { "budget_limit": 5, "time_period": "1d" } }`; in old versions `{ "gpt-4o": 5 }`. */
export const modelMaxBudget: readonly [string, Column] = [
  "model_max_budget",
  read(json, (value, draft, name, timeZone) => {
    if (value === null || (isObject(value) && Object.keys(value).length === 0)) return
    const { account } = draft
    if (!isObject(value)) return account.looser(name, "these budgets have a form that is not known")
    const held: Array<string> = []
    for (const [model, given] of entriesOf(value)) {
      const one = typeof given === "number" ? { max_budget: given } : given
      if (!isObject(one) || !Schema.is(ModelPattern)(model)) {
        account.looser(name, `${shown(model)}: its form is not known`)
        continue
      }
      const duration = one["budget_duration"] ?? one["time_period"]
      const budget = budgetOf(one["max_budget"] ?? one["budget_limit"], duration, timeZone)
      const rpm = limitOf(one["rpm_limit"], "rpm")
      const tpm = limitOf(one["tpm_limit"], "tpm")
      const wrong = [budget, rpm, tpm].find(isWrong)
      if (wrong !== undefined) account.looser(name, `${model}: ${wrong.wrong}`)
      if (isWrong(budget) || isWrong(rpm) || isWrong(tpm)) continue
      if (budget === undefined && rpm === undefined && tpm === undefined) {
        account.leftOut(name, `${model}: there is no amount and no limit`)
        continue
      }
      const change =
        typeof duration === "string" && budget !== undefined ? Result.getOrThrow(windowOf(duration)).change : ""
      if (change !== "") account.changed(name, `${model}: ${change}`)
      holdModel(draft, model, { budgets: budget === undefined ? [] : [budget], column: name, rpm, tpm })
      held.push(model)
    }
    if (held.length > 0) {
      account.changed(
        name,
        `model rules for ${held.join(", ")}: what is spent of them is in another table, so they begin anew`
      )
    }
  })
]

const METADATA = new Map([
  ["model_rpm_limit", "rpm"],
  ["model_tpm_limit", "tpm"]
] as const)

/** `column`: with the name in the metadata. False: it is something else. */
export const readModelLimits = (inner: string, value: unknown, draft: Draft, column: string): boolean => {
  const of = METADATA.get(inner as "model_rpm_limit")
  if (of === undefined) return false
  const { account } = draft
  if (!isObject(value)) {
    account.looser(column, "these limits have a form that is not known")
    return true
  }
  account.carried(column)
  for (const [model, given] of entriesOf(value)) {
    const limit = Schema.is(ModelPattern)(model) ? limitOf(given, of) : { wrong: "its form is not known" }
    if (isWrong(limit)) account.looser(column, `${shown(model)}: ${limit.wrong}`)
    else if (limit !== undefined) holdModel(draft, model, { column, [of]: limit })
  }
  return true
}
