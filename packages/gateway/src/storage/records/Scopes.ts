/** The names of budget windows in the store: their scope and the time that they cover. */
import { type WindowSpan, spanAt } from "../../core/ledger/BudgetWindow.ts"
import { type Window, windows } from "../../core/domain/Budget.ts"
import type { ReservationRow, WindowCharge } from "../../core/ledger/LedgerJournal.ts"

export const HOUR_MS = 3_600_000

export const QUARTER_MS = 900_000

/** Ledger and rollups have columns for keys and teams. The spend of other scopes is in `scope_rollup`. */
export const hasColumn = (scope: string): boolean => scope.startsWith("key:") || scope.startsWith("team:")

/** The quarters of an hour in a window. */
export const slotsIn = (charge: WindowCharge) => {
  const { end, start } = windowSpan(charge)
  return { first: Math.floor(start / QUARTER_MS), last: Math.min(Math.ceil(end / QUARTER_MS), LAST_SLOT) }
}

/** The largest slot, for windows without an end. */
const LAST_SLOT = 2 ** 31 - 1

/** Subjects as their column stores them. */
export const subjectsText = ({ subjects = [] }: ReservationRow): string =>
  subjects.length === 0 ? "" : JSON.stringify(subjects)

/** The column of ledger and rollups for `key:<id>` or `team:<name>`, and the value in it. */
export const scopeColumn = (scope: string): { readonly column: "key_id" | "team"; readonly subject: string } => {
  const colon = scope.indexOf(":")
  return { column: scope.startsWith("team:") ? "team" : "key_id", subject: scope.slice(colon + 1) }
}

/** A scope's value under its column's name, if it has one; `n`: its place in a list that SQL gets as JSON. */
export const scopeRow = (scope: string, n: number) => {
  if (!hasColumn(scope)) return { n, scope }
  const { column, subject } = scopeColumn(scope)
  return { n, [column]: subject }
}

/** Of the latest windows: a report asks for thousands that are the same, and time zones are slow. */
const spans = new Map<string, WindowSpan>()

/** The time of a window such as `day@Europe/Berlin`. `total`, and windows unknown to this version, have no end. */
export const windowSpan = (charge: WindowCharge): WindowSpan => {
  const name = `${charge.window} ${charge.start}`
  if (spans.size === 1000) spans.clear()
  const span = spans.get(name) ?? spanOf(charge)
  spans.set(name, span)
  return span
}

const spanOf = ({ start, window }: WindowCharge): WindowSpan => {
  const [name, timeZone] = window.split("@")
  if (timeZone === undefined || !isWindow(name)) return { start, end: Number.MAX_SAFE_INTEGER }
  return { start, end: Math.min(spanAt({ limit: 0, window: name, timeZone }, start).end, Number.MAX_SAFE_INTEGER) }
}

const isWindow = (name: string | undefined): name is Window => windows.some((window) => window === name)
