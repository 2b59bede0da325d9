/**
 * Schemas of tools in the form that OpenAI's API takes, for chat and for Responses. It refuses an object without `properties`, which
 * Anthropic and the Model Context Protocol allow for a tool without arguments. OpenAI itself and Azure refuse schemas whose top is no object.
 */
import { Result } from "effect"
import { Unsupported } from "../../../../core/domain/Failures.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { topLevelObject } from "../../shared/TopLevelObject.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject } from "../../../json/LooseJson.ts"

/** Named as dropped where a schema says less than the caller's. */
const LOOSENED = "tools.parameters"
const NO_OBJECT =
  "OpenAI takes schemas of tools that are an object at the top, without anyOf, oneOf, allOf, enum, not or $ref: write one, or choose another model"

/** Gives `body` tools with whole schemas. Returns what was weakened for that. */
export const completeTools = (
  body: Record<string, unknown>,
  { deployment, strict }: Pick<UpstreamCall, "deployment" | "strict">
): Result.Result<ReadonlyArray<string>, Unsupported> => {
  const { tools } = body
  if (!Array.isArray(tools)) return Result.succeed([])
  const takesObjects = deployment.quirks?.topLevelObjects === true
  let isLoosened = false
  const fitted = (schema: JsonObject): JsonObject => {
    const object = takesObjects ? topLevelObject(schema) : schema
    isLoosened ||= object !== schema
    return objectSchema(object)
  }
  const whole = withSchemas(tools, fitted)
  if (isLoosened && strict) return Result.fail(new Unsupported({ message: NO_OBJECT, param: LOOSENED }))
  if (whole !== tools) body["tools"] = whole
  return Result.succeed(isLoosened ? [LOOSENED] : [])
}

type Fit = (schema: JsonObject) => JsonObject

const withSchemas = (tools: ReadonlyArray<unknown>, fit: Fit): ReadonlyArray<unknown> => {
  const all = tools.map((tool) => withSchema(tool, fit))
  return all.some((tool, index) => tool !== tools[index]) ? all : tools
}

const withSchema = (tool: unknown, fit: Fit): unknown => {
  if (!isObject(tool)) return tool
  if (isObject(tool["function"])) return changed(tool, "function", declared(tool["function"], fit))
  // A namespace of Responses holds tools.
  if (Array.isArray(tool["tools"])) return changed(tool, "tools", withSchemas(tool["tools"], fit))
  return tool["type"] === "function" ? declared(tool, fit) : tool
}

const declared = (tool: JsonObject, fit: Fit): JsonObject =>
  isObject(tool["parameters"]) ? changed(tool, "parameters", fit(tool["parameters"])) : tool

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
