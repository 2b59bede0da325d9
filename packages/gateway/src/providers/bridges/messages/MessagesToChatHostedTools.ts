/** What tools that a vendor runs did in an earlier turn, as text: another model can read what was found, and no more. */
import { encodeJson, isObject, textOf, type JsonObject } from "../../json/LooseJson.ts"
import type { Losses } from "../../protocols/shared/Losses.ts"

/** `path`: the block's place in the body. */
export const hostedText = (block: JsonObject, path: string, losses: Losses): string => {
  const { input, name, type } = block
  if (isObject(input) && textOf(name) !== undefined) return `[${String(name)} ${encodeJson(input) ?? ""}]\n`
  const found: Array<string> = []
  const isWhole = read(block, found, 0)
  if (!isWhole || found.length === 0) losses.drop(path, `this model can't read all of a block of type ${String(type)}`)
  return found.length === 0 ? "" : `[${String(type)}]\n${found.join("\n")}\n`
}

const READABLE = ["title", "url", "source", "text", "cited_text", "stdout", "stderr", "error_code", "tool_name"]
const DEEPEST = 8

/** Whether nothing was encrypted or too deep. */
const read = (value: unknown, found: Array<string>, depth: number): boolean => {
  if (depth > DEEPEST) return false
  if (Array.isArray(value)) return value.map((one: unknown) => read(one, found, depth + 1)).every(Boolean)
  if (!isObject(value)) return true
  for (const field of READABLE) {
    const text = textOf(value[field])
    if (text !== undefined) found.push(text)
  }
  const inside = Object.entries(value).filter(([, one]) => typeof one === "object" && one !== null)
  const isOpen = Object.keys(value).every((name) => !name.startsWith("encrypted"))
  return inside.map(([, one]) => read(one, found, depth + 1)).every(Boolean) && isOpen
}
