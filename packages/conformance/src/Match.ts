/**
 * Whether an observation is what a scenario expects. An object must hold the expected fields and may hold others, a list must be
 * equal item by item, anything else must be equal. An object with one of these fields is a rule instead:
 *
 * `$type` (`string`, `number`, `integer`, `boolean`, `null`, `array`, `object`) · `$match`, a regular expression · `$above`, `$least`,
 * `$most` · `$length` · `$has`, an item of the list · `$absent: true` · `$any`, one of several · `$not`.
 */
import type { Json, JsonObject } from "./Scenario.ts"

/** What is wrong, one line each; none: it matches. `actual` is undefined where there is nothing. */
export const mismatches = (expected: Json, actual: unknown, path = ""): ReadonlyArray<string> => {
  if (isObject(expected)) {
    const rules = Object.keys(expected).filter((name) => name.startsWith("$"))
    if (rules.length > 0) return rules.flatMap((rule) => broken(rule, expected[rule] ?? null, actual, path))
    if (!isObject(actual)) return [differs(path, expected, actual)]
    return Object.entries(expected).flatMap(([name, inner]) =>
      mismatches(inner, Object.hasOwn(actual, name) ? actual[name] : undefined, path === "" ? name : `${path}.${name}`)
    )
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return [differs(path, expected, actual)]
    return expected.flatMap((inner, index) => mismatches(inner, actual[index], `${path}[${index}]`))
  }
  return expected === actual ? [] : [differs(path, expected, actual)]
}

const broken = (rule: string, wanted: Json, actual: unknown, path: string): ReadonlyArray<string> =>
  holds(rule, wanted, actual, path) ? [] : [differs(path, { [rule]: wanted }, actual)]

const holds = (rule: string, wanted: Json, actual: unknown, path: string): boolean => {
  switch (rule) {
    case "$type":
      return wanted === "integer" ? Number.isInteger(actual) : typeOf(actual) === wanted
    case "$match":
      return typeof actual === "string" && new RegExp(String(wanted), "su").test(actual)
    case "$above":
      return typeof actual === "number" && actual > Number(wanted)
    case "$least":
      return typeof actual === "number" && actual >= Number(wanted)
    case "$most":
      return typeof actual === "number" && actual <= Number(wanted)
    case "$length":
      return (typeof actual === "string" || Array.isArray(actual)) && mismatches(wanted, actual.length).length === 0
    case "$has":
      return Array.isArray(actual) && actual.some((item) => mismatches(wanted, item).length === 0)
    case "$absent":
      return (actual === undefined || actual === null) === wanted
    case "$any":
      return Array.isArray(wanted) && wanted.some((one: Json) => mismatches(one, actual, path).length === 0)
    case "$not":
      return mismatches(wanted, actual, path).length > 0
    default:
      throw new Error(`${path}: there is no rule ${rule}.`)
  }
}

const typeOf = (value: unknown): string => {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const LONGEST = 400

const differs = (path: string, expected: Json, actual: unknown): string => {
  const came = actual === undefined ? "nothing" : JSON.stringify(actual)
  return `${path === "" ? "it" : path}: expected ${JSON.stringify(expected)}, came ${came.slice(0, LONGEST)}`
}
