/** Which tools a demo model calls, and with what. */
import { Result } from "effect"
import { promptOf, type DemoRequest, type Tool } from "./DemoRequest.ts"
import { fillSchema } from "./DemoFillSchema.ts"
import { DemoHints } from "./DemoHints.ts"
import { isObject, objectOr } from "../../json/LooseJson.ts"
import { invalidRequest, type VendorError } from "../DemoVendorErrors.ts"

interface ToolCall {
  readonly name: string
  /** JSON text. */
  readonly arguments: string
}

/** A prompt is searched this far for the names of tools. */
const PROMPT_LENGTH = 20_000

interface DemoToolChoice {
  readonly tools: ReadonlyArray<Tool>
  /** The caller insists. */
  readonly forced: boolean
}

/** The calls to make; none where the answer is to be text. */
export const toolCallsFor = (request: DemoRequest): Result.Result<ReadonlyArray<ToolCall>, VendorError> =>
  Result.map(choiceOf(request), ({ tools, forced }) => {
    const names = tools.map((tool) => tool.function.name)
    const left = notCalledYet(request, tools)
    const quoted = quotedIn(promptOf(request).slice(0, PROMPT_LENGTH), left)
    if (!forced && isAnswered(request) && !(asksAnew(request) && quoted.length > 0)) return []
    const called = quoted.length > 0 ? quoted : left.slice(0, 1)
    return (request.parallel_tool_calls === false ? called.slice(0, 1) : called).map((tool) => {
      // Of its own: two tools that are asked about one city both get it.
      const hints = new DemoHints(promptOf(request), names)
      const filled = fillSchema(tool.function.parameters ?? { type: "object" }, hints)
      return { name: tool.function.name, arguments: JSON.stringify(isObject(filled) ? filled : {}) }
    })
  })

const choiceOf = (request: DemoRequest): Result.Result<DemoToolChoice, VendorError> => {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? "auto"
  if (choice === "none" || (choice === "auto" && tools.length === 0))
    return Result.succeed({ tools: [], forced: false })
  if (choice === "auto") return Result.succeed({ tools, forced: false })
  if (tools.length === 0) {
    return Result.fail(invalidRequest("'tool_choice' is only allowed when 'tools' are specified.", "tool_choice"))
  }
  if (choice === "required") return Result.succeed({ tools, forced: true })
  const wanted =
    choice.type === "function" ? [choice.function.name] : choice.allowed_tools.tools.map((tool) => tool.function.name)
  const missing = wanted.find((name) => !tools.some((tool) => tool.function.name === name))
  if (missing !== undefined) {
    return Result.fail(invalidRequest(`Tool choice '${missing}' not found in 'tools' parameter.`, "tool_choice"))
  }
  return Result.succeed({
    tools: tools.filter((tool) => wanted.includes(tool.function.name)),
    forced: choice.type === "function" || choice.allowed_tools.mode === "required"
  })
}

/**
 * The tools that were not called since the user spoke; all of them when there are none left. An agent that insists on a call at
 * every step gets to its last tool, the one that ends its run.
 */
const notCalledYet = ({ messages }: DemoRequest, tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> => {
  const asked = messages.findLastIndex((message) => message.role === "user")
  const called = new Set(
    messages
      .slice(asked + 1)
      .flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => objectOr(call["function"])["name"]))
  )
  const left = tools.filter((tool) => !called.has(tool.function.name))
  return left.length > 0 ? left : tools
}

const quotedIn = (prompt: string, tools: ReadonlyArray<Tool>): ReadonlyArray<Tool> =>
  tools
    .map((tool) => ({ tool, at: wordAt(prompt, tool.function.name) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
    .map(({ tool }) => tool)

/** Where `word` stands alone in `text`; -1 for nowhere. */
const wordAt = (text: string, word: string): number => {
  if (word === "") return -1
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWord(text[at - 1]) && !isWord(text[at + word.length])) return at
  }
  return -1
}

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_-]/u.test(character)

/** A tool has answered: time for text. */
const isAnswered = (request: DemoRequest): boolean => request.messages.some((message) => message.role === "tool")

const asksAnew = (request: DemoRequest): boolean =>
  request.messages.findLast((message) => message.role === "tool" || message.role === "user")?.role === "user"
