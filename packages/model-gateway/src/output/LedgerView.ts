/** What `ledger verify` found, for people and for programs. */
import { sumToDecimal } from "@model-gateway/gateway/internal/core/domain/Money"
import type { Difference, Totals } from "../store/reading/Books.ts"
import { pairs } from "./Table.ts"
import { count, printable } from "./TextOutput.ts"

interface Verification {
  readonly totals: Totals
  readonly differences: ReadonlyArray<Difference>
}

export const verificationAsText = (store: string, { differences, totals }: Verification): string => {
  const { closed, cost, estimatedCost, open, reserved, rollups, windows } = totals
  const summary = pairs([
    ["Store", printable(store)],
    ["Rows", `${number(closed)} closed`],
    ["Cost", `${sumToDecimal(cost)} USD, ${sumToDecimal(estimatedCost)} of it estimated`],
    ["Open", open === 0n ? "none" : `${reservations(open)} ${sumToDecimal(reserved)} USD`],
    ["Compared with", `${number(rollups)} hourly sums, ${number(windows)} budget windows`]
  ])
  if (differences.length === 0) return `${summary}\n\nAll of them agree.`
  return [summary, "", ...differences.map(line)].join("\n")
}

export const verificationAsJson = (store: string, { differences, totals }: Verification): string =>
  JSON.stringify({
    ok: differences.length === 0,
    store,
    rows: Number(totals.closed),
    cost_usd: sumToDecimal(totals.cost),
    estimated_cost_usd: sumToDecimal(totals.estimatedCost),
    open: { rows: Number(totals.open), reserved_usd: sumToDecimal(totals.reserved) },
    rollups: Number(totals.rollups),
    windows: Number(totals.windows),
    differences: differences.map((difference) => ({
      kind: difference.kind,
      of: difference.of,
      sum: isMoney(difference.sum) ? `${difference.sum}_usd` : difference.sum,
      is: amount(difference.sum, difference.found),
      should_be: amount(difference.sum, difference.expected)
    }))
  })

const reservations = (open: bigint): string =>
  open === 1n ? "1 reservation that holds" : `${number(open)} reservations that hold`

const line = ({ expected, found, kind, of, sum }: Difference): string => {
  const unit = isMoney(sum) ? " USD" : ""
  const what = kind === "rollup" ? "hourly sum" : "budget window"
  return `${what} ${printable(of)}: ${sum} is ${amount(sum, found)}${unit}, should be ${amount(sum, expected)}${unit}`
}

const amounts: ReadonlySet<string> = new Set(["cost", "estimated_cost", "auto_cost", "auto_baseline", "spent"])

const isMoney = (sum: string): boolean => amounts.has(sum)

const amount = (sum: string, value: bigint): string => (isMoney(sum) ? sumToDecimal(value) : String(value))

const number = (value: bigint): string => count(Number(value))
