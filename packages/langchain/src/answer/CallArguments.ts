/** A tool call's arguments, which are the model's words: an object, or what can't be read as one. */
import type { ToolCall } from "@langchain/core/messages"

/** Nothing at all calls a tool that has no parameters. Undefined when they are no JSON object, or less than one. */
export const readArguments = (text: string | null | undefined): ToolCall["args"] | undefined => {
  if (text === undefined || text === null || text.trim() === "") return {}
  try {
    const value: unknown = JSON.parse(text)
    return isArguments(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const isArguments = (value: unknown): value is ToolCall["args"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** What LangChain's invalid calls have as their error. */
export const UNREADABLE = "The arguments are no JSON object."
