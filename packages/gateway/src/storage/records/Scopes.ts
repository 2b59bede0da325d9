/** How budget windows are named in the store, read back: whose they are and which time they span. */
import { type WindowSpan, spanAt } from "../../core/ledger/BudgetWindow.ts"
import { type Window, windows } from "../../core/domain/Budget.ts"
import type { WindowCharge } from "../../core/ledger/LedgerJournal.ts"

export const HOUR_MS = 3_600_000

/** `key:<id>` and `team:<name>`: the column of ledger and rollups, and the value in it. */
export const scopeColumn = (scope: string): { readonly column: "key_id" | "team"; readonly subject: string } => {
  const colon = scope.indexOf(":")
  return { column: scope.startsWith("team:") ? "team" : "key_id", subject: scope.slice(colon + 1) }
}

/** A scope with its value under the name of its column, for a list of scopes that SQL gets as JSON. `n`: its place in the list. */
export const scopeRow = (scope: string, n: number) => {
  const { column, subject } = scopeColumn(scope)
  return { n, [column]: subject }
}

/** The time of a window such as `day@Europe/Berlin`; `total` and windows this version does not know have no end. */
export const windowSpan = ({ start, window }: WindowCharge): WindowSpan => {
  const [name, timeZone] = window.split("@")
  if (timeZone === undefined || !isWindow(name)) return { start, end: Number.MAX_SAFE_INTEGER }
  const { end } = spanAt({ limit: 0, window: name, timeZone }, start)
  return { start, end: Math.min(end, Number.MAX_SAFE_INTEGER) }
}

const isWindow = (name: string | undefined): name is Window => windows.some((window) => window === name)
