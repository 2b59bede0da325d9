/** Tables as CSV (RFC 4180), for spreadsheets. */
import { useState } from "preact/hooks"
import { asApiError } from "../api/Query.ts"

type Cell = string | number | boolean | null | undefined

/** Amounts without an exponent. Texts that a spreadsheet would take for a formula get a sign in front that it takes for text. */
const cell = (value: Cell): string => {
  if (value === null || value === undefined) return ""
  if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(9).replace(/\.?0+$/, "")
  const text = typeof value === "string" && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvOf = (names: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<Cell>>): string =>
  [names, ...rows].map((row) => `${row.map(cell).join(",")}\r\n`).join("")

const save = (name: string, text: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }))
  const link = document.createElement("a")
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Saves what `text` gives as a file; says so where there is none. */
export const Save = (props: { readonly name: string; readonly text: () => string | Promise<string> }) => {
  const [failed, setFailed] = useState<string | undefined>(undefined)
  const run = () => {
    Promise.resolve(props.text())
      .then((text) => {
        save(props.name, text)
        setFailed(undefined)
      })
      .catch((cause: unknown) => setFailed(asApiError(cause).message))
  }
  return (
    <>
      {failed === undefined ? null : <span role="alert">{failed}</span>}
      <button onClick={run}>CSV</button>
    </>
  )
}
