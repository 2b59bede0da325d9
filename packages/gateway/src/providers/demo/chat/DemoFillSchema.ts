/**
 * A value for a JSON schema: arguments for tools, answers for `response_format`. Knows references, composition, the usual formats
 * and bounds; takes what it can from the prompt. Schemas come from callers, so depth and size are bounded whatever they say.
 */
import type { JsonObject } from "../../../core/domain/Json.ts"
import { arrayOf, isObject, objectOr } from "../../json/LooseJson.ts"
import { resolve, typeOf, withParts } from "./DemoSchemaNode.ts"
import { fillNumber, fillString } from "./DemoFillScalar.ts"
import type { DemoHints } from "./DemoHints.ts"

/** Below this depth only what is required is filled in. */
const GENEROUS_DEPTH = 3
const DEEPEST = 16
const MOST_NODES = 5_000

/** Undefined when there is no value: a schema that allows none, or one without an end. */
export const fillSchema = (schema: unknown, hints: DemoHints): unknown => new Filler(schema, hints).fill(schema, 0, 0)

class Filler {
  private readonly root: unknown
  private readonly hints: DemoHints
  private nodes = 0

  constructor(root: unknown, hints: DemoHints) {
    this.root = root
    this.hints = hints
  }

  /** `nth`: the place in a list, for values that have to differ. */
  fill(schema: unknown, depth: number, nth: number): unknown {
    if (schema === false || depth > DEEPEST || ++this.nodes > MOST_NODES) return undefined
    if (!isObject(schema)) return "example"
    const node = withParts(resolve(schema, this.root), this.root)
    if ("const" in node) return node["const"]
    const options = node["anyOf"] ?? node["oneOf"]
    if (Array.isArray(options)) return this.fillOneOf(node, options, depth, nth)
    if (Array.isArray(node["enum"])) return this.choose(node["enum"], nth)
    const given = arrayOf(node["examples"])[0] ?? node["default"]
    if (given !== undefined && given !== null) return given
    return this.fillType(node, depth, nth)
  }

  private fillType(node: JsonObject, depth: number, nth: number): unknown {
    switch (typeOf(node)) {
      case "object":
        return this.fillObject(node, depth)
      case "array":
        return this.fillArray(node, depth)
      case "integer":
      case "number":
        return fillNumber(node, this.hints, nth)
      case "boolean":
        return true
      case "null":
        return null
      default:
        return fillString(node, this.hints, nth)
    }
  }

  private fillOneOf(node: JsonObject, options: ReadonlyArray<unknown>, depth: number, nth: number): unknown {
    const { anyOf: _anyOf, oneOf: _oneOf, ...rest } = node
    const nullable = options.filter((option) => isObject(option) && option["type"] === "null")
    const others = options.filter((option) => !nullable.includes(option))
    for (const option of depth >= GENEROUS_DEPTH ? [...nullable, ...others] : [...others, ...nullable]) {
      const merged = isObject(option) ? { ...rest, ...resolve(option, this.root) } : option
      const value = this.fill(merged, depth + 1, nth)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** One that the prompt mentions, else the first. */
  private choose(values: ReadonlyArray<unknown>, nth: number): unknown {
    const mentioned = nth > 0 ? undefined : this.hints.mentioned(values)
    return mentioned === undefined ? values[nth % values.length] : mentioned
  }

  private fillObject(node: JsonObject, depth: number): unknown {
    const properties = objectOr(node["properties"])
    const required = new Set(arrayOf(node["required"]).filter((name) => typeof name === "string"))
    const fields: Array<readonly [string, unknown]> = []
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.has(name) && depth >= GENEROUS_DEPTH) continue
      const value = this.fill(schema, depth + 1, 0)
      if (value !== undefined) fields.push([name, value])
      else if (required.has(name)) return undefined
    }
    for (const name of required) {
      if (Object.hasOwn(properties, name)) continue
      const value = this.fill(node["additionalProperties"] ?? true, depth + 1, 0)
      if (value === undefined) return undefined
      fields.push([name, value])
    }
    return Object.fromEntries(fields)
  }

  private fillArray(node: JsonObject, depth: number): unknown {
    const heads = arrayOf(node["prefixItems"])
    const least = typeof node["minItems"] === "number" ? node["minItems"] : 0
    const most = typeof node["maxItems"] === "number" ? node["maxItems"] : Infinity
    const wanted = Math.min(Math.max(least, heads.length, depth < GENEROUS_DEPTH ? 1 : 0), most, MOST_NODES)
    const items: Array<unknown> = []
    while (items.length < wanted) {
      const schema = items.length < heads.length ? heads[items.length] : (node["items"] ?? true)
      const item = this.fill(schema, depth + 1, items.length)
      if (item === undefined) break
      items.push(item)
    }
    return items.length < least ? undefined : items
  }
}
