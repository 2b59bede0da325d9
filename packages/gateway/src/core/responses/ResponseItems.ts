/** The items of requests: as a list, with ids where they are stored. */
import { Predicate } from "effect"
import type { JsonObject } from "../domain/Json.ts"
import { ownId, prefixOf } from "../operations/responses/OwnIds.ts"

/** An id as the gateway makes them for items. */
export const ownItemId = (type: string): string => ownId(prefixOf(type))

/** The `input` of a request as a list: a text is one message of the user. */
export const itemsOf = (input: unknown): ReadonlyArray<unknown> =>
  Array.isArray(input)
    ? input
    : typeof input === "string" && input !== ""
      ? [{ type: "message", role: "user", content: input }]
      : []

/** An item with a role and no type is a message. */
export const typeOf = (item: JsonObject): string =>
  typeof item["type"] === "string" ? item["type"] : "role" in item ? "message" : ""

/** The id of the item that is meant by a reference, which need not say its type. */
export const referenceOf = (item: unknown): string | undefined => {
  if (!Predicate.isObject(item)) return undefined
  const { id, type, ...others } = item as JsonObject
  const isReference = type === "item_reference" || ((type ?? null) === null && Object.keys(others).length === 0)
  return isReference && typeof id === "string" ? id : undefined
}

/** As they are stored and listed: each with an id, and each message with its content as a list. */
export const withIds = (items: ReadonlyArray<unknown>): ReadonlyArray<JsonObject> =>
  items.flatMap((item) => {
    if (!Predicate.isObject(item)) return []
    const fields = item as JsonObject
    const type = typeOf(fields)
    const given = fields["id"]
    const id = typeof given === "string" && given !== "" ? given : ownItemId(type)
    return [{ ...(type === "message" ? message(fields) : fields), id }]
  })

const message = (fields: JsonObject): JsonObject => {
  const { content, role, status } = fields
  const parts =
    typeof content !== "string"
      ? (content ?? [])
      : role === "assistant"
        ? [{ type: "output_text", text: content, annotations: [] }]
        : [{ type: "input_text", text: content }]
  return { ...fields, type: "message", status: status ?? "completed", content: parts }
}
