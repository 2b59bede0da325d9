/** Budget windows follow from the clock in the budget's time zone. No job resets them. */
import { DateTime } from "effect"
import type { Budget } from "../domain/Budget.ts"
import type { WindowCharge } from "./LedgerJournal.ts"
import type { QuotaCall, Give, Given, SharedGrants } from "../grants/Grants.ts"
import { Share } from "../grants/Share.ts"
import type { NanoUsd } from "../domain/Money.ts"

/** Epoch ms; `end` is exclusive, Infinity for `total`. */
export interface WindowSpan {
  readonly start: number
  readonly end: number
}

/** Node's data for named time zones takes 7 MB, which a gateway with UTC budgets does not load. */
const UTC = DateTime.zoneMakeOffset(0)

const zoned = (at: number, timeZone: string): DateTime.Zoned =>
  DateTime.makeZonedUnsafe(at, { timeZone: timeZone === "UTC" ? UTC : timeZone })

/** The last span of each budget. Time zones are slow to compute, and all end users of a template share its budgets. */
const latest = new WeakMap<Budget, WindowSpan>()

/** The budget's window that contains `now`. Weeks begin on Monday; every moment is in exactly one window. */
export const spanAt = (budget: Budget, now: number): WindowSpan => {
  const known = latest.get(budget)
  if (known !== undefined && now >= known.start && now < known.end) return known
  const span = spanOf(budget, now)
  latest.set(budget, span)
  return span
}

const spanOf = ({ timeZone, window }: Budget, now: number): WindowSpan => {
  if (window === "total") return { start: 0, end: Number.POSITIVE_INFINITY }
  if (window === "hour") return hourAt(timeZone, now)
  const startOf = DateTime.startOf(window, { weekStartsOn: 1 })
  const start = startOf(zoned(now, timeZone))
  // Where the clock skips midnight, a day begins at one o'clock. The next day still begins at its own start.
  const end = startOf(DateTime.add(start, { [`${window}s`]: 1 }))
  return { start: DateTime.toEpochMillis(start), end: DateTime.toEpochMillis(end) }
}

const HOUR_MS = 3_600_000

const offsetAt = (timeZone: string, at: number): number => DateTime.zonedOffset(zoned(at, timeZone))

/** An hour of the local clock. When the clock goes back, the repeated hour is a window of its own. */
const hourAt = (timeZone: string, now: number): WindowSpan => {
  const offset = offsetAt(timeZone, now)
  const start = Math.floor((now + offset) / HOUR_MS) * HOUR_MS - offset
  const end = start + HOUR_MS
  // Some clocks change by half an hour: that splits an hour into two windows.
  return {
    start: offsetAt(timeZone, start) === offset ? start : changeBetween(timeZone, start, now),
    end: offsetAt(timeZone, end - 1) === offset ? end : changeBetween(timeZone, now, end - 1)
  }
}

/** The first moment with the offset of `to` instead of that of `from`. */
const changeBetween = (timeZone: string, from: number, to: number): number => {
  const offset = offsetAt(timeZone, from)
  let before = from
  let after = to
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (offsetAt(timeZone, middle) === offset) before = middle
    else after = middle
  }
  return after
}

/** The name of a budget's windows in the store. `total` has no start that a time zone could move. */
export const windowName = ({ timeZone, window }: Pick<Budget, "window" | "timeZone">): string =>
  window === "total" ? "total" : `${window}@${timeZone}`

/** A budget's limit with the raises of that moment. */
export const limitAt = ({ limit, raises = [] }: Budget, now: number): NanoUsd => {
  let sum = limit
  for (const { add, from, until } of raises) if (now >= from && now < until) sum += add
  return sum
}

/** How long the limits of that moment last: from the last edge of a raise to the next. */
export const limitSpan = (budgets: ReadonlyArray<Budget>, now: number): WindowSpan => {
  let span: WindowSpan = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY }
  for (const { raises } of budgets) {
    if (raises === undefined) continue
    for (const edge of raises.flatMap(({ from, until }) => [from, until]))
      span = edge <= now ? { ...span, start: Math.max(span.start, edge) } : { ...span, end: Math.min(span.end, edge) }
  }
  return span
}

/** A budget of a scope in its current window: the spend, and what requests in flight reserve. */
export class BudgetWindow {
  /** The budget's limit may change within the window. */
  budget: Budget
  /** With raises. */
  limit: NanoUsd
  /** Whether `spent` includes the store's sum yet. */
  opened = false
  readonly scope: string
  readonly start: number
  readonly end: number
  spent: NanoUsd = 0
  reserved: NanoUsd = 0
  /** The window's name and start in the store. */
  readonly charge: WindowCharge
  /** The part of its budget that only this process may reserve; undefined if that is all of it. */
  readonly share: Share | undefined

  constructor(scope: string, budget: Budget, span: WindowSpan, isShared = false, limit = budget.limit) {
    this.scope = scope
    this.budget = budget
    this.limit = limit
    this.start = span.start
    this.end = span.end
    this.charge = { scope, window: windowName(budget), start: span.start }
    const { charge } = this
    this.share = isShared ? new Share({ scope, kind: charge.window, ...span }, limit) : undefined
  }

  withLimit(budget: Budget, limit: NanoUsd): this {
    this.budget = budget
    this.limit = limit
    return this
  }

  /** `at` is in epoch milliseconds. */
  covers(at: number): boolean {
    return at >= this.start && at < this.end
  }

  /** What this process may still reserve. */
  get room(): NanoUsd {
    const { share } = this
    return share === undefined ? this.limit - this.spent - this.reserved : share.amount - this.reserved
  }

  /** What would be left with the quota of other processes, as last reported. */
  get left(): NanoUsd {
    return this.room + (this.share?.room ?? 0)
  }

  /** Spent by all processes, as far as known. */
  get booked(): NanoUsd {
    return this.share === undefined ? this.spent : Math.max(this.spent, this.share.spent)
  }

  /** Adds spend: a reservation that ended, or the cost of a request without one. */
  add(cost: NanoUsd): void {
    this.spent += cost
    if (this.share !== undefined) this.share.amount -= cost
  }

  /** Other processes hold what is not reserved here; returns that. `ended` is the cost of ended attempts that are not recorded yet. */
  lose(ended: NanoUsd): ReadonlyArray<Give> {
    this.share?.lose(this.reserved)
    return this.share === undefined ? [] : [{ share: this.share.name, amount: this.reserved + ended }]
  }

  /** Requests spent more than its quota lease allows. */
  get isOver(): boolean {
    return this.share?.isOver === true && this.room > 0
  }

  /** Updates its quota lease to its limit. */
  shareLimit(grants: SharedGrants): void {
    const { limit } = this
    const free = Math.max(0, this.room)
    if (this.share === undefined) return
    if (this.share.limit !== limit) this.share.limitTo(limit, free, grants)
    else if (this.isOver) this.share.giveBack(free, grants)
  }

  /** Another process lacks `need`: gives half of what is free, or all of what is missing. */
  calledFor({ goesFirst, need }: QuotaCall): Given {
    const free = Math.max(0, this.room - (goesFirst ? 0 : (this.share?.waiting ?? 0)))
    const amount = Math.min(free, Math.max(need, Math.ceil(free / 2)))
    if (this.share !== undefined) this.share.amount -= amount
    return { amount, freeInMs: amount >= need ? 0 : Number.POSITIVE_INFINITY }
  }
}
