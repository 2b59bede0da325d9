/** Tools as OpenAI has them. There is no `tool_choice`: what it leaves out is left out here. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"

const NO_ARGUMENTS = { type: "object", properties: {} }

export const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const choice = body["tool_choice"]
  const tools = arrayOf(body["tools"]).flatMap((tool, index): ReadonlyArray<JsonObject> => {
    const declared = isObject(tool) ? tool["function"] : undefined
    const name = isObject(declared) ? textOf(declared["name"]) : undefined
    if (!isObject(declared) || name === undefined) {
      losses.refuse(`tools[${index}]`, "only function tools can be sent to this provider")
      return []
    }
    const { description, parameters } = declared
    const described = textOf(description) === undefined ? {} : { description }
    const called = { name, ...described, parameters: isObject(parameters) ? parameters : NO_ARGUMENTS }
    return [{ type: "function", function: called }]
  })
  if (choice === "none") return {}
  const named = isObject(choice) && isObject(choice["function"]) ? textOf(choice["function"]["name"]) : undefined
  if (choice === "required" || named !== undefined) {
    losses.drop("tool_choice", "a model can't be made to call a tool at this provider")
  }
  const offered = named === undefined ? tools : tools.filter((tool) => nameOf(tool) === named)
  return offered.length === 0 ? {} : { tools: offered }
}

const nameOf = (tool: JsonObject): unknown => (isObject(tool["function"]) ? tool["function"]["name"] : undefined)
