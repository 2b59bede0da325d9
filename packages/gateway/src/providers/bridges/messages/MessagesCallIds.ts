/**
 * Ids of tool calls at Messages, which has letters, digits, `_` and `-` alone. An id with other signs (`functions.ls:0`) is written in
 * these, and is itself again when it comes back: its model wants it as it was.
 */
import { textOf } from "../../json/LooseJson.ts"

const MARK = "gw_"
const PLAIN = /^[\w-]+$/

export const writtenId = (id: string): string => (PLAIN.test(id) ? id : MARK + Buffer.from(id).toString("base64url"))

/** The id itself where it was not written so. */
export const readId = (id: unknown): unknown => {
  const text = textOf(id)
  if (text?.startsWith(MARK) !== true) return id
  const read = Buffer.from(text.slice(MARK.length), "base64url").toString("utf8")
  return !PLAIN.test(read) && writtenId(read) === text ? read : id
}
