/** Tools as OpenAI has them; `tool_choice` is REQUIRED, NONE or left out, and a named function is the only one that is offered. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { functionTool } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const tools = arrayOf(body["tools"]).flatMap((tool, index) => functionTool(tool, `tools[${index}]`, losses))
  const { choice, only } = lowerChoice(body["tool_choice"], losses)
  const offered = only === undefined ? tools : tools.filter(({ name }) => only.has(name))
  if (only !== undefined && offered.length === 0) {
    losses.refuse("tool_choice", "`tool_choice` names a function that is not among the tools")
  }
  if (offered.length === 0) return {}
  const isStrict = offered.every(({ isStrict }) => isStrict === true)
  return {
    tools: offered.map(({ declared }) => ({ type: "function", function: declared })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    // One setting for all of them.
    ...(isStrict && body["strict_tools"] === undefined ? { strict_tools: true } : {})
  }
}

interface CohereToolChoice {
  readonly choice?: "REQUIRED" | "NONE" | undefined
  /** The only functions that may be called; undefined: all. */
  readonly only?: ReadonlySet<string>
}

const WORDS: ReadonlyMap<unknown, CohereToolChoice> = new Map<unknown, CohereToolChoice>([
  ["required", { choice: "REQUIRED" }],
  ["REQUIRED", { choice: "REQUIRED" }],
  ["none", { choice: "NONE" }],
  ["NONE", { choice: "NONE" }],
  ["auto", {}],
  ["", {}],
  [null, {}],
  [undefined, {}]
])

const lowerChoice = (given: unknown, losses: Losses): CohereToolChoice => {
  const word = WORDS.get(given)
  if (word !== undefined) return word
  if (isObject(given) && given["type"] === "allowed_tools") {
    const { mode, tools } = isObject(given["allowed_tools"]) ? given["allowed_tools"] : given
    const only = new Set(arrayOf(tools).flatMap((tool) => functionName(tool) ?? []))
    return mode === "required" ? { choice: "REQUIRED", only } : { only }
  }
  const named = functionName(given)
  if (named !== undefined) return { choice: "REQUIRED", only: new Set([named]) }
  losses.refuse("tool_choice", "`tool_choice` must be auto, none, required, a function or allowed_tools here")
  return {}
}

const functionName = (choice: unknown): string | undefined =>
  isObject(choice) && isObject(choice["function"]) ? textOf(choice["function"]["name"]) : undefined
