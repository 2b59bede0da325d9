/**
 * JSON whose numbers keep their text where tools exchange data: the parser rounds integers above 2^53 and reads `1.0` as `1`.
 * Only texts that need it are parsed like this, as it takes several times as long.
 */

/** As in ES2026; Node has both. */
const { rawJSON, parse } = JSON as unknown as {
  readonly rawJSON: (text: string) => object
  readonly parse: (
    text: string,
    revive: (name: string, value: unknown, context: { source?: string }) => unknown
  ) => unknown
}

/** The numbers that were parsed exactly, by the objects that stand for them until they are encoded. */
const numbers = new WeakMap<object, number>()

/** Numbers that would be encoded otherwise than they are written keep their text. Throws what the parser throws. */
export const parseExact = (text: string): unknown =>
  parse(text, (_name, value, { source }) => {
    if (typeof value !== "number" || !Number.isFinite(value) || source === undefined || String(value) === source) {
      return value
    }
    const exact = rawJSON(source)
    numbers.set(exact, value)
    return exact
  })

/** Exact in the data and the schemas of tools; elsewhere numbers are numbers. */
export const parseToolData = (text: string): unknown => settled(parseExact(text), false)

/** Fields that hold a tool's data or its schema. */
const EXACT = new Set(["input_schema", "parameters", "schema", "args", "arguments"])

const isExact = (holder: object, name: string): boolean => {
  if (EXACT.has(name)) return true
  if (name !== "input") return false
  const { toolUseId, type } = holder as { readonly toolUseId?: unknown; readonly type?: unknown }
  return toolUseId !== undefined || (typeof type === "string" && type.endsWith("tool_use"))
}

const settled = (value: unknown, exact: boolean): unknown => {
  if (typeof value !== "object" || value === null || exact) return value
  const number = numbers.get(value)
  if (number !== undefined) return number
  for (const [name, before] of Object.entries(value)) {
    const after = settled(before, !Array.isArray(value) && isExact(value, name))
    // `__proto__` is plain data.
    if (after !== before)
      Object.defineProperty(value, name, { value: after, enumerable: true, writable: true, configurable: true })
  }
  return value
}

/** Whether `text` may hold a number that the parser would change. */
export const mayHoldExact = (text: string): boolean => /\d{16}|\d\.\d*0(?!\d)|\d[eE][-+\d]/.test(text)
