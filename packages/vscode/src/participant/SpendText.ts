/** What a key has spent, and what is left. */
import type { OwnKey } from "@model-gateway/client"
import { dollars, percent } from "../spend/Money.ts"
import { type Budget, escaped, usedShare } from "../spend/StatusView.ts"

export const spendText = (name: string, { budgets, spend, team_budgets }: OwnKey): string =>
  [
    `### ${escaped(name)}`,
    [
      "| today | this week | this month | in all |",
      "|---|---|---|---|",
      `| ${[spend.day_usd, spend.week_usd, spend.month_usd, spend.total_usd].map((usd) => escaped(dollars(usd))).join(" | ")} |`
    ].join("\n"),
    budgets.length + team_budgets.length === 0
      ? "The key has no budget."
      : [
          "| budget | used | held | left | until |",
          "|---|---|---|---|---|",
          ...budgets.map((one) => row("own", one)),
          ...team_budgets.map((one) => row("team", one))
        ].join("\n"),
    `Days begin at midnight of ${escaped(spend.time_zone)}.`
  ].join("\n\n")

const row = (whose: string, budget: Budget): string => {
  const { remaining_usd, reserved_usd, resets_at, usd, window } = budget
  const each = window === "total" ? "in all" : `a ${window}`
  const until = resets_at === null ? "–" : `${resets_at.slice(0, 16).replace("T", " ")} UTC`
  return `| ${whose}: ${escaped(dollars(usd))} ${each} | ${percent(usedShare(budget))} | ${escaped(dollars(reserved_usd))} | ${escaped(dollars(remaining_usd))} | ${until} |`
}
