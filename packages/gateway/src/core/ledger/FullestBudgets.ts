/** The fullest budgets of all keys and teams, or of end users at work, for reports and alerts. */
import { Effect } from "effect"
import type { Budgeted } from "../keys/KeyRepository.ts"
import type { KeyStore } from "../keys/KeyStore.ts"
import { seesKey, type Visibility } from "../domain/Principal.ts"
import type { Budget } from "../domain/Budget.ts"
import { type BudgetWindow, limitAt, type WindowSpan, spanAt, windowName } from "./BudgetWindow.ts"
import type { BudgetState, SpendLedger } from "./SpendLedger.ts"

const HOUR_MS = 3_600_000

export interface FullestBudget extends BudgetState {
  readonly of: Budgeted
  /** Epoch milliseconds; null if the pace of the last hour does not use it up within its window. */
  readonly runsOutAt: number | null
}

interface BudgetFilter {
  readonly visibility: Visibility
  /** Undefined: keys and teams. */
  readonly scope: Budgeted["scope"] | undefined
  /** Only this one, as `shownScope` names it. */
  readonly only?: string | undefined
  /** Budgets to leave out, by `budgetWindowId`. */
  readonly except?: ReadonlySet<string>
  /** The least share spent: of the limit, or of the soft amount if there is one. */
  readonly minUsed: number
  readonly of?: "limit" | "soft"
  readonly limit: number
}

/** Identifies one window of one budget. A changed budget has another ID. */
export const budgetWindowId = (of: Pick<Budgeted, "scope" | "id">, budget: Budget, resetsAt: number | null): string =>
  `${of.scope}:${of.id} ${windowName(budget)} ${budget.limit} ${resetsAt ?? "total"}`

/** The store's sums find the fullest, which are then read exactly. A window without spend since its budget was created is empty. */
export const fullestBudgets = Effect.fnUntraced(function* (
  keys: KeyStore["Service"],
  ledger: SpendLedger["Service"],
  { except, limit, minUsed, of: part = "limit", only, scope, visibility }: BudgetFilter,
  now: number
) {
  const spans = new Map<string, WindowSpan>()
  const spanOf = (budget: Budget): WindowSpan => {
    const name = windowName(budget)
    const span = spans.get(name) ?? spanAt(budget, now)
    spans.set(name, span)
    return span
  }
  const isWanted = ({ budget, of }: { readonly of: Budgeted; readonly budget: Budget }): boolean => {
    if (except === undefined || except.size === 0) return true
    const { end } = spanOf(budget)
    return !except.has(budgetWindowId(of, budget, Number.isFinite(end) ? end : null))
  }
  const isSeen = (of: Budgeted): boolean =>
    seesKey(visibility, of.scope === "key" ? of.id : undefined, of.team) &&
    (scope ?? of.scope) === of.scope &&
    (only === undefined || only === shownScope(of))
  const mostOf = (budget: Budget) => (part === "soft" ? budget.soft : limitAt(budget, now))
  const budgeted: typeof keys.budgeted = (visit) => {
    if (scope !== "end_user") return keys.budgeted(visit)
    const used = (of: Budgeted, { booked, budget }: BudgetWindow) => {
      const share = booked / (mostOf(budget) ?? 0)
      return share >= minUsed && isSeen(of) && isWanted({ of, budget }) ? share : undefined
    }
    return Effect.flatMap(ledger.fullestEndUsers(used, limit + 1), visit)
  }
  let fullest: Array<{ readonly of: Budgeted; readonly budget: Budget; readonly used: number }> = []
  yield* budgeted((some) =>
    Effect.gen(function* () {
      const all = some
        .filter(isSeen)
        .flatMap((of) => of.budgets.map((budget) => ({ of, budget })))
        .filter((one) => one.budget[part] !== undefined && isWanted(one))
      const known = yield* ledger.spentIn(
        all.map(({ budget, of }) => ({
          scope: scopeOf(of),
          window: windowName(budget),
          start: spanOf(budget).start
        }))
      )
      const found = all.map((one, index) => ({ ...one, used: (known[index] ?? 0) / mostOf(one.budget)! }))
      fullest = [...fullest, ...found.filter(({ used }) => used >= minUsed)]
        .sort((a, b) => b.used - a.used)
        .slice(0, limit + 1)
    })
  )
  const paces = yield* pacesOf(ledger, [...new Set(fullest.map(({ of }) => scopeOf(of)))], now)
  // Windows that are not in memory are opened by writes, which share a commit.
  const exact = yield* Effect.forEach(
    fullest,
    ({ budget, of }) =>
      Effect.gen(function* () {
        const states = yield* ledger.budgets(scopeOf(of), of.budgets)
        const state = states.find((one) => windowName(one.budget) === windowName(budget))
        if (state === undefined) return []
        const full: FullestBudget = { ...state, of, runsOutAt: runsOutAt(state, paces.get(scopeOf(of)) ?? 0, now) }
        return [full]
      }),
    { concurrency: "unbounded" }
  )
  return { budgets: exact.flat().slice(0, limit), hasMore: exact.flat().length > limit }
})

const scopeOf = ({ id, scope }: Budgeted): string => `${scope}:${id}`

/** `key:<id>`, `team:<name>` or `end_user:<owner>/<id>`. */
export const shownScope = (of: Pick<Budgeted, "id" | "scope">): string => `${of.scope}:${shownId(of)}`

export const shownId = ({ id, scope }: Pick<Budgeted, "id" | "scope">): string =>
  scope === "end_user" ? id.split("/").map(decodeURIComponent).join("/") : id

/**
 * Nano-USD in about the last hour, by scope: this hour's sum, and a share of the previous hour's. Reads sums of hours instead of
 * ledger rows, of which an hour may have millions.
 */
const pacesOf = Effect.fnUntraced(function* (
  ledger: SpendLedger["Service"],
  scopes: ReadonlyArray<string>,
  now: number
) {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  const [before, current] = [yield* ledger.hourCosts(scopes, hour - HOUR_MS), yield* ledger.hourCosts(scopes, hour)]
  const younger = 1 - (now - hour) / HOUR_MS
  return new Map(scopes.map((scope, index) => [scope, (current[index] ?? 0) + (before[index] ?? 0) * younger]))
})

const runsOutAt = ({ limit, resetsAt, spent }: BudgetState, anHour: number, now: number): number | null => {
  const left = limit - spent
  if (left <= 0) return now
  if (anHour <= 0) return null
  const at = Math.ceil(now + (left / anHour) * HOUR_MS)
  return at < (resetsAt ?? Number.MAX_SAFE_INTEGER) && at < FARTHEST ? at : null
}

/** Later times can't be written as dates of four digits. */
const FARTHEST = Date.UTC(9999)
