/** Tools and how freely the model may use them. */
import { arrayOf, isObject, type JsonObject } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { functionOf, NO_ARGUMENTS, type ToolChoice, toolChoice } from "../../shared/LowerChat.ts"
import { topLevelObject } from "../../shared/TopLevelObject.ts"
import type { AnthropicTraits } from "../AnthropicModels.ts"
import type { AnthropicTurn } from "./AnthropicChatConversation.ts"
import { fitsNatively, nativeSchema } from "./AnthropicChatNativeSchema.ts"

export const isForced = (choice: JsonObject | undefined): boolean =>
  choice?.["type"] === "any" || choice?.["type"] === "tool"

export const lowerTools = (
  body: JsonObject,
  turns: ReadonlyArray<AnthropicTurn>,
  traits: AnthropicTraits,
  losses: Losses
): { readonly tools: ReadonlyArray<JsonObject>; readonly choice: JsonObject | undefined } => {
  const given = arrayOf(body["tools"])
  if (given.length === 0) return onlyHistory(turns)
  const tools = given.flatMap((tool, index) => lowerTool(tool, `tools[${index}]`, traits, losses))
  const chosen = toolChoice(body, losses)
  const { allowed } = chosen
  const choice = choiceOf(chosen, traits, losses)
  // A tool that is forced by its name needs no others to be left out.
  const isLimited = allowed !== undefined && choice?.["type"] !== "tool"
  const offered = isLimited ? tools.filter((tool) => allowed.has(String(tool["name"]))) : tools
  if (body["parallel_tool_calls"] !== false || choice?.["type"] === "none") return { tools: offered, choice }
  return { tools: offered, choice: { ...(choice ?? { type: "auto" }), disable_parallel_tool_use: true } }
}

const lowerTool = (
  tool: unknown,
  param: string,
  traits: AnthropicTraits,
  losses: Losses
): JsonObject | ReadonlyArray<JsonObject> => {
  const found = functionOf(tool)
  // Anthropic's own tools carry a date in their type and are passed on as they are.
  if (found === undefined && isObject(tool) && /_\d{8}$/.test(String(tool["type"]))) return tool
  if (!isObject(tool) || found === undefined) {
    losses.refuse(param, "only function tools and Anthropic's own tools can be sent to this provider")
    return []
  }
  const { parameters, ...named } = found.declared
  const { isStrict, schema } = toolSchema(parameters, found.isStrict, traits.jsonSchema, losses)
  const cacheControl = tool["cache_control"] ?? (isObject(tool["function"]) && tool["function"]["cache_control"])
  return {
    ...named,
    input_schema: schema,
    ...(isStrict ? { strict: true } : {}),
    ...(isObject(cacheControl) ? { cache_control: cacheControl } : {}),
    // Goes with Anthropic's own tool search.
    ...(tool["defer_loading"] === true ? { defer_loading: true } : {})
  }
}

/** `wantsStrict`: the caller's wish. `canBeStrict`: whether the model has strict arguments. */
export const toolSchema = (
  parameters: JsonObject,
  wantsStrict: boolean | undefined,
  canBeStrict: boolean,
  losses: Losses
) => {
  const schema = topSchema(parameters, "tools.function.parameters", losses)
  const isStrict = wantsStrict === true && canBeStrict && fitsNatively(schema)
  if (wantsStrict === true && !isStrict)
    losses.drop("tools.function.strict", "strict arguments are not possible for this model and schema")
  return { schema: isStrict ? nativeSchema(schema) : schema, isStrict }
}

/** An object at the top: Anthropic, and Bedrock for all models, refuse `anyOf`, `oneOf` and `allOf` there. */
export const topSchema = (given: JsonObject, param: string, losses: Losses): JsonObject => {
  const object = topLevelObject(given)
  if (object !== given)
    losses.drop(param, "this provider takes schemas of tools that are an object at the top, without alternatives")
  return object["type"] === undefined ? { type: "object", ...object } : object
}

const choiceOf = (
  { mode, name }: ToolChoice,
  { forcedTools }: AnthropicTraits,
  losses: Losses
): JsonObject | undefined => {
  if (mode !== "required") return mode === undefined ? undefined : { type: mode }
  if (forcedTools) return name === undefined ? { type: "any" } : { type: "tool", name }
  losses.drop("tool_choice", "this model can't be made to call a tool")
  return { type: "auto" }
}

/** Calls in the history need their tools declared; when the caller no longer offers any they may not be called again. */
const onlyHistory = (turns: ReadonlyArray<AnthropicTurn>) => {
  const calls = turns.flatMap((turn) => turn.content.filter((block) => block["type"] === "tool_use"))
  const names = new Set(calls.map((block) => block["name"]))
  if (names.size === 0) return { tools: [], choice: undefined }
  return { tools: [...names].map((name) => ({ name, input_schema: NO_ARGUMENTS })), choice: { type: "none" } }
}
