/** Traffic, as people read it. */
import type { TrafficReport, TrafficTotal } from "@model-gateway/protocol"
import { type Column, table } from "./Table.ts"
import { count, keyInWords, milliseconds, money, orNothing, percent, time } from "./TextOutput.ts"

interface Line {
  readonly names: ReadonlyArray<string>
  readonly sums: TrafficTotal
}

/** `by`: the dimensions of its rows. The total is the last line. */
export const trafficReport = (report: TrafficReport, by: ReadonlyArray<string>): string => {
  const isTimed = report.interval !== null
  const titles = [...(isTimed ? ["BEGIN"] : []), ...by.map((name) => name.toUpperCase())]
  const lines = report.rows.map((row): Line => {
    const values = new Map(Object.entries(row))
    const names = by.map((name) =>
      name === "key" ? keyInWords(row.key_name, row.key) : orNothing(textOf(values.get(name)))
    )
    return { names: isTimed ? [orNothing(row.start?.slice(0, 16).replace("T", " ")), ...names] : names, sums: row }
  })
  const total: Line = { names: ["total", ...titles.slice(1).map(() => "")], sums: report.total }
  const columns: ReadonlyArray<Column<Line>> = [
    ...titles.map((title, index): Column<Line> => ({ title, value: ({ names }) => names[index] ?? "", wraps: true })),
    ...sums
  ]
  const { unpriced } = report.total
  const more = [
    ...(report.has_more ? ["There is more: the total holds all of it."] : []),
    ...(unpriced === 0 ? [] : [`${count(unpriced)} of the responses have no known price.`])
  ]
  const zone = report.time_zone === "UTC" ? "" : `, days of ${orNothing(report.time_zone)}`
  return [`${time(report.from)} to ${time(report.to)} UTC${zone}`, table(columns, [...lines, total]), ...more].join(
    "\n\n"
  )
}

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

const failureRate = ({ failure_rate: rate }: TrafficTotal): string => (rate === null ? orNothing(null) : percent(rate))

const sums: ReadonlyArray<Column<Line>> = [
  { title: "REQUESTS", value: ({ sums: of }) => count(of.requests), align: "right" },
  { title: "FAILED", value: ({ sums: of }) => failureRate(of), align: "right" },
  { title: "REFUSED", value: ({ sums: of }) => count(of.refused), align: "right" },
  { title: "TTFT P50", value: ({ sums: of }) => milliseconds(of.first_token_ms.p50), align: "right" },
  { title: "TOTAL P50", value: ({ sums: of }) => milliseconds(of.latency_ms.p50), align: "right" },
  { title: "P95", value: ({ sums: of }) => milliseconds(of.latency_ms.p95), align: "right" },
  { title: "COST", value: ({ sums: of }) => cost(of), align: "right" }
]

/** Requests with an unknown price must not look free. */
const cost = ({ cost_usd, unpriced }: TrafficTotal): string =>
  unpriced === 0 ? money(cost_usd) : `${money(cost_usd)}+`
