/** CSV as databases write it (RFC 4180): cells in quotes may hold commas, quotes and lines. */
import { Result } from "effect"

export interface Cell {
  readonly text: string
  readonly isQuoted: boolean
  /** Where it begins, both from 1. */
  readonly line: number
  readonly column: number
}

export type CsvRow = ReadonlyArray<Cell>

/** What makes the rest of the file unreadable. */
export interface CsvProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

const PLAIN_END = /[,\r\n"]/g

/** Rows in order; lines without anything are none. */
export const parseCsv = (text: string): Result.Result<ReadonlyArray<CsvRow>, CsvProblem> => {
  const rows: Array<CsvRow> = []
  let cells: Array<Cell> = []
  let at = 0
  let line = 1
  let lineStart = 0
  const endOfRow = () => {
    const [only] = cells
    if (cells.length > 1 || (only !== undefined && (only.text !== "" || only.isQuoted))) rows.push(cells)
    cells = []
  }
  const newLine = () => {
    line++
    lineStart = at
  }
  while (at < text.length || cells.length > 0) {
    const start = { line, column: at - lineStart + 1 }
    let cell = ""
    const isQuoted = text[at] === '"'
    if (isQuoted) {
      at++
      for (;;) {
        const quote = text.indexOf('"', at)
        if (quote === -1) return Result.fail({ ...start, message: "these quotes are never closed" })
        const piece = text.slice(at, quote)
        for (let end = text.indexOf("\n", at); end !== -1 && end < quote; end = text.indexOf("\n", end + 1)) {
          line++
          lineStart = end + 1
        }
        cell += piece
        at = quote + 1
        if (text[at] !== '"') break
        cell += '"'
        at++
      }
    } else {
      PLAIN_END.lastIndex = at
      const end = PLAIN_END.exec(text)?.index ?? text.length
      if (text[end] === '"') {
        return Result.fail({
          line,
          column: end - lineStart + 1,
          message: "a quote in the middle of a cell without quotes"
        })
      }
      cell = text.slice(at, end)
      at = end
    }
    cells.push({ text: cell, isQuoted, ...start })
    const next = text[at]
    if (next === ",") {
      at++
      // A comma at the very end has one more cell behind it.
      if (at === text.length) cells.push({ text: "", isQuoted: false, line, column: at - lineStart + 1 })
      else continue
    } else if (next === "\r" || next === "\n") {
      at += next === "\r" && text[at + 1] === "\n" ? 2 : 1
      newLine()
    } else if (next !== undefined) {
      return Result.fail({ line, column: at - lineStart + 1, message: "something stands behind the closing quote" })
    }
    endOfRow()
  }
  return Result.succeed(rows)
}
