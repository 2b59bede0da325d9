/** Messages as a client puts them together from events, in a form that can be compared. */
import { assert } from "@effect/vitest"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"

export type Block = JsonObject & { text?: string; thinking?: string; input?: unknown }

/** Blocks in a form that does not depend on how text was divided. The vendor's own tools have no place in a chat answer. */
export const plain = (content: ReadonlyArray<Block>) => ({
  text: content.map(({ text = "", type }) => (type === "text" ? text : "")).join(""),
  thinking: content.map(({ thinking = "", type }) => (type === "thinking" ? thinking : "")).join(""),
  calls: content.flatMap(({ id, input, name, type }) => (type === "tool_use" ? [{ id, name, input }] : []))
})

/** The message that a client puts together, by the vendor's rules for the order of events. */
export const assembled = (events: ReadonlyArray<JsonObject>) => {
  const blocks: Array<Block & { json: string; open: boolean }> = []
  let reason: unknown
  let isOver = false
  for (const [index, event] of events.entries()) {
    assert.strictEqual(event["type"] === "message_start", index === 0)
    assert.isFalse(isOver)
    const at = event["index"] as number
    switch (event["type"]) {
      case "content_block_start":
        assert.strictEqual(at, blocks.length)
        assert.isTrue(blocks.every(({ open }) => !open))
        blocks.push({ ...(event["content_block"] as Block), json: "", open: true })
        break
      case "content_block_delta": {
        const delta = event["delta"] as { text?: string; thinking?: string; partial_json?: string }
        const block = blocks[at]!
        assert.isTrue(block.open)
        if (delta.text !== undefined) block.text = block.text! + delta.text
        if (delta.thinking !== undefined) block.thinking = block.thinking! + delta.thinking
        block.json += delta.partial_json ?? ""
        break
      }
      case "content_block_stop":
        assert.isTrue(blocks[at]!.open)
        blocks[at]!.open = false
        break
      case "message_delta":
        assert.isTrue(blocks.every(({ open }) => !open))
        reason = (event["delta"] as JsonObject)["stop_reason"]
        break
      case "message_stop":
        isOver = true
    }
  }
  assert.isTrue(isOver)
  const content = blocks.map((block) => (block.type === "tool_use" ? { ...block, input: inputOf(block.json) } : block))
  return { ...plain(content), reason }
}

const inputOf = (json: string): unknown => (json === "" ? {} : JSON.parse(json))
