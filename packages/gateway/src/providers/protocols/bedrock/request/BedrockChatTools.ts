/** Tools and how freely the model may use them. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import type { Losses } from "../../shared/Losses.ts"
import { fitsNatively, nativeSchema } from "../../anthropic/request/AnthropicChatNativeSchema.ts"
import { topSchema } from "../../anthropic/request/AnthropicChatTools.ts"
import type { ConverseTraits } from "../BedrockModels.ts"
import { cachePoint } from "./BedrockChatCaching.ts"
import type { BedrockTurn } from "./BedrockChatConversation.ts"

export interface BedrockToolFields {
  /** `toolConfig.tools`; empty: there is no `toolConfig`. */
  readonly tools: ReadonlyArray<JsonObject>
  /** Undefined leaves it to the model. */
  readonly choice: JsonObject | undefined
  /** For `additionalModelRequestFields`. */
  readonly more: JsonObject
}

/** Whether the answer has to be a tool call. */
export const isForced = ({ choice, more }: BedrockToolFields): boolean => {
  const own = more["tool_choice"]
  return choice?.["any"] !== undefined || choice?.["tool"] !== undefined || (isObject(own) && own["type"] !== "auto")
}

/** A tool with an empty schema takes no arguments. */
const NO_ARGUMENTS: JsonObject = { type: "object", properties: {} }

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
  const { allowed, choice } = lowerChoice(body["tool_choice"], traits, losses)
  const offered = allowed === undefined ? tools : tools.filter((tool) => allowed.has(nameOf(tool)))
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
  const declared = isObject(tool) ? tool["function"] : undefined
  if (!isObject(tool) || !isObject(declared)) {
    losses.refuse(param, "only function tools can be sent to this provider")
    return []
  }
  const parameters = isObject(declared["parameters"]) ? declared["parameters"] : NO_ARGUMENTS
  const schema = topSchema(parameters, "tools.function.parameters", losses)
  const strict = declared["strict"] === true && traits.strictTools && fitsNatively(schema)
  if (declared["strict"] === true && !strict) {
    losses.drop("tools.function.strict", "strict arguments are not possible for this model and schema")
  }
  const spec = {
    name: declared["name"],
    ...(textOf(declared["description"]) === undefined ? {} : { description: declared["description"] }),
    inputSchema: { json: strict ? nativeSchema(schema) : schema },
    ...(strict ? { strict } : {})
  }
  const mark = tool["cache_control"] ?? declared["cache_control"]
  return [{ toolSpec: spec }, ...cachePoint(mark, "tools", traits, losses)]
}

interface BedrockToolChoice {
  readonly choice: JsonObject | undefined
  /** The only tools that may be used; undefined: all. */
  readonly allowed?: ReadonlySet<string>
}

const lowerChoice = (given: unknown, traits: ConverseTraits, losses: Losses): BedrockToolChoice => {
  if (given === undefined || given === null || given === "") return { choice: undefined }
  // It is what a model does that is told nothing, and some take no choice at all.
  if (given === "auto") return { choice: undefined }
  if (given === "required") return forced(undefined, traits, losses)
  if (isObject(given) && given["type"] === "allowed_tools") return allowedTools(given["allowed_tools"], traits, losses)
  const named = isObject(given) && isObject(given["function"]) ? textOf(given["function"]["name"]) : undefined
  if (named !== undefined) return forced(named, traits, losses)
  const message = "`tool_choice` must be auto, none, required, a function or allowed_tools at this provider"
  losses.refuse("tool_choice", message)
  return { choice: undefined }
}

/** Any tool, or the named one: a model that can't be made to call that one gets no other. */
const forced = (name: string | undefined, { forcedTools }: ConverseTraits, losses: Losses): BedrockToolChoice => {
  if (forcedTools === "none") losses.drop("tool_choice", "this model can't be made to call a tool")
  const any = forcedTools === "none" ? undefined : { any: {} }
  if (name === undefined) return { choice: any }
  return forcedTools === "named" ? { choice: { tool: { name } } } : { choice: any, allowed: new Set([name]) }
}

const allowedTools = (given: unknown, traits: ConverseTraits, losses: Losses): BedrockToolChoice => {
  const { mode, tools } = isObject(given) ? given : {}
  const names = arrayOf(tools).map((tool) =>
    isObject(tool) && isObject(tool["function"]) ? String(tool["function"]["name"]) : ""
  )
  const { choice } = mode === "required" ? forced(undefined, traits, losses) : { choice: undefined }
  return { choice, allowed: new Set(names) }
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
