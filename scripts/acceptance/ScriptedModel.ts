/**
 * A model that follows a script, behind an API for chat completions alone: whoever speaks another API to the gateway gets here over a
 * bridge. It takes the script's next step each time that it is asked, calls only tools that it was offered, and refuses a conversation that
 * its API has no place for.
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
import { type Chat, problemIn } from "./StrictChat.ts"

/** `with`: the arguments; a text for a tool that takes one alone. */
interface ToolUse {
  readonly call: string
  readonly with: object | string
}

/** A list: calls at once. `breaksOff`: the connection breaks before the end. `tooLong`: the conversation is, in the vendor's words. */
export type Step =
  | ReadonlyArray<ToolUse>
  | { readonly say: string; readonly breaksOff?: boolean }
  | { readonly tooLong: string }

/** What it thinks aloud before it calls tools. */
const THOUGHT = "I need a tool for this."

export interface ScriptedModel {
  readonly baseUrl: string
  readonly asked: ReadonlyArray<Asked>
  /** The longest conversation that it was given. */
  readonly conversation: () => Chat
  /** What the tools said. */
  readonly results: () => ReadonlyArray<string>
  /** How many of its thoughts it was reminded of. */
  readonly thoughts: () => number
  /** Why it refused what it refused: clients may swallow that. */
  readonly refusals: ReadonlyArray<string>
}

export const scriptedModel = Effect.fnUntraced(function* (script: ReadonlyArray<Step>) {
  const refusals: Array<string> = []
  let turn = 0
  const { asked, baseUrl } = yield* upstream(({ body }: { readonly body: Chat }) => {
    // Agents also ask for titles and the like.
    const step = body.tools === undefined ? { say: "A title" } : script[turn]
    // What breaks off breaks off at every try.
    if (body.tools !== undefined && step !== undefined && !("breaksOff" in step)) turn++
    const reply = answer(body, step, turn)
    if (typeof reply !== "string") return reply
    refusals.push(reply)
    return { status: 400, body: vendorError(reply) }
  })
  const conversation = (): Chat => {
    const chats: ReadonlyArray<Chat> = asked.map(({ body }) => body)
    return chats.toSorted((one, other) => other.messages.length - one.messages.length)[0] ?? { messages: [] }
  }
  return {
    asked,
    baseUrl,
    conversation,
    refusals,
    results: () => conversation().messages.flatMap(({ content, role }) => (role === "tool" ? [textOf(content)] : [])),
    thoughts: () => conversation().messages.filter((message) => message.reasoning_content === THOUGHT).length
  } satisfies ScriptedModel as ScriptedModel
})

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content))

/** A text: why there is no answer. */
const answer = (chat: Chat, step: Step | undefined, turn: number): Reply | string => {
  const problem = problemIn(chat)
  if (problem !== undefined) return problem
  if (step === undefined) return "The script has no further step."
  if ("tooLong" in step) {
    return { status: 400, body: vendorError(step.tooLong, "invalid_request_error", "context_length_exceeded") }
  }
  if ("say" in step) return step.breaksOff === true ? brokenOff(step.say) : said(step.say, chat.stream === true)
  const calls = step.map((use, index) => callOf(chat, use, `call_${turn}_${index}`))
  const missing = step.find((_, index) => calls[index] === undefined)
  if (missing !== undefined) return `There is no tool ${missing.call} among ${toolNames(chat)}.`
  return called(
    calls.flatMap((call) => call ?? []),
    chat.stream === true
  )
}

const toolNames = ({ tools = [] }: Chat): string => tools.map((tool) => tool.function.name).join(", ")

interface Call {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

/** The tool's name may have something before it: a namespace, a server. */
const callOf = ({ tools = [] }: Chat, use: ToolUse, id: string): Call | undefined => {
  const tool = tools.find(({ function: { name } }) => name === use.call || name.endsWith(`_${use.call}`))
  if (tool === undefined) return undefined
  const [only = "input"] = Object.keys(tool.function.parameters?.properties ?? {})
  const given = typeof use.with === "string" ? { [only]: use.with } : use.with
  return { id, type: "function", function: { name: tool.function.name, arguments: JSON.stringify(given) } }
}

const said = (text: string, streamed: boolean): Reply =>
  // Word by word.
  ({ body: streamed ? completionEvents(...text.split(/(?<= )/)) : completion(text) })

const brokenOff = (text: string): Reply => ({ body: completionEvents(text).slice(0, 2), ending: "reset" })

const called = (calls: ReadonlyArray<Call>, streamed: boolean): Reply => {
  const message = { role: "assistant", content: null, reasoning_content: THOUGHT, tool_calls: calls }
  const choice = { index: 0, finish_reason: "tool_calls", logprobs: null }
  if (!streamed) return { body: completion("", { choices: [{ ...choice, message }] }) }
  const [first = "", ...rest] = completionEvents()
  const chunk = (delta: object) => event({ ...head, choices: [{ ...choice, finish_reason: null, delta }] })
  const parts = calls.flatMap(({ function: { arguments: text, name }, id, type }, index) => [
    { index, id, type, function: { name, arguments: "" } },
    ...(text.match(/[^]{1,7}/g) ?? []).map((piece) => ({ index, function: { arguments: piece } }))
  ])
  return {
    body: [
      first,
      chunk({ reasoning_content: THOUGHT }),
      ...parts.map((part) => chunk({ tool_calls: [part] })),
      event({ ...head, choices: [{ ...choice, delta: {} }] }),
      // The last two: usage, and the end mark.
      ...rest.slice(-2)
    ]
  }
}

const head = { id: "chatcmpl-scripted", object: "chat.completion.chunk", created: 1_760_000_000, model: "m" }
