/** Limits and budgets of keys and teams in words. */
import { count, money, orNothing, time } from "./TextOutput.ts"

export interface ShownLimits {
  readonly rpm?: number | null | undefined
  readonly tpm?: number | null | undefined
  readonly max_parallel?: number | null | undefined
}

export interface ShownBudget {
  readonly usd: number
  readonly window: string
  readonly time_zone?: string | null | undefined
  readonly spent_usd: number
  readonly reserved_usd: number
  readonly remaining_usd: number
  readonly resets_at: string | null
}

/** `60 requests a minute, 4 at a time`. */
export const limitsInWords = ({ max_parallel, rpm, tpm }: ShownLimits): string => {
  const set = [
    isSet(rpm) ? `${count(rpm)} requests a minute` : undefined,
    isSet(tpm) ? `${count(tpm)} tokens a minute` : undefined,
    isSet(max_parallel) ? `${count(max_parallel)} at a time` : undefined
  ].filter((limit) => limit !== undefined)
  return set.length === 0 ? "none" : set.join(", ")
}

const isSet = (limit: number | null | undefined): limit is number => limit !== null && limit !== undefined

/** `$1.50 of $10.00 a day`, for a column of a table: the tightest budget. */
export const budgetInShort = (budgets: ReadonlyArray<ShownBudget>): string => {
  const [tightest] = budgets.toSorted((a, b) => a.remaining_usd - b.remaining_usd)
  if (tightest === undefined) return "-"
  const others = budgets.length === 1 ? "" : ` +${budgets.length - 1}`
  return `${money(tightest.spent_usd)} of ${money(tightest.usd)}${per(tightest.window)}${others}`
}

/** `$50.00 a month`, of amounts without their use. */
export const amounts = (
  budgets: ReadonlyArray<{ readonly usd: number; readonly window?: string; readonly time_zone?: string }>
): string =>
  budgets
    .map(({ time_zone, usd, window = "total" }) => `${money(usd)}${per(window)}${zone({ time_zone, window })}`)
    .join(", ")

/** A line each. */
export const budgetLines = (budgets: ReadonlyArray<ShownBudget>): ReadonlyArray<string> =>
  budgets.map((budget) =>
    [
      `${money(budget.usd)}${per(budget.window)}${zone(budget)}: ${money(budget.spent_usd)} spent`,
      ...(budget.reserved_usd === 0 ? [] : [`${money(budget.reserved_usd)} reserved by requests in flight`]),
      `${money(budget.remaining_usd)} left`,
      ...(budget.resets_at === null ? [] : [`resets ${time(budget.resets_at)}`])
    ].join(", ")
  )

const per = (window: string): string =>
  window === "total" ? " in all" : ` ${window === "hour" ? "an" : "a"} ${orNothing(window)}`

/** UTC is what all times here are in. */
const zone = ({ time_zone, window }: Pick<ShownBudget, "time_zone" | "window">): string =>
  window === "total" || time_zone === undefined || time_zone === null || time_zone === "UTC"
    ? ""
    : ` (${orNothing(time_zone)})`
