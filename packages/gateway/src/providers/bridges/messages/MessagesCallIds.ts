/** Ids of tool calls at Messages, which has letters, digits, `_` and `-` alone: one with other signs is encoded, and decoded on its way back. */
import { textOf } from "../../json/LooseJson.ts"

const MARK = "gw_"
const PLAIN = /^[\w-]+$/

export const writtenId = (id: string): string => (PLAIN.test(id) ? id : MARK + Buffer.from(id).toString("base64url"))

export const readId = (id: unknown): unknown => {
  const text = textOf(id)
  if (text?.startsWith(MARK) !== true) return id
  const read = Buffer.from(text.slice(MARK.length), "base64url").toString("utf8")
  return !PLAIN.test(read) && writtenId(read) === text ? read : id
}
