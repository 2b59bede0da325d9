/** The items of a response as its provider wrote them, for the next turn. */
import { objectsIn, type JsonObject } from "../../json/LooseJson.ts"
import { callPart, type OwnForm, ownTurn } from "../../protocols/shared/OwnTurn.ts"

export const OWN_ITEMS: OwnForm = {
  vendor: "openai",
  list: "output",
  textIn: ({ content, type }) =>
    type === "message"
      ? objectsIn(content)
          .map(({ text }) => (typeof text === "string" ? text : ""))
          .join("")
      : ""
}

/** The message's field; nothing where chat says it all. */
export const ownItems = (output: ReadonlyArray<JsonObject>): JsonObject =>
  output.some((item, index) => !isPlain(item, output[index - 1])) ? ownTurn(OWN_ITEMS, output.map(kept)) : {}

/** Chat has the thoughts first, then one text, then calls. */
const isPlain = ({ namespace, phase, type }: JsonObject, before: JsonObject | undefined): boolean => {
  const order = RANKS.get(type)
  const last = before === undefined ? 0 : (RANKS.get(before["type"]) ?? 0)
  return order !== undefined && order >= last && (phase ?? null) === null && (namespace ?? null) === null
}

const RANKS = new Map<unknown, number>([
  ["reasoning", 0],
  ["message", 1],
  ["function_call", 2],
  ["custom_tool_call", 2]
])

/** The provider keeps no items, so it knows none by their ids; those of its own tools are not taken without. */
const kept = (item: JsonObject): JsonObject => {
  const { arguments: _, call_id: call, id, input: __, name: ___, status: ____, type, ...more } = item
  const rank = RANKS.get(type)
  if (rank === 2) return callPart(call, more)
  return rank === undefined ? item : { type, ...more }
}
