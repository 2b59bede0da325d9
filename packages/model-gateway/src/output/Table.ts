/** Tables for people: columns as wide as what is in them, within a width. */
import { CliOutput } from "effect/cli"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Numbers stand under each other by their ends. */
  readonly align?: "right"
  /** Its values may go on in further lines where the table is too wide. Nothing is ever cut: people copy names and ids. */
  readonly wraps?: true
}

/** Where there is no terminal, other programs read the lines: each row is one. */
const WIDTH = Infinity
const GAP = "  "
/** A column that wraps keeps at least this. */
const NARROWEST = 8

/** Lines without a line break at the end. `width`: columns of the terminal that the table may take. */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  width: number = process.stdout.columns ?? WIDTH
): string => {
  const cells = rows.map((row) => columns.map((column) => column.value(row)))
  const natural = columns.map((column, index) =>
    Math.max(...[column.title, ...cells.map((line) => line[index]!)].map(CliOutput.displayWidth))
  )
  const widths = fit(columns, natural, width)
  const line = (texts: ReadonlyArray<string>) => {
    const wrapped = texts.map((text, index) => pieces(text, widths[index]!))
    return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, row) =>
      wrapped
        .map((lines, index) => pad(lines[row] ?? "", widths[index]!, columns[index]!.align))
        .join(GAP)
        .trimEnd()
    ).join("\n")
  }
  return [line(columns.map((column) => column.title)), ...cells.map(line)].join("\n")
}

/** A name and what there is to say about it, one pair a line. */
export const pairs = (lines: ReadonlyArray<readonly [name: string, value: string]>): string => {
  const width = Math.max(...lines.map(([name]) => CliOutput.displayWidth(name)))
  return lines.map(([name, value]) => `${pad(name, width)}${GAP}${value}`.trimEnd()).join("\n")
}

/** Takes from the widest column that may wrap, until it fits or nothing more can be taken. */
const fit = <Row>(columns: ReadonlyArray<Column<Row>>, natural: ReadonlyArray<number>, width: number) => {
  const widths = [...natural]
  let excess = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - width
  while (excess > 0) {
    let widest: number | undefined
    for (const [index, column] of columns.entries()) {
      if (column.wraps !== true || widths[index]! <= NARROWEST) continue
      if (widest === undefined || widths[index]! > widths[widest]!) widest = index
    }
    if (widest === undefined) break
    widths[widest]! -= 1
    excess -= 1
  }
  return widths
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The lines of a cell. They end after a space or a sign that joins names, where there is one. */
const pieces = (text: string, width: number): ReadonlyArray<string> => {
  if (CliOutput.displayWidth(text) <= width) return [text]
  const lines: Array<string> = []
  let line = ""
  for (const { segment } of graphemes.segment(text)) {
    if (line !== "" && CliOutput.displayWidth(line + segment) > width) {
      const end = /^.*[\s,/_-]/su.exec(line)?.[0].length ?? line.length
      lines.push(line.slice(0, end).trimEnd())
      line = line.slice(end)
    }
    line += segment
  }
  return [...lines, line]
}

const pad = (text: string, width: number, align?: "right"): string => {
  const space = " ".repeat(Math.max(0, width - CliOutput.displayWidth(text)))
  return align === "right" ? space + text : text + space
}
