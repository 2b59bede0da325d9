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

/** What it thinks aloud before it calls a tool. */
export const THOUGHT = "I need a tool for this."

interface Tool {
  readonly function: { readonly name: string; readonly parameters?: { readonly properties?: object } }
}

interface Message {
  readonly role: string
  readonly content: unknown
  readonly reasoning_content?: string
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
  /** How many of its thoughts it was reminded of in its last turn. */
  readonly thoughts: () => number
}

export const scriptedModel = Effect.fnUntraced(function* (script: ReadonlyArray<Step>) {
  const { asked, baseUrl } = yield* upstream(({ body }) => answer(body, script))
  const longest = (): Chat => {
    const chats: ReadonlyArray<Chat> = asked.map(({ body }) => body)
    return chats.toSorted((one, other) => other.messages.length - one.messages.length)[0] ?? { messages: [] }
  }
  return {
    asked,
    baseUrl,
    results: () => resultsIn(longest()),
    thoughts: () => longest().messages.filter((message) => message.reasoning_content === THOUGHT).length
  } satisfies ScriptedModel as ScriptedModel
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
  const message = { role: "assistant", content: null, reasoning_content: THOUGHT, tool_calls: [call] }
  const choice = { index: 0, finish_reason: "tool_calls", logprobs: null }
  if (!streamed) return { body: completion("", { choices: [{ ...choice, message }] }) }
  const {
    function: { arguments: text, name }
  } = call
  const pieces = text.match(/[^]{1,7}/g) ?? []
  const [first = "", ...rest] = completionEvents()
  const chunk = (delta: object) => event({ ...head, choices: [{ ...choice, finish_reason: null, delta }] })
  const part = (tool: object) => chunk({ tool_calls: [{ index: 0, ...tool }] })
  return {
    body: [
      first,
      chunk({ reasoning_content: THOUGHT }),
      part({ id: call.id, type: "function", function: { name, arguments: "" } }),
      ...pieces.map((piece) => part({ function: { arguments: piece } })),
      event({ ...head, choices: [{ ...choice, delta: {} }] }),
      // The last two: usage, and the end mark.
      ...rest.slice(-2)
    ]
  }
}

const head = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" }
