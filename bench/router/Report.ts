/** What a part of the benchmark hands over, and how it is shown: on a terminal, and in docs/routing-evaluation.md. */
import type { Estimate } from "../../packages/router-lab/src/evaluation/Bootstrap.ts"

export interface Table {
  readonly title: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<string>>
  /** What a reader must know to read it right. */
  readonly note?: string
}

export interface Target {
  readonly measure: string
  /** `≥ 0.61`. */
  readonly wanted: string
  readonly found: string
  readonly isMet: boolean
}

export interface Section {
  readonly tables: ReadonlyArray<Table>
  readonly targets: ReadonlyArray<Target>
  /** For the JSON line. */
  readonly figures: object
}

export const atLeast = (measure: string, least: number, value: number, decimals = 3): Target => ({
  measure,
  wanted: `≥ ${least}`,
  found: value.toFixed(decimals),
  isMet: value >= least
})

export const atMost = (measure: string, most: number, value: number, decimals = 1): Target => ({
  measure,
  wanted: `≤ ${most}`,
  found: value.toFixed(decimals),
  isMet: value <= most
})

export const decimal = (value: number, decimals = 3): string => (Number.isNaN(value) ? "-" : value.toFixed(decimals))
export const percent = (share: number): string => (Number.isNaN(share) ? "-" : `${(100 * share).toFixed(1)} %`)

/** `0.602 (0.593 to 0.612)`. */
export const withInterval = ({ interval: [low, high], value }: Estimate, show: (value: number) => string): string =>
  Number.isNaN(value) ? "-" : `${show(value)} (${show(low).replace(" %", "")} to ${show(high)})`

export const asText = ({ columns, note, rows, title }: Table): string => {
  const widths = columns.map((column, index) => Math.max(column.length, ...rows.map((row) => row[index]!.length)))
  const line = (cells: ReadonlyArray<string>) =>
    cells.map((cell, index) => (index === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[index]!))).join("   ")
  return [title, line(columns), ...rows.map(line), ...(note === undefined ? [] : [note])].join("\n")
}

export const asMarkdown = ({ columns, note, rows, title }: Table): string => {
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell) => cell.replaceAll("|", String.raw`\|`)).join(" | ")} |`
  const head = [line(columns), `|${columns.map((_, index) => (index === 0 ? "---" : "--:")).join("|")}|`]
  return [`${title}:`, "", ...head, ...rows.map(line), ...(note === undefined ? [] : ["", note])].join("\n")
}

export const targetTable = (targets: ReadonlyArray<Target>): Table => ({
  title: "Targets",
  columns: ["measure", "wanted", "found", ""],
  rows: targets.map(({ found, isMet, measure, wanted }) => [measure, wanted, found, isMet ? "✓" : "✗"])
})
