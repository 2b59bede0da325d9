/** Tools and how freely the model may use them. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { AnthropicTurn } from "./AnthropicChatConversation.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { topLevelObject } from "../../shared/TopLevelObject.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"
import { fitsNatively, nativeSchema } from "./AnthropicChatNativeSchema.ts"

export interface AnthropicToolFields {
  readonly tools: ReadonlyArray<JsonObject>
  /** Undefined leaves it to the model. */
  readonly choice: JsonObject | undefined
}

/** Whether the answer has to be a tool call. */
export const isForced = (choice: JsonObject | undefined): boolean =>
  choice?.["type"] === "any" || choice?.["type"] === "tool"

/** A tool with an empty schema takes no arguments. */
const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} }

export const lowerTools = (
  body: JsonObject,
  turns: ReadonlyArray<AnthropicTurn>,
  traits: AnthropicTraits,
  losses: Losses
): AnthropicToolFields => {
  const given = arrayOf(body["tools"])
  if (given.length === 0) return onlyHistory(turns)
  const tools = given.flatMap((tool, index) => lowerTool(tool, `tools[${index}]`, traits, losses))
  const { allowed, choice } = lowerChoice(body["tool_choice"], traits, losses)
  const offered = allowed === undefined ? tools : tools.filter((tool) => allowed.has(String(tool["name"])))
  if (body["parallel_tool_calls"] !== false || choice?.["type"] === "none") return { tools: offered, choice }
  return { tools: offered, choice: { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } }
}

/** One tool, or none when it was refused. */
const lowerTool = (
  tool: unknown,
  param: string,
  traits: AnthropicTraits,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const declared = isObject(tool) ? tool["function"] : undefined
  if (isObject(tool) && isObject(declared)) return [functionTool(tool, declared, traits, losses)]
  // Anthropic's own tools carry a date in their type and are passed on as they are.
  if (isObject(tool) && typeof tool["type"] === "string" && /_\d{8}$/.test(tool["type"])) return [tool]
  losses.refuse(param, "only function tools and Anthropic's own tools can be sent to this provider")
  return []
}

const functionTool = (tool: JsonObject, declared: JsonObject, traits: AnthropicTraits, losses: Losses): JsonObject => {
  const parameters = isObject(declared["parameters"]) ? declared["parameters"] : NO_ARGUMENTS
  const schema = topSchema(parameters, "tools.function.parameters", losses)
  const wantsStrict = declared["strict"] === true
  const strict = wantsStrict && traits.jsonSchema && fitsNatively(schema)
  if (wantsStrict && !strict)
    losses.drop("tools.function.strict", "strict arguments are not possible for this model and schema")
  const cacheControl = tool["cache_control"] ?? declared["cache_control"]
  return {
    name: declared["name"],
    ...(textOf(declared["description"]) === undefined ? {} : { description: declared["description"] }),
    input_schema: strict ? nativeSchema(schema) : schema,
    ...(strict ? { strict } : {}),
    ...(isObject(cacheControl) ? { cache_control: cacheControl } : {}),
    // Goes with Anthropic's own tool search.
    ...(tool["defer_loading"] === true ? { defer_loading: true } : {})
  }
}

/** An object at the top: Anthropic, and Bedrock for all models, refuse `anyOf`, `oneOf` and `allOf` there. */
export const topSchema = (given: JsonObject, param: string, losses: Losses): JsonObject => {
  const object = topLevelObject(given)
  if (object !== given)
    losses.drop(param, "this provider takes schemas of tools that are an object at the top, without alternatives")
  return object["type"] === undefined ? { type: "object", ...object } : object
}

interface AnthropicToolChoice {
  readonly choice: JsonObject | undefined
  /** The only tools that may be used; undefined: all. */
  readonly allowed?: ReadonlySet<string>
}

const lowerChoice = (given: unknown, traits: AnthropicTraits, losses: Losses): AnthropicToolChoice => {
  if (given === undefined || given === null || given === "") return { choice: undefined }
  if (given === "auto" || given === "none") return { choice: { type: given } }
  if (given === "required") return forced({ type: "any" }, traits, losses)
  if (isObject(given) && given["type"] === "allowed_tools") return allowedTools(given["allowed_tools"], traits, losses)
  const named = isObject(given) && isObject(given["function"]) ? textOf(given["function"]["name"]) : undefined
  if (named !== undefined) return forced({ type: "tool", name: named }, traits, losses)
  losses.refuse(
    "tool_choice",
    "`tool_choice` must be auto, none, required, a function or allowed_tools at this provider"
  )
  return { choice: undefined }
}

const forced = (choice: JsonObject, traits: AnthropicTraits, losses: Losses): AnthropicToolChoice => {
  if (traits.forcedTools) return { choice }
  losses.drop("tool_choice", "this model can't be made to call a tool")
  const only = textOf(choice["name"])
  return only === undefined ? { choice: { type: "auto" } } : { choice: { type: "auto" }, allowed: new Set([only]) }
}

const allowedTools = (given: unknown, traits: AnthropicTraits, losses: Losses): AnthropicToolChoice => {
  const { mode, tools } = isObject(given) ? given : {}
  const names = arrayOf(tools).map((tool) =>
    isObject(tool) && isObject(tool["function"]) ? tool["function"]["name"] : ""
  )
  const { choice } = lowerChoice(mode === "required" ? "required" : "auto", traits, losses)
  return { choice, allowed: new Set(names.map(String)) }
}

/** Calls in the history need their tools declared; when the caller no longer offers any they may not be called again. */
const onlyHistory = (turns: ReadonlyArray<AnthropicTurn>): AnthropicToolFields => {
  const calls = turns.flatMap((turn) => turn.content.filter((block) => block["type"] === "tool_use"))
  const names = new Set(calls.map((block) => block["name"]))
  if (names.size === 0) return { tools: [], choice: undefined }
  return { tools: [...names].map((name) => ({ name, input_schema: NO_ARGUMENTS })), choice: { type: "none" } }
}
