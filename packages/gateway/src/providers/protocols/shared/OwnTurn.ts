/**
 * A turn in its vendor's own form, beside the form of a chat message: for what chat has no field or no order for, such as searches of
 * the vendor's own tools, or thoughts on both sides of a text. It is in the message's `extra_content`, and goes back to that vendor
 * in place of the chat form, unless the caller has edited that.
 */
import { objectOf, objectsIn, type JsonObject } from "../../json/LooseJson.ts"

export interface OwnForm {
  /** The name in `extra_content`. */
  readonly vendor: string
  /** The name of the list of parts. */
  readonly list: string
  /** The text that a part adds to the message. */
  readonly textIn: (part: JsonObject) => string
}

/** A part that is a call: its arguments are those of the message's call of this id. */
export const callPart = (id: unknown, more: JsonObject = {}): JsonObject => ({ call: id, ...more })

/** The field of a message. */
export const ownTurn = ({ list, vendor }: OwnForm, parts: ReadonlyArray<JsonObject>): JsonObject => ({
  extra_content: { [vendor]: { [list]: parts } }
})

/** The parts of a message, each call from `calls`, in order; undefined where there are none, or the message is not what it was. */
export const keptTurn = (
  { list, textIn, vendor }: OwnForm,
  message: JsonObject,
  calls: ReadonlyArray<JsonObject>
): Array<JsonObject> | undefined => {
  const parts = objectsIn(objectOf(objectOf(message["extra_content"])?.[vendor])?.[list])
  if (parts.length === 0) return undefined
  const ids = objectsIn(message["tool_calls"]).map(({ id }) => id)
  const kept = parts.flatMap(({ call }) => (call === undefined ? [] : [call]))
  const isSame =
    bare(parts.map(textIn).join("")) === bare(textOfMessage(message["content"])) &&
    kept.length === ids.length &&
    kept.every((id, index) => id === ids[index])
  if (!isSame) return undefined
  let next = 0
  return parts.map(({ call, ...more }) => (call === undefined ? more : { ...calls[next++], ...more }))
}

const textOfMessage = (content: unknown): string =>
  typeof content === "string"
    ? content
    : objectsIn(content)
        .map(({ text }) => (typeof text === "string" ? text : ""))
        .join("")

/** Other endpoints join texts with line ends. */
const bare = (text: string): string => text.replaceAll(/\s/g, "")
