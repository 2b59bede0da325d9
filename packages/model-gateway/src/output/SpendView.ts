/** What was spent, as people read it. */
import { type Column, table } from "./Table.ts"
import { count, keyInWords, money, orNothing, time } from "./TextOutput.ts"

interface ShownSums {
  readonly cost_usd: number
  readonly estimated_cost_usd: number
  readonly requests: number
  readonly failed_requests: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly auto_requests: number
  readonly auto_cost_usd: number
  readonly auto_baseline_usd: number
  readonly last_at: string | null
}

type Dimension =
  | "key"
  | "team"
  | "model"
  | "provider"
  | "tag"
  | "end_user"
  | "session"
  | "client"
  | "user"
  | "day"
  | "month"

type ShownRow = ShownSums & { readonly [Name in Dimension | "key_name"]?: string | null }

interface ShownReport {
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
    report.has_more === true
      ? ["There is more: the totals include everything, the tables only the most expensive rows."]
      : []
  const saved = hasAuto(report.total) ? [WHAT_WAS_SAVED] : []
  return [`${time(report.from)} to ${time(report.to)} UTC${zone}`, ...tables, ...more, ...saved].join("\n\n")
}

const WHAT_WAS_SAVED = `AUTO SAVED: savings of requests for auto, compared with the first deployment
of the strongest bucket at the same token counts.`

const hasAuto = ({ auto_requests }: ShownSums): boolean => auto_requests > 0

interface Line extends ShownSums {
  readonly name: string
}

const byDimension = (by: Dimension, rows: ReadonlyArray<ShownRow> | undefined, total: ShownSums): string => {
  // The gateway returns the most expensive first; days are shown in their order.
  const inOrder =
    by === "day" || by === "month" ? rows?.toSorted((a, b) => (named(a, by) < named(b, by) ? -1 : 1)) : rows
  const lines = (inOrder ?? []).map((row): Line => ({ ...row, name: named(row, by) }))
  return table(
    [{ title: by.toUpperCase(), value: (line) => line.name, wraps: true }, ...(hasAuto(total) ? withSaved : sums)],
    [...lines, { ...total, name: "total" }]
  )
}

const named = (row: ShownRow, by: Dimension): string =>
  by === "key"
    ? keyInWords(row.key_name, row.key)
    : orNothing(by === "model" && row.provider && row.model ? `${row.provider}/${row.model}` : row[by])

/** A `~` in front of what was (partly) counted by the gateway itself. */
const cost = (sum: ShownSums): string => `${sum.estimated_cost_usd > 0 ? "~" : ""}${money(sum.cost_usd)}`

/** `$1.20 of $4.00`; less than nothing where failed attempts cost more than was saved. */
const saved = (sum: ShownSums): string =>
  hasAuto(sum)
    ? `${money(sum.auto_baseline_usd - sum.auto_cost_usd)} of ${money(sum.auto_baseline_usd)}`
    : orNothing(null)

const sums: ReadonlyArray<Column<Line>> = [
  { title: "COST", value: cost, align: "right" },
  { title: "REQUESTS", value: (sum) => count(sum.requests), align: "right" },
  { title: "FAILED", value: (sum) => count(sum.failed_requests), align: "right" },
  { title: "TOKENS IN", value: (sum) => count(sum.input_tokens), align: "right" },
  { title: "TOKENS OUT", value: (sum) => count(sum.output_tokens), align: "right" },
  { title: "LAST (UTC)", value: (sum) => time(sum.last_at) }
]

const withSaved: ReadonlyArray<Column<Line>> = [
  ...sums.slice(0, 1),
  { title: "AUTO SAVED", value: saved, align: "right" },
  ...sums.slice(1)
]
