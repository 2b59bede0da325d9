/** Settings between processes of one gateway: secrets are plain there, and nowhere else. */
import { Redacted } from "effect"
import type { Settings } from "../core/domain/Settings.ts"

const SECRET = "§secret"

/** What can be sent. The channel is of this process and its children alone. */
export const settingsToSend = (settings: Settings): unknown => plain(settings)

export const settingsReceived = (sent: unknown): Settings => redacted(sent) as Settings

const plain = (value: unknown): unknown => {
  if (Redacted.isRedacted(value)) return { [SECRET]: Redacted.value(value) }
  return mapped(value, plain)
}

const redacted = (value: unknown): unknown => {
  if (typeof value === "object" && value !== null && SECRET in value) return Redacted.make(value[SECRET])
  return mapped(value, redacted)
}

const mapped = (value: unknown, by: (value: unknown) => unknown): unknown => {
  if (Array.isArray(value)) return value.map(by)
  if (value instanceof Map) return new Map(Array.from(value, ([key, item]) => [key, by(item)]))
  if (value instanceof Set || value instanceof RegExp || typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, by(field)]))
}
