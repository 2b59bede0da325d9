/** What a demo model says to a request: reasoning, then tool calls, JSON or prose, within the limits it was given. */
import { Result } from "effect"
import { isObject, objectOr } from "../../json/LooseJson.ts"
import { invalidRequest, type VendorError } from "../DemoVendorErrors.ts"
import type { DemoChoice } from "./DemoChatWire.ts"
import { DemoHints, fillSchema } from "./DemoFillSchema.ts"
import { attachments, type DemoRequest, promptOf, textOf, tokensOf, type Tool } from "./DemoRequest.ts"

interface Composed {
  readonly choices: ReadonlyArray<DemoChoice>
  readonly outputTokens: number
  readonly reasoningTokens: number
}

/** `id`: makes the ids of tool calls; `thinks`: reasons aloud; `most`: tokens per choice. */
export const compose = (
  request: DemoRequest,
  { id, thinks, most }: { readonly id: string; readonly thinks: boolean; readonly most: number }
): Result.Result<Composed, VendorError> =>
  Result.map(toolCallsFor(request), (calls) => {
    const reasoning = thinks ? tokensOf(reasoningFor(request)) : []
    const choices = Array.from({ length: request.n ?? 1 }, (_, index) =>
      limited(calls.length > 0 ? calling(calls, `${id}${index}`, reasoning) : saying(request, index, reasoning), most)
    )
    const sizes = choices.map(sizeOf)
    return {
      choices,
      outputTokens: sizes.reduce((sum, size) => sum + size, 0),
      reasoningTokens: choices.reduce((sum, choice) => sum + choice.reasoning.length, 0)
    }
  })

const calling = (
  calls: ReadonlyArray<{ readonly name: string; readonly arguments: string }>,
  id: string,
  reasoning: ReadonlyArray<string>
): DemoChoice => ({
  reasoning,
  content: null,
  toolCalls: calls.map((call, index) => ({
    id: `call_${id}${index}`,
    name: call.name,
    arguments: tokensOf(call.arguments)
  })),
  finish: "tool_calls"
})

const saying = (request: DemoRequest, index: number, reasoning: ReadonlyArray<string>): DemoChoice => ({
  reasoning,
  content: tokensOf(stopped(textFor(request, index), request.stop)),
  toolCalls: [],
  finish: "stop"
})

const textFor = (request: DemoRequest, index: number): string => {
  const format = request.response_format
  if (format?.type === "json_schema") {
    const hints = new DemoHints(promptOf(request))
    return JSON.stringify(fillSchema(format.json_schema.schema ?? { type: "object" }, hints) ?? {})
  }
  if (format?.type === "json_object") {
    const names = new DemoHints(promptOf(request)).names()
    if (names.length > 0) return JSON.stringify(Object.fromEntries(names.map((name) => [name, "example"])))
    return JSON.stringify({ answer: "example", model: request.model, prompt: promptOf(request).slice(0, 120) })
  }
  return proseFor(request, request.model, index)
}

const stopped = (text: string, stop: DemoRequest["stop"]): string => {
  const sequences = (typeof stop === "string" ? [stop] : (stop ?? [])).filter((sequence) => sequence !== "")
  return sequences.reduce((left, sequence) => left.split(sequence, 1)[0]!, text)
}

/** A tool call's opening costs a token beside its arguments. */
const sizeOf = ({ reasoning, content, toolCalls }: DemoChoice): number =>
  reasoning.length + (content?.length ?? 0) + toolCalls.reduce((sum, call) => sum + 1 + call.arguments.length, 0)

const limited = (choice: DemoChoice, most: number): DemoChoice => {
  if (sizeOf(choice) <= most) return choice
  let left = most
  const take = (pieces: ReadonlyArray<string>): ReadonlyArray<string> => {
    const taken = pieces.slice(0, left)
    left -= taken.length
    return taken
  }
  const reasoning = take(choice.reasoning)
  const content = choice.content === null ? null : take(choice.content)
  const toolCalls = choice.toolCalls.flatMap((call) =>
    left-- > 0 ? [{ ...call, arguments: take(call.arguments) }] : []
  )
  return { reasoning, content, toolCalls, finish: "length" }
}

/** A prompt is searched this far for the names of tools. */
const PROMPT_LENGTH = 20_000

/** The calls to make; none where the response is to be text. */
const toolCallsFor = (
  request: DemoRequest
): Result.Result<ReadonlyArray<{ readonly name: string; readonly arguments: string }>, VendorError> =>
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

/** `forced`: the caller insists. */
const choiceOf = (
  request: DemoRequest
): Result.Result<{ readonly tools: ReadonlyArray<Tool>; readonly forced: boolean }, VendorError> => {
  const tools = request.tools ?? []
  const choice = request.tool_choice ?? "auto"
  if (choice === "none") return Result.succeed({ tools: [], forced: false })
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

/** Since the user spoke; all of them when there are none left: an agent that insists on calls gets to the tool that ends its run. */
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

const greetings = ["Hello!", "Hi there!", "Good to hear from you!", "Welcome!"]

const NEXT_STEP =
  "To talk to a real model, set OPENAI_API_KEY or ANTHROPIC_API_KEY, run `model-gateway init` to write a gateway.yaml, " +
  "then `model-gateway serve`."

const proseFor = (request: DemoRequest, model: string, choice: number): string => {
  const of = request.n ?? 1
  const greeting = greetings[choice % greetings.length]
  const which = of > 1 ? ` (This is answer ${choice + 1} of ${of}.)` : ""
  const introduction = `${greeting}${which} I am “${model}”, the demo model built into this gateway.`
  const about = [introduction, aboutPrompt(request), aboutTools(request)]
    .filter((sentence) => sentence !== "")
    .join(" ")
  if (model === "mini") return `${about} ${NEXT_STEP}`
  return `${about}\n\n${aboutPath(request, model)}\n\n${NEXT_STEP}`
}

const reasoningFor = (request: DemoRequest): string => {
  const prompt = excerpt(promptOf(request), 80)
  const thoughts = [
    `The user writes “${prompt}”.`,
    "I am a demo model, so I can't work out a real answer, but I can show how reasoning looks on the wire.",
    "Reasoning comes first, in its own field, and is counted and priced on its own.",
    "Then comes the answer: a greeting, what I saw of the request, and how to reach a real model."
  ]
  switch (request.reasoning_effort) {
    case "none":
      return ""
    case "minimal":
      return thoughts.slice(0, 1).join(" ")
    case "low":
      return thoughts.slice(0, 2).join(" ")
    case "high":
    case "xhigh":
      return [...thoughts, "I have checked this twice, because high effort was asked for."].join(" ")
    default:
      return thoughts.join(" ")
  }
}

const aboutPrompt = (request: DemoRequest): string => {
  const prompt = promptOf(request)
  const message = request.messages.findLast((one) => one.role === "user")
  const files = message === undefined ? 0 : attachments(message)
  const words = prompt.split(/\s+/).filter((word) => word !== "").length
  const turn = request.messages.filter((one) => one.role === "user").length
  const attached = files === 0 ? "" : ` with ${counted(files, "attachment")}`
  if (words === 0) return `Your message came without text${attached}.`
  const where = turn > 1 ? `, message ${turn} of our conversation` : ""
  return `You wrote “${excerpt(prompt, 120)}”: ${counted(words, "word")}${attached}${where}.`
}

const aboutTools = (request: DemoRequest): string => {
  const result = request.messages.findLast((one) => one.role === "tool" || one.role === "user")
  return result?.role === "tool" ? `Your tool answered “${excerpt(textOf(result), 120)}”.` : ""
}

const aboutPath = (request: DemoRequest, model: string): string => {
  const way =
    "I am a script, so I can't answer you, but your request went the way every request goes: " +
    "key, limits, budget, routing, failover, ledger."
  if (model !== "large") return way
  const instructions = request.messages.some((one) => one.role === "system" || one.role === "developer")
  return (
    `${way} ${instructions ? "Your instructions came along" : "It came without instructions"}, ` +
    `with ${counted(request.tools?.length ?? 0, "tool")}. The response headers say where it went, what it cost and how ` +
    "often it was tried again; the ledger has the same to the nano-dollar."
  )
}

const counted = (number: number, thing: string): string => `${number} ${thing}${number === 1 ? "" : "s"}`

/** On one line, with an ellipsis where it was cut. */
const excerpt = (text: string, longest: number): string => {
  const line = text
    .slice(0, 4 * longest)
    .replace(/\s+/g, " ")
    .trim()
  const characters = [...line]
  return characters.length <= longest ? line : `${characters.slice(0, longest - 1).join("")}…`
}
