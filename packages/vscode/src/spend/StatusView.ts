/** What the status bar shows: today's spend, what is left of the budget that is nearest its end, and the last decision. */
import type { Decision, OwnKey } from "@model-gateway/client"
import { costText, dollars, percent } from "./Money.ts"

export interface StatusView {
  readonly text: string
  /** Markdown. Names in it are escaped. */
  readonly tooltip: string
  readonly colour: "plain" | "warning" | "error"
  readonly command: "connect" | "openReceipt" | "openDashboard" | "showLog"
}

export type Budget = OwnKey["budgets"][number]

/** From here on the colour warns. */
const NEARLY = 0.8

/** How much of it is spent, or held by requests that are running: 0 to 1 and beyond. */
export const usedShare = ({ remaining_usd, usd }: Budget): number =>
  usd <= 0 ? 1 : remaining_usd <= 0 ? 1 : (usd - remaining_usd) / usd

/** The one that is used up first, its team's included: both hold. */
export const nearestEnd = ({ budgets, team_budgets }: Pick<OwnKey, "budgets" | "team_budgets">): Budget | undefined =>
  [...budgets, ...team_budgets].toSorted((a, b) => usedShare(b) - usedShare(a))[0]

export const notConnected: StatusView = {
  text: "$(plug) Model Gateway",
  tooltip: "No gateway is connected. Click to connect one.",
  colour: "plain",
  command: "connect"
}

/** `decision`: the last one, of this gateway. */
export const spendView = (name: string, key: OwnKey, decision: Decision | undefined): StatusView => {
  const budget = nearestEnd(key)
  const share = budget === undefined ? 0 : usedShare(budget)
  const left = budget === undefined ? "" : ` · ${dollars(Math.max(0, budget.remaining_usd))} left`
  return {
    text: `$(credit-card) ${dollars(key.spend.day_usd)}${left}`,
    tooltip: [
      `**${escaped(name)}**${key.name === null ? "" : ` · ${escaped(key.name)}`}`,
      `Today ${dollars(key.spend.day_usd)} · this month ${dollars(key.spend.month_usd)} (${escaped(key.spend.time_zone)})`,
      ...key.budgets.map((one) => budgetLine("Budget", one)),
      ...key.team_budgets.map((one) => budgetLine("Budget of the team", one)),
      ...(decision === undefined ? [] : ["---", decisionLine(decision)])
    ].join("\n\n"),
    colour: share >= 1 ? "error" : share >= NEARLY ? "warning" : "plain",
    command: (decision?.receiptId ?? null) === null ? "openDashboard" : "openReceipt"
  }
}

export const troubleView = (name: string, text: string, needsKey: boolean): StatusView => ({
  text: "$(warning) Model Gateway",
  tooltip: `**${escaped(name)}**\n\n${escaped(text)}`,
  colour: "warning",
  command: needsKey ? "connect" : "showLog"
})

const budgetLine = (what: string, budget: Budget): string => {
  const { resets_at, usd, window } = budget
  const until = resets_at === null ? "" : `, until ${resets_at.slice(0, 16).replace("T", " ")} UTC`
  const each = window === "total" ? "in all" : `a ${window}`
  return `${what}: ${percent(usedShare(budget))} of ${dollars(usd)} ${each}${until}`
}

const decisionLine = (decision: Decision): string => {
  const { bucket, costIsFinal, costUsd, retries, score } = decision
  const why = bucket === "none" ? "" : ` · ${escaped(bucket)}, score ${score.toFixed(2)}`
  const again = retries === 0 ? "" : ` · ${retries} ${retries === 1 ? "retry" : "retries"}`
  return `Last answer: ${escaped(decision.decision)}${why} · ${costIsFinal ? "" : "at most "}${costText(costUsd)}${again}`
}

/** Names come from configurations and servers: they must not become links or commands. */
export const escaped = (text: string): string =>
  text.replaceAll(/[\\`*_{}[\]()#+!|<>~$&@:-]/g, String.raw`\$&`).replaceAll(/\s+/g, " ")
