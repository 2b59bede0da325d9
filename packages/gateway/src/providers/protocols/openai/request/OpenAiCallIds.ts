/**
 * Ids of the tool calls of a history as the model takes them. Kimi's models write `functions.NAME:N`, where `N` counts the calls of the
 * conversation (https://github.com/MoonshotAI/Kimi-K2/blob/main/docs/tool_call_guidance.md), and stop acting where a history has other ids
 * (https://github.com/getkimchi/kimchi/issues/1063; both read 2026-11-27). OpenAI takes at most 40 characters in chat and 64 at Responses.
 */
import type { Deployment } from "../../../../core/domain/Deployment.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { isObject, objectOr, objectsIn, textOf } from "../../../json/LooseJson.ts"
import { idsUpTo, namedIds, ToolIds } from "../../shared/ToolIds.ts"

const LONGEST_IN_CHAT = 40
const LONGEST_IN_RESPONSES = 64

/** `messages` itself where every id is taken as it is. */
export const withCallIds = (messages: unknown, { facts, quirks }: Pick<Deployment, "facts" | "quirks">): unknown => {
  const isNamed = facts?.protocol?.["toolIds"] === "named"
  const form = isNamed ? namedIds : quirks?.isNative === true ? idsUpTo(LONGEST_IN_CHAT) : undefined
  if (form === undefined || !Array.isArray(messages)) return messages
  if (!messages.some((message) => callsOf(message).some(({ id }) => !form.isValid(String(id))))) return messages
  // Later ids must not change what earlier ones become.
  const ids = new ToolIds(form, [])
  return messages.map((message: unknown) => {
    if (!isObject(message)) return message
    const answered = textOf(message["tool_call_id"])
    if (answered !== undefined) return { ...message, tool_call_id: ids.answered(answered) }
    const calls = callsOf(message)
    if (calls.length === 0) return message
    const named = calls.map((call) => {
      const { name } = objectOr(call["function"] ?? call["custom"])
      return { ...call, id: ids.open(String(call["id"] ?? ""), textOf(name)) }
    })
    return { ...message, tool_calls: named }
  })
}

const callsOf = (message: unknown): ReadonlyArray<JsonObject> =>
  isObject(message) ? objectsIn(message["tool_calls"]) : []

export const withItemIds = (input: unknown, { quirks }: Pick<Deployment, "quirks">): unknown => {
  const form = idsUpTo(LONGEST_IN_RESPONSES)
  const isLong = (item: unknown): boolean => isObject(item) && !form.isValid(textOf(item["call_id"]) ?? "")
  if (quirks?.isNative !== true || !Array.isArray(input) || !input.some(isLong)) return input
  const ids = new ToolIds(form, [])
  return input.map((item: unknown) => {
    const id = isObject(item) ? textOf(item["call_id"]) : undefined
    if (!isObject(item) || id === undefined) return item
    return { ...item, call_id: String(item["type"]).endsWith("_output") ? ids.answered(id) : ids.open(id) }
  })
}
