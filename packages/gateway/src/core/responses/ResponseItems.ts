/** The items of requests: as a list, with ids where they are stored. */
import { Predicate } from "effect"
import type { JsonObject } from "../domain/Json.ts"

/** How ids of items begin, by their type; others begin with `item_`. */
const prefixes: { readonly [type: string]: string } = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  function_call_output: "fco_",
  custom_tool_call: "ctc_",
  custom_tool_call_output: "ctco_",
  compaction: "cmp_"
}

/** The `input` of a request as a list: a text is one message of the user. */
export const itemsOf = (input: unknown): ReadonlyArray<unknown> =>
  Array.isArray(input)
    ? input
    : typeof input === "string" && input !== ""
      ? [{ type: "message", role: "user", content: input }]
      : []

/** An item with a role and no type is a message. */
const typeOf = (item: JsonObject): string =>
  typeof item["type"] === "string" ? item["type"] : "role" in item ? "message" : ""

/** The item that is meant by a reference, which need not say its type. */
export const referenceOf = (item: unknown): string | undefined => {
  if (!Predicate.isObject(item)) return undefined
  const { id, type, ...others } = item as JsonObject
  const isReference = type === "item_reference" || ((type ?? null) === null && Object.keys(others).length === 0)
  return isReference && typeof id === "string" ? id : undefined
}

/** As they are stored and listed: each with an id, and each message with its content as a list. `name` is part of new ids. */
export const withIds = (items: ReadonlyArray<unknown>, name: string): ReadonlyArray<JsonObject> =>
  items.flatMap((item, index) => {
    if (!Predicate.isObject(item)) return []
    const fields = item as JsonObject
    const type = typeOf(fields)
    const given = fields["id"]
    const id = typeof given === "string" && given !== "" ? given : `${prefixes[type] ?? "item_"}${name}${index}`
    return [type === "message" ? { ...message(fields), id } : { ...fields, id }]
  })

const message = (fields: JsonObject): JsonObject => {
  const { content, role, status } = fields
  const isOutput = role === "assistant"
  const parts =
    typeof content === "string"
      ? [isOutput ? { type: "output_text", text: content, annotations: [] } : { type: "input_text", text: content }]
      : (content ?? [])
  return { ...fields, type: "message", status: status ?? "completed", content: parts }
}
