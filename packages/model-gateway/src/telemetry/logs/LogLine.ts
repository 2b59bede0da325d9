/** One line of the log, as JSON or as `name=value` pairs. */
import type { LogFormat } from "@model-gateway/gateway/internal/core/domain/Settings"
import type { Value } from "./LogFields.ts"

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
  format === "text" && /^[\w.:/@-]+$/.test(text) ? text : JSON.stringify(text).replace(UNSEEN, escaped)

/** Marks that change the direction of what stands beside them, and line breaks that JSON leaves as they are. */
const UNSEEN = /[\u0085\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

const escaped = (mark: string): string => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`
