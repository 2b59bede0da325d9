/**
 * The chat's messages as Mistral takes them. The rules are those of `src/mistral_common/protocol/instruct/validator.py` in
 * https://github.com/mistralai/mistral-common (039465d, read 2026-11-22): ids of calls have nine letters and digits, results are followed by
 * the assistant, instructions stand at the beginning or before a user's message, and the last message is the assistant's only as a
 * prefix of the answer.
 */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import type { UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { argumentsText, arrayOf, isBlank, isObject, textOf } from "../../../json/LooseJson.ts"
import { reminder } from "../../shared/Reminders.ts"
import type { Losses } from "../../shared/Losses.ts"
import { lettersOnly, ToolIds } from "../../shared/ToolIds.ts"
import { contentOf, textContent, thoughtsOf } from "./MistralChatContent.ts"

const toolIdForm = lettersOnly(9)

/** Between the results of tools and what the user says next. */
const ACKNOWLEDGED: JsonObject = { role: "assistant", content: "OK." }

export const lowerMessages = ({ deployment, request }: UpstreamCall, losses: Losses): ReadonlyArray<JsonObject> => {
  const messages: unknown = request.body["messages"]
  if (!Array.isArray(messages)) {
    losses.refuse("messages", "`messages` must be a list")
    return []
  }
  const ids = new ToolIds(toolIdForm, callIds(messages))
  const reasons = deployment.supports.has("reasoning")
  const lowered = messages.flatMap((message: unknown, index): ReadonlyArray<JsonObject> => {
    const param = `messages[${index}]`
    if (isObject(message)) return lowerMessage(message, param, ids, reasons, losses)
    losses.refuse(param, "a message must be an object")
    return []
  })
  if (lowered.length === 0) losses.refuse("messages", "at least one message with contents is needed")
  return prefixed(ordered(lowered))
}

const lowerMessage = (
  message: JsonObject,
  param: string,
  ids: ToolIds,
  reasons: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  const { role } = message
  if (textOf(message["name"]) !== undefined && role !== "tool") {
    losses.drop("messages.name", "Mistral has no names of participants")
  }
  switch (role) {
    case "system":
    case "developer":
      return [{ role: "system", content: textContent(message["content"], param, losses) }]
    case "user":
      return [{ role, content: contentOf(message["content"], param, losses) }]
    case "assistant":
      return assistantMessage(message, param, ids, reasons, losses)
    case "tool":
      return [
        {
          role,
          tool_call_id: ids.answered(idOf(message["tool_call_id"])),
          content: contentOf(message["content"], param, losses)
        }
      ]
    default:
      losses.refuse(`${param}.role`, "`role` must be system, developer, user, assistant or tool at this provider")
      return []
  }
}

/** One that says nothing is refused, so it is left out. */
const assistantMessage = (
  message: JsonObject,
  param: string,
  ids: ToolIds,
  reasons: boolean,
  losses: Losses
): ReadonlyArray<JsonObject> => {
  if (isObject(message["function_call"])) {
    losses.refuse(`${param}.function_call`, "`function_call` is not supported at this provider: use `tool_calls`")
  }
  const text = textContent(message["content"], param, losses) || (textOf(message["refusal"]) ?? "")
  const thoughts = reasons ? thoughtsOf(message) : undefined
  const calls = arrayOf(message["tool_calls"]).map((call, index) =>
    toolCall(call, `${param}.tool_calls[${index}]`, ids, losses)
  )
  if (isBlank(text) && thoughts === undefined && calls.length === 0) return []
  return [
    {
      role: "assistant",
      content: thoughts === undefined ? text : thinking(thoughts, text),
      ...(calls.length === 0 ? {} : { tool_calls: calls })
    }
  ]
}

/** The parts that its reasoning models answer with. */
const thinking = (thoughts: string, text: string): ReadonlyArray<JsonObject> => [
  { type: "thinking", thinking: [{ type: "text", text: thoughts }], closed: true },
  ...(text === "" ? [] : [{ type: "text", text }])
]

const toolCall = (call: unknown, param: string, ids: ToolIds, losses: Losses): JsonObject => {
  const called = isObject(call) ? call["function"] : undefined
  if (!isObject(call) || !isObject(called)) {
    losses.refuse(param, "only function calls can be sent to this provider")
    return {}
  }
  return {
    id: ids.open(idOf(call["id"])),
    type: "function",
    function: { name: called["name"], arguments: argumentsText(called["arguments"]) || "{}" }
  }
}

const idOf = (id: unknown): string => (typeof id === "string" ? id : "")

const callIds = (messages: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  messages.flatMap((message) =>
    isObject(message) ? arrayOf(message["tool_calls"]).map((call) => idOf(isObject(call) ? call["id"] : "")) : []
  )

/** Within a conversation instructions may only follow the user; elsewhere the user says them. */
const ordered = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const all: Array<JsonObject> = []
  for (const message of messages) {
    const last = all.at(-1)?.["role"]
    const isLate = message["role"] === "system" && (last === "assistant" || last === "tool")
    const said = isLate ? { role: "user", content: reminder(String(message["content"])) } : message
    if (said["role"] === "user" && last === "tool") all.push(ACKNOWLEDGED)
    all.push(said)
  }
  return all
}

/** The answer goes on from a last message of the assistant. */
const prefixed = (messages: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const last = messages.at(-1)
  if (last === undefined || last["role"] !== "assistant" || "tool_calls" in last) return messages
  return [...messages.slice(0, -1), { ...last, prefix: true }]
}
