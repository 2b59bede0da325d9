/** The blocks of an answer as Anthropic wrote them, for the next turn, where a chat message can't say them all or their order. */
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { arrayOf, isObject, textOf } from "../../../json/LooseJson.ts"
import { callPart, type OwnForm, ownTurn } from "../../shared/OwnTurn.ts"

export const OWN_BLOCKS: OwnForm = {
  vendor: "anthropic",
  list: "content",
  textIn: ({ text, type }) => (type === "text" && typeof text === "string" ? text : "")
}

/** The message's field; nothing where chat says it all. */
export const ownBlocks = (blocks: ReadonlyArray<JsonObject>): JsonObject =>
  blocks.some((block, index) => !isPlain(block, blocks[index - 1])) ? ownTurn(OWN_BLOCKS, blocks.flatMap(kept)) : {}

/** Chat has the thoughts first, then one text, then calls. */
const isPlain = ({ caller, citations, type }: JsonObject, before: JsonObject | undefined): boolean => {
  if (type === "thinking" || type === "redacted_thinking") return before === undefined || rank(before) === 0
  if (type === "text") return (before === undefined || rank(before) < 2) && arrayOf(citations).length === 0
  return type === "tool_use" && !(isObject(caller) && caller["type"] !== "direct")
}

const rank = ({ type }: JsonObject): number => (type === "tool_use" ? 2 : type === "text" ? 1 : 0)

/** Empty texts are refused. */
const kept = (block: JsonObject): ReadonlyArray<JsonObject> => {
  const { id, input: _, name: __, type, ...more } = block
  if (type === "tool_use") return [callPart(id, more)]
  return type === "text" && textOf(block["text"]) === undefined ? [] : [block]
}

export class StreamedBlocks {
  private readonly blocks = new Map<unknown, Record<string, unknown>>()
  private readonly inputs = new Map<unknown, string>()

  open(index: unknown, block: JsonObject): void {
    this.blocks.set(index, { ...block })
  }

  add(index: unknown, { citation, content, partial_json: json, signature, text, thinking }: JsonObject): void {
    const block = this.blocks.get(index)
    if (block === undefined) return
    for (const [name, piece] of Object.entries({ content, signature, text, thinking })) {
      if (typeof piece === "string") block[name] = typeof block[name] === "string" ? block[name] + piece : piece
    }
    if (citation !== undefined) block["citations"] = [...arrayOf(block["citations"]), citation]
    // The arguments of the caller's tools are in the message's calls.
    if (typeof json === "string" && block["type"] !== "tool_use")
      this.inputs.set(index, (this.inputs.get(index) ?? "") + json)
  }

  end(): JsonObject {
    for (const [index, json] of this.inputs) {
      const input = parseJson(json)
      if (isObject(input)) this.blocks.get(index)!["input"] = input
    }
    return ownBlocks([...this.blocks.values()])
  }
}
