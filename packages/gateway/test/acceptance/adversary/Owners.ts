/** Who pays: one key, some keys, or a team with some, with budgets of one window or several. */
import type { Budget } from "../../../src/core/domain/Budget.ts"
import type { Chance } from "./Chance.ts"

export interface Owner {
  readonly budgets: ReadonlyArray<Budget>
  readonly team: { readonly name: string; readonly budgets: ReadonlyArray<Budget> } | null
}

/** Windows in which the whole of a run lies. */
const windows: ReadonlyArray<Budget["window"]> = ["day", "week", "month", "total"]

/** 0.01 to 1 USD; a longer window holds more. */
const drawBudgets = (chance: Chance): ReadonlyArray<Budget> => {
  const smallest = Math.round(1e7 * 100 ** chance.next())
  const from = chance.below(windows.length)
  const count = chance.next() < 0.6 ? 1 : 1 + chance.below(windows.length - from)
  return windows
    .slice(from, from + count)
    .map((window, index) => ({ limit: smallest + index * Math.floor(smallest / 4), window, timeZone: "UTC" }))
}

export const drawOwners = (chance: Chance): ReadonlyArray<Owner> => {
  const keys = chance.next() < 0.5 ? 1 : 2 + chance.below(3)
  const team = chance.next() < 0.3 ? { name: "red", budgets: drawBudgets(chance) } : null
  const own = team === null || chance.next() < 0.4
  return Array.from({ length: keys }, () => ({ budgets: own ? drawBudgets(chance) : [], team }))
}
