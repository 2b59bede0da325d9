/**
 * Schemas of tools in the form that OpenAI's API takes, for chat and for Responses. It refuses an object without `properties`, which
 * Anthropic and the Model Context Protocol allow for a tool without arguments.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject } from "../../shared/Json.ts"

/** `tools` itself where nothing is missing. */
export const withProperties = (tools: unknown): unknown =>
  Array.isArray(tools) && tools.some((tool) => completed(tool) !== tool) ? tools.map(completed) : tools

const completed = (tool: unknown): unknown => {
  if (!isObject(tool)) return tool
  if (isObject(tool["function"])) return changed(tool, "function", whole(tool["function"]))
  // A namespace of Responses holds tools.
  if (Array.isArray(tool["tools"])) return changed(tool, "tools", withProperties(tool["tools"]))
  return tool["type"] === "function" ? whole(tool) : tool
}

const whole = (declared: JsonObject): JsonObject =>
  isObject(declared["parameters"]) ? changed(declared, "parameters", objectSchema(declared["parameters"])) : declared

const changed = (item: JsonObject, name: string, value: unknown): JsonObject =>
  item[name] === value ? item : { ...item, [name]: value }

const objectSchema = (schema: JsonObject): JsonObject => {
  const { properties, type } = schema
  const isBare = type === undefined && !COMBINED.some((name) => schema[name] !== undefined)
  if (type !== "object" && !isBare) return schema
  if (type === "object" && isObject(properties)) return schema
  return { ...schema, type: "object", properties: properties ?? {} }
}

/** What says by itself which values fit. */
const COMBINED = ["anyOf", "oneOf", "allOf", "$ref", "enum", "const", "not"]
