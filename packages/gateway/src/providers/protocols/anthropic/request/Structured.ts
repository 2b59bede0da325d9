/**
 * `response_format`: natively where model and schema allow it, else as a tool that the model has to call and whose arguments become the
 * content of the answer. How it is done follows from the call alone, so that the way back knows it too.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { arrayOf, isObject } from "../Json.ts"
import type { Losses } from "./DroppedParams.ts"
import { modelTraits, type ModelTraits } from "../Models.ts"
import { fitsNatively, nativeSchema } from "./NativeSchema.ts"
import type { ToolUse } from "./Tools.ts"

/** The name of the tool whose arguments are the answer's content; undefined when there is none. */
export const answerTool = (call: UpstreamCall): string | undefined => {
  const body = call.request.body
  const traits = modelTraits(call.deployment.model)
  const schema = givenSchema(body)
  if (schema === undefined || isNative(schema, traits) || !traits.forcedTools || mustCallOwnTool(body)) return undefined
  const taken = new Set(arrayOf(body["tools"]).map(toolName))
  return taken.has("json") ? "json_answer" : "json"
}

/** `output_config.format`; undefined when it is not used. Reports what can't be held to. */
export const nativeFormat = (call: UpstreamCall, losses: Losses): JsonObject | undefined => {
  const { body } = call.request
  const format = body["response_format"]
  const type = isObject(format) ? format["type"] : undefined
  if (!isObject(format) || type === "text") return undefined
  if (type === "json_object") {
    losses.drop("response_format", "Anthropic has no JSON mode without a schema")
    return undefined
  }
  const schema = givenSchema(body)
  if (schema === undefined) {
    losses.refuse("response_format", "`response_format` must be text, json_object or json_schema with a schema")
    return undefined
  }
  const traits = modelTraits(call.deployment.model)
  if (isNative(schema, traits)) return { type: "json_schema", schema: nativeSchema(schema) }
  if (!traits.forcedTools)
    losses.refuse("response_format.json_schema.schema", "this model can't be held to this schema")
  return undefined
}

/** The tools with the answer's own among them; the model has to call one. */
export const withAnswerTool = (use: ToolUse, name: string | undefined, body: JsonObject): ToolUse => {
  const schema = givenSchema(body)
  if (name === undefined || schema === undefined) return use
  const tool = { name, description: "Respond with a JSON object.", input_schema: { type: "object", ...schema } }
  const own = use.choice?.["type"] === "none" ? [] : use.tools
  const choice = own.length === 0 ? { type: "tool", name } : { type: "any" }
  // Two answers at once would be none.
  return { tools: [...use.tools, tool], choice: { ...choice, disable_parallel_tool_use: true } }
}

const givenSchema = (body: JsonObject): JsonObject | undefined => {
  const format = body["response_format"]
  const described = isObject(format) && format["type"] === "json_schema" ? format["json_schema"] : undefined
  return isObject(described) && isObject(described["schema"]) ? described["schema"] : undefined
}

const isNative = (schema: JsonObject, traits: ModelTraits): boolean => traits.jsonSchema && fitsNatively(schema)

/** With a tool call demanded there is no content for the schema to apply to. */
const mustCallOwnTool = (body: JsonObject): boolean => {
  const choice = body["tool_choice"]
  if (arrayOf(body["tools"]).length === 0) return false
  if (choice === "required") return true
  if (!isObject(choice)) return false
  return (
    choice["type"] === "function" ||
    (isObject(choice["allowed_tools"]) && choice["allowed_tools"]["mode"] === "required")
  )
}

const toolName = (tool: unknown): unknown =>
  isObject(tool) ? (isObject(tool["function"]) ? tool["function"]["name"] : tool["name"]) : undefined
