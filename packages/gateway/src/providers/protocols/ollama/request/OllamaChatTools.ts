/** Tools as OpenAI has them. There is no `tool_choice`: what it leaves out is left out here. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { functionTool } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const choice = body["tool_choice"]
  const tools = arrayOf(body["tools"]).flatMap((tool, index) => functionTool(tool, `tools[${index}]`, losses))
  if (choice === "none") return {}
  const named = isObject(choice) && isObject(choice["function"]) ? textOf(choice["function"]["name"]) : undefined
  if (choice === "required" || named !== undefined) {
    losses.drop("tool_choice", "a model can't be made to call a tool at this provider")
  }
  const offered = named === undefined ? tools : tools.filter(({ name }) => name === named)
  return offered.length === 0
    ? {}
    : { tools: offered.map(({ declared }) => ({ type: "function", function: declared })) }
}
