/** What one key spent in the hour, day, week and month that hold the present, and in all: for status bars and the like. */
import { DateTime, Effect } from "effect"
import type { Window } from "../domain/Budget.ts"
import type { NanoUsd } from "../domain/Money.ts"
import { spanAt } from "./BudgetWindow.ts"
import type { SpendDimension } from "./Spend.ts"
import type { SpendLedger } from "./SpendLedger.ts"

export type SpendNow = { readonly [Name in Window]: NanoUsd }

const FOREVER = { start: 0, end: Number.MAX_SAFE_INTEGER }

/** Exact, and each at least as much as the one before: they are read from the shortest time on, and spend only grows. */
export const spendNow = Effect.fnUntraced(function* (
  ledger: SpendLedger["Service"],
  key: string,
  timeZone: string,
  now: number
) {
  const spanOf = (window: Window) => spanAt({ limit: 0, window, timeZone }, now)
  const booked = (
    { end, start }: { readonly start: number; readonly end: number },
    groupBy: ReadonlyArray<SpendDimension>
  ) =>
    ledger.spend({
      visibility: "all",
      from: start,
      to: end,
      timeZone,
      key,
      team: undefined,
      model: undefined,
      provider: undefined,
      groupBy
    })
  const [hour] = yield* booked(spanOf("hour"), [])
  const day = spanOf("day")
  const week = spanOf("week")
  const month = spanOf("month")
  const days = yield* booked({ start: Math.min(week.start, month.start), end: Math.max(week.end, month.end) }, ["day"])
  const within = ({ end, start }: { readonly start: number; readonly end: number }): NanoUsd => {
    const [first, last] = [dayOf(start, timeZone), dayOf(end - 1, timeZone)]
    return days.reduce((sum, { cost, group: [name] }) => {
      const isIn = typeof name === "string" && name >= first && name <= last
      return isIn ? sum + cost : sum
    }, 0)
  }
  const [all] = yield* booked(FOREVER, [])
  const spent: SpendNow = {
    hour: hour?.cost ?? 0,
    day: within(day),
    week: within(week),
    month: within(month),
    total: all?.cost ?? 0
  }
  return spent
})

/** YYYY-MM-DD, as the ledger names local days. */
const dayOf = (at: number, timeZone: string): string =>
  DateTime.formatIsoDate(DateTime.makeZonedUnsafe(at, { timeZone }))
