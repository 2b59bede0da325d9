/** Tools and how freely the model may use them. */
import { arrayOf, isObject, type JsonObject } from "../../../json/LooseJson.ts"
import { toolSchema } from "../../anthropic/request/AnthropicChatTools.ts"
import type { Losses } from "../../shared/Losses.ts"
import { functionOf, NO_ARGUMENTS, type ToolChoice, toolChoice } from "../../shared/LowerChat.ts"
import { cachePoint, type ConverseTraits } from "../BedrockModels.ts"
import type { BedrockTurn } from "./BedrockChatConversation.ts"

export interface BedrockToolFields {
  /** `toolConfig.tools`; empty: there is no `toolConfig`. */
  readonly tools: ReadonlyArray<JsonObject>
  /** Undefined leaves it to the model. */
  readonly choice: JsonObject | undefined
  /** For `additionalModelRequestFields`. */
  readonly more: JsonObject
}

export const isForced = ({ choice, more }: BedrockToolFields): boolean => {
  const own = more["tool_choice"]
  return choice?.["any"] !== undefined || choice?.["tool"] !== undefined || (isObject(own) && own["type"] !== "auto")
}

/**
 * Tool calls and results in the history need tools declared: where the caller offers none, or forbids them, those that were called are.
 * Converse can't forbid their use.
 */
export const lowerTools = (
  body: JsonObject,
  turns: ReadonlyArray<BedrockTurn>,
  traits: ConverseTraits,
  losses: Losses
): BedrockToolFields => {
  const given = arrayOf(body["tools"])
  const past = calledBefore(turns)
  const tools = given.flatMap((tool, index) => lowerTool(tool, `tools[${index}]`, traits, losses))
  if (tools.length === 0) return { tools: past.map(placeholder), choice: undefined, more: {} }
  if (body["tool_choice"] === "none") {
    if (past.length === 0) return { tools: [], choice: undefined, more: {} }
    losses.drop("tool_choice", "Bedrock can't forbid tools in a conversation that has used some")
    return { tools, choice: undefined, more: {} }
  }
  const chosen = toolChoice(body, losses)
  const choice = choiceOf(chosen, traits, losses)
  const { allowed } = chosen
  // A tool that is forced by its name needs no others to be left out.
  const isLimited = allowed !== undefined && choice?.["tool"] === undefined
  const offered = isLimited ? tools.filter((tool) => allowed.has(nameOf(tool))) : tools
  return oneAtATime({ tools: offered, choice, more: {} }, body, traits, losses)
}

/** Only Anthropic's models can be told to call one tool at a time, in their own field, which then holds the choice as well. */
const oneAtATime = (
  use: BedrockToolFields,
  body: JsonObject,
  { claude }: ConverseTraits,
  losses: Losses
): BedrockToolFields => {
  if (body["parallel_tool_calls"] !== false) return use
  if (claude === undefined) {
    losses.drop("parallel_tool_calls", "this model can't be limited to one tool call at a time")
    return use
  }
  const named = isObject(use.choice?.["tool"]) ? use.choice["tool"]["name"] : undefined
  const type = named !== undefined ? "tool" : use.choice?.["any"] === undefined ? "auto" : "any"
  const own = { type, ...(named === undefined ? {} : { name: named }), disable_parallel_tool_use: true }
  return { tools: use.tools, choice: undefined, more: { tool_choice: own } }
}

/** One tool, with the point up to which is cached; or none when it was refused. */
const lowerTool = (tool: unknown, param: string, traits: ConverseTraits, losses: Losses): ReadonlyArray<JsonObject> => {
  const found = functionOf(tool)
  if (!isObject(tool) || found === undefined) {
    losses.refuse(param, "only function tools can be sent to this provider")
    return []
  }
  const { parameters, ...named } = found.declared
  const { isStrict, schema } = toolSchema(parameters, found.isStrict, traits.strictTools, losses)
  const mark = tool["cache_control"] ?? (isObject(tool["function"]) && tool["function"]["cache_control"])
  return [
    { toolSpec: { ...named, inputSchema: { json: schema }, ...(isStrict ? { strict: true } : {}) } },
    ...cachePoint(mark, "tools", traits, losses)
  ]
}

/** Undefined leaves it to the model, as does `auto`, since some models take no choice at all. */
const choiceOf = (
  { mode, name }: ToolChoice,
  { forcedTools }: ConverseTraits,
  losses: Losses
): JsonObject | undefined => {
  if (mode !== "required") return undefined
  if (forcedTools === "none") {
    losses.drop("tool_choice", "this model can't be made to call a tool")
    return undefined
  }
  return forcedTools === "named" && name !== undefined ? { tool: { name } } : { any: {} }
}

/** "" for a cache point. */
const nameOf = (tool: JsonObject): string => (isObject(tool["toolSpec"]) ? String(tool["toolSpec"]["name"]) : "")

const calledBefore = (turns: ReadonlyArray<BedrockTurn>): ReadonlyArray<string> => {
  const blocks = turns.flatMap(({ content }) => content)
  const names = blocks.flatMap(({ toolUse }) => (isObject(toolUse) ? String(toolUse["name"]) : []))
  // A result without its call has no name, and needs tools all the same.
  const all = names.length === 0 && blocks.some((block) => "toolResult" in block) ? [UNNAMED] : names
  return [...new Set(all)]
}

const UNNAMED = "unknown_tool"

const placeholder = (name: string): JsonObject => ({ toolSpec: { name, inputSchema: { json: NO_ARGUMENTS } } })
