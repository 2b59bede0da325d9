/** A spend report as CSV (RFC 4180), for spreadsheets. */
import type { SpendReport } from "@model-gateway/protocol"
import { HttpServerResponse } from "effect/http"

const sums = [
  "cost_usd",
  "estimated_cost_usd",
  "requests",
  "failed_requests",
  "input_tokens",
  "cached_input_tokens",
  "output_tokens",
  "reasoning_tokens",
  "auto_requests",
  "auto_cost_usd",
  "auto_baseline_usd",
  "last_at",
  "cache_hits",
  "cache_saved_usd"
] as const

export const spendCsv = ({ group_by: groupBy = [], rows = [] }: SpendReport): HttpServerResponse.HttpServerResponse => {
  const columns = [...groupBy.flatMap((name) => (name === "key" ? [name, "key_name" as const] : [name])), ...sums]
  const lines = [columns, ...rows.map((row) => columns.map((name) => cell(row[name])))]
  return HttpServerResponse.text(`${lines.map((line) => line.join(",")).join("\r\n")}\r\n`, {
    contentType: "text/csv; charset=utf-8",
    headers: { "content-disposition": 'attachment; filename="spend.csv"' }
  })
}

/** Amounts without an exponent. Texts that a spreadsheet would take for a formula get a sign in front that it takes for text. */
const cell = (value: string | number | null | undefined): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number") return Number.isInteger(value) ? String(value) : value.toFixed(9).replace(/0+$/, "")
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
