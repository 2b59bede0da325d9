/** What a demo model says to a request: reasoning, then tool calls, JSON or prose, within the limits it was given. */
import { Result } from "effect"
import type { DemoChoice } from "./DemoChatWire.ts"
import { promptOf, type DemoRequest } from "./DemoRequest.ts"
import { fillSchema } from "./DemoFillSchema.ts"
import { DemoHints } from "./DemoHints.ts"
import { proseFor, reasoningFor } from "./DemoProse.ts"
import { tokensOf } from "../DemoTokens.ts"
import { toolCallsFor } from "./DemoToolCalls.ts"
import type { VendorError } from "../DemoVendorErrors.ts"

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
