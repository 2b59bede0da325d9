/** Cells as values, in the spellings of psql's `\copy`, pgAdmin, DBeaver and others. */
import { Result } from "effect"
import type { Cell } from "./Csv.ts"

type Read<A> = Result.Result<A, string>

const NOTHING = new Set(["NULL", "null", "\\N"])

/** Whether the cell stands for no value at all. Some tools put quotes around everything. */
export const isNothing = ({ isQuoted, text }: Cell): boolean =>
  text.trim() === "" || (!isQuoted && NOTHING.has(text.trim()))

export const number = (text: string): Read<number> => {
  const value = Number(text.trim())
  return text.trim() !== "" && Number.isFinite(value) ? Result.succeed(value) : Result.fail("a number")
}

/** Database tools write whole numbers of type float with a fraction. */
export const whole = (text: string): Read<number> =>
  Result.flatMap(number(text), (value) =>
    Number.isSafeInteger(value) ? Result.succeed(value) : Result.fail("a whole number")
  )

const words = new Map([
  ["t", true],
  ["true", true],
  ["1", true],
  ["yes", true],
  ["f", false],
  ["false", false],
  ["0", false],
  ["no", false]
])

export const truth = (text: string): Read<boolean> => {
  const value = words.get(text.trim().toLowerCase())
  return value === undefined ? Result.fail("true or false") : Result.succeed(value)
}

const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?\s*(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Epoch ms. A time without a zone is UTC, as LiteLLM's columns are. */
export const time = (text: string): Read<number> => {
  const [, day = "", clock = "00:00:00", zone = "Z"] = TIME.exec(text.trim()) ?? []
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")
  const at = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}${offset.toUpperCase()}`)
  return Number.isNaN(at) ? Result.fail("a time such as 2026-12-31 23:59:59") : Result.succeed(at)
}

const asJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export type JsonObject = { readonly [name: string]: unknown }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const object = (text: string): Read<JsonObject> => {
  const value = asJson(text)
  return isObject(value) ? Result.succeed(value) : Result.fail("a JSON object")
}

/** A JSON value, whatever it is: null for an empty text. */
export const json = (text: string): Read<unknown> => {
  const value = asJson(text)
  return value === undefined ? Result.fail("JSON") : Result.succeed(value)
}

const ITEM = /\s*(?:"((?:[^"\\]|\\.)*)"|([^,"{}]*))\s*(,|$)/gy

/** An array of texts: PostgreSQL's `{a,"b c"}` or JSON's `["a"]`. */
export const list = (text: string): Read<ReadonlyArray<string>> => {
  const trimmed = text.trim()
  const problem = Result.fail('a list such as {gpt-4o,"claude-*"}')
  if (trimmed.startsWith("[")) {
    const value = asJson(trimmed)
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? Result.succeed(value) : problem
  }
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return problem
  const inner = trimmed.slice(1, -1)
  const items: Array<string> = []
  ITEM.lastIndex = 0
  while (ITEM.lastIndex < inner.length) {
    const match = ITEM.exec(inner)
    if (match === null) return problem
    const [, quoted, plain = ""] = match
    items.push(quoted === undefined ? plain.trim() : quoted.replaceAll(/\\(.)/g, "$1"))
  }
  return Result.succeed(items)
}
