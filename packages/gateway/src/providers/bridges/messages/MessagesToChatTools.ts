/** Tools, and how freely the model may use them. */
import type { JsonObject } from "../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../json/LooseJson.ts"
import { markOf } from "../../protocols/shared/CacheMarks.ts"
import type { Losses } from "../../protocols/shared/Losses.ts"

/** The fields of a chat request; those that ask for nothing are undefined. */
export const chatTools = (body: JsonObject, marked: boolean, losses: Losses): JsonObject => {
  const tools = arrayOf(body["tools"]).flatMap((tool, index) => chatTool(tool, `tools[${index}]`, marked, losses))
  const choice = isObject(body["tool_choice"]) ? body["tool_choice"] : {}
  if (asksForMissing(choice, tools, arrayOf(body["tools"]))) losses.refuse("tool_choice", MISSING)
  if (tools.length === 0) return {}
  return {
    tools,
    tool_choice: chatChoice(choice),
    parallel_tool_calls: choice["disable_parallel_tool_use"] === true ? false : undefined
  }
}

const MISSING =
  "`tool_choice` names a tool that runs at Anthropic and is not available at this provider: choose another model or another tool"

/** Whether the model must call a tool, and none that it may call is left. */
const asksForMissing = (
  { name, type }: JsonObject,
  left: ReadonlyArray<JsonObject>,
  given: ReadonlyArray<unknown>
): boolean => {
  if (type === "any") return left.length === 0 && given.length > 0
  const isNamed = (tool: unknown): boolean => isObject(tool) && tool["name"] === name
  return type === "tool" && given.some(isNamed) && !left.some((tool) => isNamed(tool["function"]))
}

const chatTool = (tool: unknown, path: string, marked: boolean, losses: Losses): ReadonlyArray<JsonObject> => {
  if (!isObject(tool)) return []
  const { description, input_schema: schema, name, strict, type } = tool
  if (type === undefined || type === null || type === "custom") {
    const described = textOf(description) === undefined ? undefined : { description }
    const exact = strict === true ? { strict } : undefined
    return [
      {
        type: "function",
        function: { name, ...described, parameters: schema, ...exact },
        ...(marked ? markOf(tool) : {})
      }
    ]
  }
  losses.drop(path, `\`${path}\` runs at Anthropic: ${JSON.stringify(type)} is not available at this provider`)
  return []
}

const chatChoice = ({ name, type }: JsonObject): unknown => {
  switch (type) {
    case "any":
      return "required"
    case "tool":
      return { type: "function", function: { name } }
    case "auto":
    case "none":
      return type
    default:
      return undefined
  }
}
