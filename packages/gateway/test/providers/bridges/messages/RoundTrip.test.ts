/**
 * What Anthropic answered, told to a chat caller and from there to a Messages caller over the bridge: nothing of text, thoughts, calls,
 * reasons and usage may be lost on the way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { messages } from "../../../../src/core/operations/messages/Messages.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { AnswerReader } from "../../../../src/providers/AnswerReader.ts"
import { dialectFor } from "../../../../src/providers/bridges/Bridge.ts"
import { MessagesToChat } from "../../../../src/providers/bridges/MessagesToChat.ts"
import { AnthropicChat, AnthropicProtocol } from "../../../../src/providers/protocols/anthropic/Protocol.ts"
import { type Exchange, hasData } from "../../../support/Transcripts.ts"
import { exchanges, textOf } from "../../protocols/anthropic/Recordings.ts"
import { callOf } from "../../protocols/anthropic/Support.ts"

const bridged = dialectFor(new Map([["chat", AnthropicChat]]), [MessagesToChat], "messages")!

/** Undefined where the request holds what only Anthropic can do. */
const callFor = ({ request }: Exchange): UpstreamCall | undefined => {
  const read = Result.getOrThrow(messages.read({ kind: "json", value: request.body, bytes: 10_000 }))
  const call = { ...callOf({}, { model: read.model }), operation: "messages", request: read, maxOutput: read.maxOutput }
  return Result.isSuccess(bridged.lower(call)) ? call : undefined
}

const able = exchanges.flatMap((exchange) => {
  const call = exchange.response.status === 200 ? callFor(exchange) : undefined
  return call === undefined ? [] : [{ exchange, call }]
})

type Block = JsonObject & { text?: string; thinking?: string; input?: unknown }

/** Blocks in a form that does not depend on how text was divided. The vendor's own tools have no place in a chat answer. */
const plain = (content: ReadonlyArray<Block>) => ({
  text: content.map(({ text = "", type }) => (type === "text" ? text : "")).join(""),
  thinking: content.map(({ thinking = "", type }) => (type === "thinking" ? thinking : "")).join(""),
  calls: content.flatMap(({ id, input, name, type }) => (type === "tool_use" ? [{ id, name, input }] : []))
})

/** The message that a client puts together, by the vendor's rules for the order of events. */
const assembled = (events: ReadonlyArray<JsonObject>) => {
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

/** `pause_turn` and the sequence that stopped it have no word in chat. */
const chatReason = (reason: unknown) => (reason === "pause_turn" || reason === "stop_sequence" ? "end_turn" : reason)

const events = (exchange: Exchange): ReadonlyArray<JsonObject> =>
  textOf(exchange)
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => JSON.parse(line.slice(5)) as JsonObject)

describe.skipIf(!hasData)("recorded answers over chat and back", () => {
  it("are nearly all of them", () => {
    assert.isAtLeast(able.length, 150)
  })

  it("whole answers say the same", () => {
    for (const { call, exchange } of able.filter(({ exchange: { streamed } }) => !streamed)) {
      const native = JSON.parse(textOf(exchange)) as JsonObject
      bridged.lower(call)
      const { body, usage } = Result.getOrThrow(bridged.lift(textOf(exchange), call))
      assert.deepStrictEqual(
        plain(body["content"] as Array<Block>),
        plain(native["content"] as Array<Block>),
        exchange.name
      )
      assert.strictEqual(body["stop_reason"], chatReason(native["stop_reason"]), exchange.name)
      assert.isDefined(usage, exchange.name)
      const told = native["usage"] as { [name: string]: unknown }
      if (told["iterations"] === undefined) {
        for (const name of ["input_tokens", "output_tokens", "cache_read_input_tokens"]) {
          assert.strictEqual((body["usage"] as JsonObject)[name], told[name] ?? 0, `${exchange.name} ${name}`)
        }
      }
    }
  })

  it("streams say the same, in the vendor's order", () => {
    let compared = 0
    for (const { call, exchange } of able.filter(({ exchange: { streamed } }) => streamed)) {
      bridged.lower(call)
      const reader = new AnswerReader(AnthropicProtocol.framing, bridged, call, {})
      const got = [...reader.push(exchange.response.bytes), ...reader.end()]
      const said = got.flatMap((event) => ("data" in event && event.data !== "" ? [JSON.parse(event.data)] : []))
      const native = assembled(events(exchange))
      assert.deepStrictEqual(assembled(said), { ...native, reason: chatReason(native.reason) }, exchange.name)
      assert.deepStrictEqual(
        got.slice(-2).map(({ kind }) => kind),
        ["lifecycle", "done"],
        exchange.name
      )
      compared++
    }
    assert.isAtLeast(compared, 20)
  })
})
