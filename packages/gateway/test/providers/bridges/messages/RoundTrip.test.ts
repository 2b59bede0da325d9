/**
 * What Anthropic answered, told to a chat caller and from there to a Messages caller over the bridge: nothing of text, thoughts, calls,
 * reasons and usage may be lost on the way.
 */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { messages } from "../../../../src/core/operations/messages/Messages.ts"
import type { UpstreamCall } from "../../../../src/core/pool/Protocol.ts"
import { AnswerReader } from "../../../../src/providers/pool/AnswerReader.ts"
import { dialectFor } from "../../../../src/providers/bridges/Bridge.ts"
import { MessagesToChat } from "../../../../src/providers/bridges/MessagesToChat.ts"
import { AnthropicChat, AnthropicProtocol } from "../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { type Exchange, hasData } from "../../../support/Transcripts.ts"
import { exchanges, textOf } from "../../protocols/anthropic/Recordings.ts"
import { callOf } from "../../protocols/anthropic/Support.ts"
import { assembled, type Block, plain } from "./Assembled.ts"

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
      const reader = new AnswerReader({ framing: AnthropicProtocol.framing, dialect: bridged, call, headers: {} })
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
