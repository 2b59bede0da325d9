/** The fullest budgets of all keys and teams, for people who watch them. */
import { Effect } from "effect"
import type { Budgeted } from "../keys/KeyRepository.ts"
import type { KeyStore } from "../keys/KeyStore.ts"
import type { Budget } from "../domain/Budget.ts"
import { type Span, spanAt, windowName } from "./BudgetWindow.ts"
import type { BudgetState, SpendLedger } from "./SpendLedger.ts"

const HOUR_MS = 3_600_000

export interface FullBudget extends BudgetState {
  readonly of: Budgeted
  /** Epoch ms; null: not within its window at the pace of the last hour. */
  readonly runsOutAt: number | null
}

interface Wanted {
  readonly scope: "key" | "team" | undefined
  /** The least share that is spent. */
  readonly minUsed: number
  readonly limit: number
}

/**
 * What the store knows of all windows finds the fullest; only of those is the exact state asked. A window that nothing was booked in
 * since its budget was made counts as empty until the next request.
 */
export const fullestBudgets = Effect.fnUntraced(function* (
  keys: KeyStore["Service"],
  ledger: SpendLedger["Service"],
  { limit, minUsed, scope }: Wanted,
  now: number
) {
  const spans = new Map<string, Span>()
  const startOf = (budget: Budget): number => {
    const name = windowName(budget)
    const span = spans.get(name) ?? spanAt(budget, now)
    spans.set(name, span)
    return span.start
  }
  let fullest: Array<{ readonly of: Budgeted; readonly budget: Budget; readonly used: number }> = []
  yield* keys.budgeted((some) =>
    Effect.gen(function* () {
      const all = some
        .filter((of) => scope === undefined || of.scope === scope)
        .flatMap((of) => of.budgets.map((budget) => ({ of, budget })))
      const known = yield* ledger.spentIn(
        all.map(({ budget, of }) => ({
          scope: `${of.scope}:${of.id}`,
          window: windowName(budget),
          start: startOf(budget)
        }))
      )
      const found = all.map((one, index) => ({ ...one, used: (known[index] ?? 0) / one.budget.limit }))
      fullest = [...fullest, ...found.filter(({ used }) => used >= minUsed)]
        .sort((a, b) => b.used - a.used)
        .slice(0, limit + 1)
    })
  )
  const exact = yield* Effect.forEach(fullest, ({ budget, of }) =>
    Effect.gen(function* () {
      const states = yield* ledger.budgets(`${of.scope}:${of.id}`, of.budgets)
      const state = states.find((one) => windowName(one.budget) === windowName(budget))
      if (state === undefined) return []
      const only = { key: undefined, team: undefined, model: undefined, provider: undefined, [of.scope]: of.id }
      const [lately] = yield* ledger.spend({ from: now - HOUR_MS, to: now + 1, timeZone: "UTC", ...only, groupBy: [] })
      const full: FullBudget = { ...state, of, runsOutAt: runsOutAt(state, lately?.cost ?? 0, now) }
      return [full]
    })
  )
  return { budgets: exact.flat().slice(0, limit), hasMore: exact.flat().length > limit }
})

const runsOutAt = ({ budget, resetsAt, spent }: BudgetState, anHour: number, now: number): number | null => {
  const left = budget.limit - spent
  if (left <= 0) return now
  if (anHour <= 0) return null
  const at = Math.ceil(now + (left / anHour) * HOUR_MS)
  return at < (resetsAt ?? Number.MAX_SAFE_INTEGER) && at < FARTHEST ? at : null
}

/** Later times can't be written as dates of four digits. */
const FARTHEST = Date.UTC(9999)
