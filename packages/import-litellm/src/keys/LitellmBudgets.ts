/**
 * Budgets of LiteLLM as those of this gateway. What it does was read in LiteLLM 1.106.2 (`litellm_core_utils/duration_parser.py`, PyPI,
 * 2026-11-22): `1d` begins at midnight, `7d` on Monday, `30d` and `1mo` on the first of the month, other lengths at a multiple of
 * their own; `hourly`, `daily`, `weekly` and `monthly` are other words for them.
 */
import { Result } from "effect"
import type { Window } from "@model-gateway/gateway/internal/core/domain/Budget"
import { MAX_BUDGET_USD, type NanoUsd, nanoToUsd, usdToNano } from "@model-gateway/gateway/internal/core/domain/Money"

const WORDS = new Map([
  ["hourly", "1h"],
  ["daily", "1d"],
  ["24h", "1d"],
  ["weekly", "7d"],
  ["1w", "7d"],
  ["monthly", "30d"],
  ["1mo", "30d"]
])

const SAME = new Map<string, Window>([
  ["1h", "hour"],
  ["1d", "day"],
  ["7d", "week"],
  ["30d", "month"]
])

const HOURS = { s: 1 / 3600, m: 1 / 60, h: 1, d: 24, w: 168, mo: 744 }

export interface MappedWindow {
  readonly window: Window
  /** "" where it is the same. */
  readonly change: string
}

/** The window of a duration. Where there is none as long, the same amount has to last longer: never is more spent than before. */
export const windowOf = (duration: string): Result.Result<MappedWindow, string> => {
  const given = duration.trim().toLowerCase()
  const plain = WORDS.get(given) ?? given
  const same = SAME.get(plain)
  if (same !== undefined) return Result.succeed({ window: same, change: "" })
  const [, count = "", unit = ""] = /^(\d+)(s|m|h|d|w|mo)$/.exec(plain) ?? []
  const hours = Number(count) * (HOURS[unit as keyof typeof HOURS] ?? 0)
  if (!(hours > 0)) return Result.fail("a duration such as 1d, 7d or 30d")
  const window = hours <= 1 ? "hour" : hours <= 24 ? "day" : hours <= 168 ? "week" : hours <= 744 ? "month" : "total"
  const change =
    window === "total"
      ? `there is no window as long as ${plain}: the amount does not come back by itself`
      : `there is no window of ${plain}: the same amount for the ${window}`
  return Result.succeed({ window, change })
}

/** An amount that a budget can have, never above the given one. `change`: "" where it is the same. */
export const amountOf = (usd: number): { readonly limit: NanoUsd; readonly change: string } => {
  if (usd > MAX_BUDGET_USD) {
    return { limit: usdToNano(MAX_BUDGET_USD), change: `the largest budget there is: ${MAX_BUDGET_USD} USD` }
  }
  const nearest = usdToNano(usd)
  return { limit: nanoToUsd(nearest) > usd ? nearest - 1 : nearest, change: "" }
}
