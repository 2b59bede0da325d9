/** The tables of a receipt: what weighed, what was considered, and what the price is made of. */
import type { Considered, PriceLine, RouteCandidate, RouteFeature } from "@model-gateway/protocol"
import { nanoToDecimal, usdToNano } from "@model-gateway/gateway/internal/core/domain/Money"
import { type Column, table } from "./Table.ts"
import { count, orNothing, printable } from "./TextOutput.ts"

export const fates: Readonly<Record<RouteCandidate["fate"], string>> = {
  chosen: "chosen",
  spare: "spare",
  unhealthy: "last resort: unhealthy, full or pausing",
  filtered: "",
  lower_bucket: "in a lower bucket",
  not_needed: "not needed"
}

export const features: ReadonlyArray<Column<RouteFeature>> = [
  { title: "WHAT WEIGHED", value: (one) => orNothing(one.name), wraps: true },
  { title: "IN THE PROMPT", value: (one) => count(Number(one.value.toFixed(2))), align: "right" },
  { title: "ADDED", value: (one) => `${one.weight < 0 ? "-" : "+"}${Math.abs(one.weight).toFixed(3)}`, align: "right" }
]

const considered: ReadonlyArray<Column<Considered>> = [
  { title: "CONSIDERED", value: (one) => orNothing(one.deployment), wraps: true },
  { title: "WHAT BECAME OF IT", value: fateInWords, wraps: true }
]

function fateInWords({ fate, why }: Considered): string {
  if (fate === "unhealthy" || why === null) return fates[fate]
  return fate === "filtered" ? printable(why) : `${fates[fate]}: ${printable(why)}`
}

/** To the billionth of a dollar, so that a reader can add it up. */
const exact = (usd: number | null): string => (usd === null ? "unknown" : `$${nanoToDecimal(usdToNano(usd))}`)

const prices = (hasRetries: boolean): ReadonlyArray<Column<PriceLine>> => [
  ...(hasRetries ? [{ title: "TRY", value: (one: PriceLine) => count(one.attempt), align: "right" as const }] : []),
  {
    title: "BILLED",
    value: (one) => (one.class === "held" ? "reserved" : orNothing(one.class.replaceAll("_", " ")))
  },
  { title: "COUNT", value: (one) => count(one.count), align: "right" },
  { title: "RATE", value: rate, align: "right" },
  { title: "COST", value: (one) => exact(one.cost_usd), align: "right" }
]

function rate({ class: name, per, rate_usd, unit }: PriceLine): string {
  if (name === "held") return orNothing(null)
  if (rate_usd === null || unit === null) return "unknown"
  return `$${rate_usd} / ${per === 1 ? orNothing(unit) : `${count(per)} ${orNothing(unit)}s`}`
}

interface Shown {
  readonly decision: {
    readonly features: ReadonlyArray<RouteFeature>
    readonly considered: ReadonlyArray<Considered> | null
  }
  readonly price_lines: ReadonlyArray<PriceLine> | null
}

/** Tables with rows; a table with a single deployment has no choice to show. */
export const receiptTables = ({ decision, price_lines: lines }: Shown): ReadonlyArray<string> => [
  ...(lines === null || lines.length === 0 ? [] : [table(prices(lines.some(({ attempt }) => attempt > 1)), lines)]),
  ...(decision.features.length === 0 ? [] : [table(features, decision.features)]),
  ...(decision.considered === null || decision.considered.length < 2 ? [] : [table(considered, decision.considered)])
]
