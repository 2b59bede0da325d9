/**
 * What was spent, as people read it.
 */
import { type Column, table } from "./Table.ts"
import { count, money, orNothing, time } from "./Text.ts"

export interface ShownSums {
  readonly cost_usd: number
  readonly estimated_cost_usd: number
  readonly requests: number
  readonly failed_requests: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly last_at: string | null
}

export type Dimension = "key" | "team" | "model" | "provider" | "tag" | "day" | "month"

export type ShownRow = ShownSums & { readonly [Name in Dimension]?: string | null }

export interface ShownReport {
  readonly from: string
  readonly to: string
  readonly time_zone: string
  readonly total: ShownSums
  readonly by_key?: ReadonlyArray<ShownRow>
  readonly by_team?: ReadonlyArray<ShownRow>
  readonly by_model?: ReadonlyArray<ShownRow>
  readonly rows?: ReadonlyArray<ShownRow>
  readonly has_more?: boolean
}

/** One table by `by`, or the three that a report has without it. The total is the last line of each. */
export const spendReport = (report: ShownReport, by: Dimension | undefined): string => {
  const tables =
    by === undefined
      ? [
          byDimension("key", report.by_key, report.total),
          byDimension("team", report.by_team, report.total),
          byDimension("model", report.by_model, report.total)
        ]
      : [byDimension(by, report.rows, report.total)]
  const zone = report.time_zone === "UTC" ? "" : `, days of ${orNothing(report.time_zone)}`
  const more =
    report.has_more === true ? ["There is more: the totals hold all of it, the tables what was dearest."] : []
  return [`${time(report.from)} to ${time(report.to)} UTC${zone}`, ...tables, ...more].join("\n\n")
}

interface Line extends ShownSums {
  readonly name: string
}

const byDimension = (by: Dimension, rows: ReadonlyArray<ShownRow> | undefined, total: ShownSums): string => {
  // Dearest first is what the gateway answers; days are read in their order.
  const inOrder =
    by === "day" || by === "month" ? rows?.toSorted((a, b) => (named(a, by) < named(b, by) ? -1 : 1)) : rows
  const lines = (inOrder ?? []).map((row): Line => ({ ...row, name: named(row, by) }))
  return table(
    [{ title: by.toUpperCase(), value: (line) => line.name, shrinks: true }, ...sums],
    [...lines, { ...total, name: "total" }]
  )
}

const named = (row: ShownRow, by: Dimension): string =>
  orNothing(by === "model" && row.provider && row.model ? `${row.provider}/${row.model}` : row[by])

/** A `~` in front of what was (partly) counted by the gateway itself. */
const cost = (sum: ShownSums): string => `${sum.estimated_cost_usd > 0 ? "~" : ""}${money(sum.cost_usd)}`

const sums: ReadonlyArray<Column<Line>> = [
  { title: "COST", value: cost, align: "right" },
  { title: "REQUESTS", value: (sum) => count(sum.requests), align: "right" },
  { title: "FAILED", value: (sum) => count(sum.failed_requests), align: "right" },
  { title: "TOKENS IN", value: (sum) => count(sum.input_tokens), align: "right" },
  { title: "TOKENS OUT", value: (sum) => count(sum.output_tokens), align: "right" },
  { title: "LAST (UTC)", value: (sum) => time(sum.last_at) }
]
