/** One line of the log, as JSON or as `name=value` pairs. */
import type { LogFormat } from "../../core/domain/Settings.ts"
import type { Value } from "./Fields.ts"

export interface LogLine {
  /** Epoch milliseconds. */
  readonly at: number
  readonly level: "TRACE" | "DEBUG" | "INFO" | "WARN" | "ERROR" | "FATAL"
  readonly message: string
  readonly fields: Readonly<Record<string, Value>>
  /** Where an error came from: its frames. */
  readonly stack?: string
}

/** Without a line break at its end, and with none inside. */
export const formatLine = (line: LogLine, format: LogFormat): string => {
  const { at, fields, level, message, stack } = line
  const all = { timestamp: new Date(at).toISOString(), level, message, ...fields, ...(stack && { stack }) }
  if (format === "json") return JSON.stringify(all)
  let text = ""
  for (const [name, value] of Object.entries(all)) text += `${text === "" ? "" : " "}${name}=${plain(value)}`
  return text
}

const plain = (value: Value): string => (typeof value === "string" ? quoted(value, "text") : String(value))

/** A text as it stands in a line: quoted in JSON, and where it has to be among pairs. */
export const quoted = (text: string, format: LogFormat): string =>
  format === "text" && /^[\w.:/@-]+$/.test(text) ? text : JSON.stringify(text)
