/**
 * Tools and `tool_choice`: Mistral says `any` where OpenAI says `required`. Tools that Mistral runs itself are refused: they have fees of
 * their own.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { functionTool } from "../../shared/LowerChat.ts"
import type { Losses } from "../../shared/Losses.ts"

export const lowerTools = (body: JsonObject, losses: Losses): JsonObject => {
  const declared = arrayOf(body["tools"])
  const tools = declared.flatMap((tool, index) => functionTool(tool, `tools[${index}]`, losses))
  const { choice, only } = lowerChoice(body["tool_choice"], losses)
  const offered = only === undefined ? tools : tools.filter(({ name }) => only.has(name))
  if (only !== undefined && offered.length === 0) {
    losses.refuse("tool_choice", "`tool_choice` names a function that is not among the tools")
  }
  // An empty list is refused: https://github.com/partITech/php-mistral/issues/76 (read 2026-11-22).
  if (offered.length === 0) return {}
  const parallel = body["parallel_tool_calls"]
  return {
    tools: offered.map(({ declared, isStrict }) => ({
      type: "function",
      function: isStrict === undefined ? declared : { ...declared, strict: isStrict }
    })),
    ...(choice === undefined ? {} : { tool_choice: choice }),
    ...(typeof parallel === "boolean" ? { parallel_tool_calls: parallel } : {})
  }
}

interface MistralToolChoice {
  readonly choice: string | undefined
  /** The only functions that may be called; undefined: all. */
  readonly only?: ReadonlySet<string>
}

const lowerChoice = (given: unknown, losses: Losses): MistralToolChoice => {
  if (given === undefined || given === null || given === "") return { choice: undefined }
  if (given === "auto" || given === "none" || given === "any") return { choice: given }
  if (given === "required") return { choice: "any" }
  if (isObject(given) && given["type"] === "allowed_tools") {
    const { mode, tools } = isObject(given["allowed_tools"]) ? given["allowed_tools"] : given
    const only = new Set(arrayOf(tools).flatMap((tool) => functionName(tool) ?? []))
    return { choice: mode === "required" ? "any" : "auto", only }
  }
  const named = functionName(given)
  if (named !== undefined) return { choice: "any", only: new Set([named]) }
  losses.refuse("tool_choice", "`tool_choice` must be auto, none, required, a function or allowed_tools here")
  return { choice: undefined }
}

const functionName = (choice: unknown): string | undefined =>
  isObject(choice) && isObject(choice["function"]) ? textOf(choice["function"]["name"]) : undefined
