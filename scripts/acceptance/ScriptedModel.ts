/**
 * A model that follows a script, behind an API for chat completions alone: whoever speaks another API to the gateway gets here over a
 * bridge. It takes the script's next step for each result of a tool that it sees, and it calls only tools that it was offered.
 */
import { Effect } from "effect"
import {
  type Asked,
  completion,
  completionEvents,
  event,
  type Reply,
  upstream,
  vendorError
} from "../../packages/gateway/test/support/Upstream.ts"

/** `with`: the arguments; a text for a tool that takes one alone. */
export type Step = { readonly call: string; readonly with: object | string } | { readonly say: string }

interface Tool {
  readonly function: { readonly name: string; readonly parameters?: { readonly properties?: object } }
}

interface Message {
  readonly role: string
  readonly content: unknown
}

interface Chat {
  readonly messages: ReadonlyArray<Message>
  readonly tools?: ReadonlyArray<Tool>
  readonly stream?: boolean
}

export interface ScriptedModel {
  readonly baseUrl: string
  readonly asked: ReadonlyArray<Asked>
  /** What the tools said, as far as the last call tells. */
  readonly results: () => ReadonlyArray<string>
}

export const scriptedModel = Effect.fnUntraced(function* (script: ReadonlyArray<Step>) {
  const { asked, baseUrl } = yield* upstream(({ body }) => answer(body, script))
  const results = () => {
    const all = asked.map(({ body }) => resultsIn(body))
    return all.toSorted((one, other) => other.length - one.length)[0] ?? []
  }
  return { asked, baseUrl, results } satisfies ScriptedModel as ScriptedModel
})

const resultsIn = ({ messages }: Chat): ReadonlyArray<string> =>
  messages.filter(({ role }) => role === "tool").map(({ content }) => textOf(content))

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content))

const answer = (chat: Chat, script: ReadonlyArray<Step>): Reply => {
  // Agents also ask for titles and the like.
  const step = chat.tools === undefined ? { say: "A title" } : script[resultsIn(chat).length]
  if (step === undefined) return { status: 400, body: vendorError("The script has no further step.") }
  if ("say" in step) return said(step.say, chat.stream === true)
  const tool = chat.tools?.find(({ function: { name } }) => name === step.call || name.endsWith(`_${step.call}`))
  if (tool === undefined)
    return { status: 400, body: vendorError(`There is no tool ${step.call} in ${JSON.stringify(chat.tools)}`) }
  const call = {
    id: `call_${resultsIn(chat).length}`,
    type: "function",
    function: { name: tool.function.name, arguments: JSON.stringify(argumentsFor(tool, step.with)) }
  }
  return called(call, chat.stream === true)
}

const argumentsFor = (tool: Tool, given: object | string): object => {
  if (typeof given !== "string") return given
  const [only = "input"] = Object.keys(tool.function.parameters?.properties ?? {})
  return { [only]: given }
}

const said = (text: string, streamed: boolean): Reply =>
  // Word by word.
  ({ body: streamed ? completionEvents(...text.split(/(?<= )/)) : completion(text) })

interface Call {
  readonly id: string
  readonly type: string
  readonly function: { readonly name: string; readonly arguments: string }
}

const called = (call: Call, streamed: boolean): Reply => {
  const message = { role: "assistant", content: null, tool_calls: [call] }
  const choice = { index: 0, finish_reason: "tool_calls", logprobs: null }
  if (!streamed) return { body: completion("", { choices: [{ ...choice, message }] }) }
  const {
    function: { arguments: text, name }
  } = call
  const pieces = text.match(/[^]{1,7}/g) ?? []
  const [first = "", ...rest] = completionEvents()
  const delta = (tool: object) =>
    event({ ...head, choices: [{ ...choice, finish_reason: null, delta: { tool_calls: [{ index: 0, ...tool }] } }] })
  return {
    body: [
      first,
      delta({ id: call.id, type: "function", function: { name, arguments: "" } }),
      ...pieces.map((piece) => delta({ function: { arguments: piece } })),
      event({ ...head, choices: [{ ...choice, delta: {} }] }),
      // The last two: usage, and the end mark.
      ...rest.slice(-2)
    ]
  }
}

const head = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" }
