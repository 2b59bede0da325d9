/** Reads JSON from outside: a value of the wrong kind counts as absent. */
import type { JsonObject } from "../../core/domain/Json.ts"

export type { JsonObject }

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined)

export const objectOr = (value: unknown): JsonObject => objectOf(value) ?? {}

export const objectsIn = (value: unknown): ReadonlyArray<JsonObject> => arrayOf(value).filter((one) => isObject(one))

export const arrayOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** Undefined for "" too: callers send it for a field they have nothing for. */
export const textOf = (value: unknown): string | undefined => (isText(value) ? value : undefined)

export const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

/** Says something: neither null nor empty. */
export const isFilled = (value: unknown): boolean =>
  value !== null && value !== "" && value !== undefined && !(Array.isArray(value) && value.length === 0)

/** No response has more tokens; what claims to is garbage. */
const MOST_TOKENS = 1e9

/** A token count: 0 for anything else. */
export const countOf = (value: unknown): number =>
  typeof value === "number" && value > 0 && value <= MOST_TOKENS ? Math.round(value) : 0

/** Present, but not a number of tokens. */
export const isGarbage = (value: unknown): boolean =>
  value !== undefined && value !== null && !(typeof value === "number" && value >= 0 && value <= MOST_TOKENS)

/** Nothing but white space: some APIs answer 400 to such texts. */
export const isBlank = (text: string): boolean => text.trim() === ""

/** The JSON text of a value that was read from JSON; undefined when it is nested too deeply to be written. */
export const encodeJson = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The text of a call's arguments; "" where it has none. Some servers write `null` for a tool that takes none. */
export const argumentsText = (given: unknown): string => {
  const text = typeof given === "string" ? given : given === undefined ? "" : (encodeJson(given) ?? "")
  return isBlank(text) || text.trim() === "null" ? "" : text
}
