/** An exported table of keys: CSV with a first line of column names. */
import { Result } from "effect"
import type { Problem } from "./KeysAccount.ts"
import { type Cell, type CsvRow, parseCsv } from "./Csv.ts"
import { type Imports, type ReadOptions, readKeys, type Row } from "./ReadKeys.ts"
import { unknownTables } from "./Related.ts"
import { isNothing } from "./ColumnValues.ts"

export const readTable = (text: string, options: ReadOptions): Result.Result<Imports, ReadonlyArray<Problem>> => {
  const parsed = parseCsv(text.replace(/^\uFEFF/, ""))
  if (Result.isFailure(parsed)) {
    const { column, line, message } = parsed.failure
    return Result.fail([{ at: { line }, column, message }])
  }
  const [header, ...lines] = parsed.success
  const names = (header ?? []).map(({ text }) => text.trim())
  const wrong = [...wrongHeader(header), ...wrongWidths(lines, names)]
  if (wrong.length > 0) return Result.fail(wrong)
  const imports = readKeys(lines.map(rowOf(names)), unknownTables, options)
  return imports.problems.length > 0 ? Result.fail(imports.problems) : Result.succeed(imports)
}

const lineOf = (row: CsvRow): number => row[0]?.line ?? 0

const rowOf =
  (names: ReadonlyArray<string>) =>
  (row: CsvRow): Row => ({
    at: { line: lineOf(row) },
    cells: new Map(
      row.flatMap((cell, index) => {
        const name = names[index]
        return name === undefined || isNothing(cell) ? [] : [[name, cell.text] as const]
      })
    )
  })

const wrongWidths = (lines: ReadonlyArray<CsvRow>, names: ReadonlyArray<string>): ReadonlyArray<Problem> =>
  lines.flatMap((row) =>
    row.length === names.length
      ? []
      : [
          {
            at: { line: lineOf(row) },
            column: "token",
            message: `${row.length} cells in a table of ${names.length} columns`
          }
        ]
  )

const wrongHeader = (header: CsvRow | undefined): ReadonlyArray<Problem> => {
  if (header === undefined) return [{ at: { line: 1 }, column: 1, message: "there is no line" }]
  const names = header.map(({ text }) => text.trim())
  const at = (cell: Cell) => ({ at: { line: cell.line }, column: cell.column })
  const twice = header.filter(({ text }, index) => names.indexOf(text.trim()) !== index)
  if (!names.includes("token")) {
    const [first] = header
    const hint = names.length === 1 && /[;\t]/.test(names[0] ?? "") ? "; separate the cells with commas" : ""
    return [
      {
        at: { line: first?.line ?? 1 },
        column: 1,
        message: `the first line should name the columns of LiteLLM_VerificationToken, and \`token\` is not among them${hint}`
      }
    ]
  }
  return twice.map((cell) => ({ ...at(cell), message: `the column ${cell.text.trim()} is there twice` }))
}
