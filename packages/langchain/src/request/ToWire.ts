/** LangChain's messages as the wire has them. */
import type { AIMessage, BaseMessage, ChatMessage, MessageContent, ToolMessage } from "@langchain/core/messages"
import { toPart, type WirePart } from "./Blocks.ts"
import { GatewayInputError } from "../Errors.ts"

export interface OutgoingMessage {
  readonly role: string
  readonly content: string | ReadonlyArray<WirePart> | null
  readonly name?: string
  readonly tool_call_id?: string
  readonly tool_calls?: ReadonlyArray<OutgoingToolCall>
}

interface OutgoingToolCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

/** Throws a `GatewayInputError` for a message or a content block that the wire has no form for. */
export const toWireMessages = (messages: ReadonlyArray<BaseMessage>): ReadonlyArray<OutgoingMessage> => {
  const answered = new Set(messages.flatMap((message) => (message.type === "tool" ? [answeredBy(message)] : [])))
  return messages.map((message) => toWireMessage(message, answered))
}

const answeredBy = (message: BaseMessage): string => (message as ToolMessage).tool_call_id

/** `answered`: the ids of calls that a tool's message is about. */
const toWireMessage = (message: BaseMessage, answered: ReadonlySet<string>): OutgoingMessage => {
  const content = contentOf(message.content)
  // What providers take for a name: createAgent may put others there.
  const name = /^[\w.-]{1,64}$/.test(message.name ?? "") ? { name: message.name! } : {}
  switch (message.type) {
    case "human":
      return { role: "user", content, ...name }
    case "system":
      // ChatOpenAI's way to ask for the newer role.
      return { role: roleOf(message) ?? "system", content, ...name }
    case "ai":
      return assistant(message as AIMessage, content, name, answered)
    case "tool":
      return { role: "tool", content, tool_call_id: answeredBy(message) }
    case "function":
      return { role: "function", content, ...name }
    case "generic":
      return { role: (message as ChatMessage).role, content, ...name }
    default:
      throw new GatewayInputError(
        `A message of type \`${message.type}\` can't be sent to a model: system, human, ai and tool messages can.`
      )
  }
}

const roleOf = (message: BaseMessage): string | undefined => {
  const role = message.additional_kwargs["__openai_role__"]
  return typeof role === "string" ? role : undefined
}

const contentOf = (content: MessageContent): OutgoingMessage["content"] => {
  if (typeof content === "string") return content
  return content.flatMap((block) => toPart(block) ?? [])
}

const assistant = (
  message: AIMessage,
  content: OutgoingMessage["content"],
  name: object,
  answered: ReadonlySet<string>
): OutgoingMessage => {
  const calls = toolCalls(message, answered)
  if (calls.length === 0) return { role: "assistant", content: content === null ? "" : joined(content), ...name }
  const isEmpty = content === null || content.length === 0
  // Some providers refuse an empty text beside tool calls.
  return { role: "assistant", content: isEmpty ? null : joined(content), ...name, tool_calls: calls }
}

/** Providers other than the vendor of this format know an assistant's words as one text only. */
const joined = (content: string | ReadonlyArray<WirePart>): OutgoingMessage["content"] =>
  typeof content !== "string" && content.every((part) => part.type === "text" && part["cache_control"] === undefined)
    ? content.map((part) => part["text"]).join("")
    : content

/**
 * Calls whose arguments could not be read go back as they came where a tool's message answers them. Agents don't make such calls, and
 * providers refuse a call that nobody answered.
 */
const toolCalls = (message: AIMessage, answered: ReadonlySet<string>): ReadonlyArray<OutgoingToolCall> => {
  const valid = (message.tool_calls ?? []).map((call) => ({ ...call, text: JSON.stringify(call.args) }))
  const invalid = (message.invalid_tool_calls ?? [])
    .filter(({ id }) => id !== undefined && answered.has(id))
    .map((call) => ({ ...call, text: call.args ?? "" }))
  return [...valid, ...invalid].flatMap(({ id, name, text }) => {
    if (id === undefined || name === undefined) return []
    return [{ id, type: "function" as const, function: { name, arguments: text } }]
  })
}
