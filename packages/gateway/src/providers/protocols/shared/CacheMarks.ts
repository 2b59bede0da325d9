/** Marks for prompt caches (`cache_control`), as Anthropic's and OpenRouter's clients set them. They change no response. */
import { isObject, type JsonObject } from "../../json/LooseJson.ts"

const MARK = "cache_control"

/** The mark of a block, to be spread into what it becomes. */
export const markOf = ({ [MARK]: mark }: JsonObject): JsonObject => (isObject(mark) ? { [MARK]: mark } : {})

/** Lists of messages, items and tools hold marks; so do the parts and functions inside of them. */
const HOLDERS = ["content", "output", "function"]

const DEPTH = 3

/**
 * Removes the marks from the fields of a body that can hold some. OpenAI refuses them:
 * https://github.com/BerriAI/litellm/pull/28431 (read 2026-11-22).
 */
export const removeMarks = (body: Record<string, unknown>, ...fields: ReadonlyArray<string>): void => {
  delete body[MARK]
  for (const field of fields) if (isMarked(body[field], DEPTH)) body[field] = unmarked(body[field], DEPTH)
}

const isMarked = (value: unknown, depth: number): boolean => {
  if (depth < 0) return false
  if (Array.isArray(value)) return value.some((one) => isMarked(one, depth))
  return isObject(value) && (value[MARK] !== undefined || HOLDERS.some((name) => isMarked(value[name], depth - 1)))
}

const unmarked = (value: unknown, depth: number): unknown => {
  if (depth < 0) return value
  if (Array.isArray(value)) return value.map((one) => unmarked(one, depth))
  if (!isObject(value)) return value
  const { [MARK]: _, ...rest } = value
  const inner = HOLDERS.filter((name) => rest[name] !== undefined).map((name) => [
    name,
    unmarked(rest[name], depth - 1)
  ])
  return { ...rest, ...Object.fromEntries(inner) }
}
