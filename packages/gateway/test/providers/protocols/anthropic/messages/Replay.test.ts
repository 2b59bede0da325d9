/** Every recorded exchange of Anthropic's own API, passed through as its callers sent and get it. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { inputTokens, noUsage, outputTokens } from "../../../../../src/core/domain/Usage.ts"
import { countTokens } from "../../../../../src/core/operations/count_tokens/CountTokens.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { messages } from "../../../../../src/core/operations/messages/Messages.ts"
import { MessagesRelay } from "../../../../../src/core/operations/messages/MessagesRelay.ts"
import type { Operation } from "../../../../../src/core/operations/Operation.ts"
import type { UpstreamCall } from "../../../../../src/core/pool/Protocol.ts"
import { AnswerReader } from "../../../../../src/providers/pool/AnswerReader.ts"
import { messageEvents } from "../../../../../src/providers/protocols/shared/MessageEvents.ts"
import { AnthropicCount } from "../../../../../src/providers/protocols/anthropic/messages/AnthropicMessagesCountTokens.ts"
import {
  AnthropicMessages,
  AnthropicProtocol
} from "../../../../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { type Exchange, hasData, loadFamily } from "../../../../support/Transcripts.ts"
import { exchanges, isReadable, seeded, textOf, theirReading } from "../Recordings.ts"
import { callOf } from "../Support.ts"

const counts = loadFamily("anthropic.count_tokens")
const streams = exchanges.filter(({ streamed }) => streamed)
const wholes = exchanges.filter(({ response, streamed }) => response.status === 200 && !streamed)

/** The call that the operation makes of a recorded request. */
const callFor = ({ request }: Exchange, operation: Operation = messages): UpstreamCall => {
  const body = { kind: "json", value: request.body, bytes: JSON.stringify(request.body).length } as const
  const read = Result.getOrThrow(operation.read(body))
  const call = callOf({}, { model: read.model })
  return { ...call, operation: operation.name, request: read, maxOutput: read.maxOutput }
}

const jsonOf = (text: string): JsonObject => JSON.parse(text) as JsonObject

/** All events of a stream that arrives in these pieces. */
const replay = (pieces: ReadonlyArray<Uint8Array>, call: UpstreamCall): ReadonlyArray<StreamEvent> => {
  const reader = new AnswerReader({ framing: AnthropicProtocol.framing, dialect: AnthropicMessages, call, headers: {} })
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()]
}

/** The data of a recorded stream, read the slow way. */
const rawData = (exchange: Exchange): ReadonlyArray<string> =>
  textOf(exchange)
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).trim())

const dataIn = (events: ReadonlyArray<StreamEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => ("data" in event && event.data !== "" ? [event.data] : []))

const count = (events: ReadonlyArray<StreamEvent>, kind: StreamEvent["kind"]): number =>
  events.filter((event) => event.kind === kind).length

/** What the caller reads of a stream, with this cost. */
const relayed = (events: ReadonlyArray<StreamEvent>, call: UpstreamCall) => {
  const relay = new MessagesRelay()
  const text = relay.push(events)
  relay.close()
  const metadata = {
    requestId: "req_1",
    deployment: call.deployment,
    bucket: "none",
    score: 0,
    retries: 0,
    cost: 1_500,
    isPriced: true,
    dropped: []
  }
  return { relay, text: text + (relay.failure === undefined ? relay.ending(metadata, relay.usage ?? noUsage) : "") }
}

describe.skipIf(!hasData)("recorded exchanges of the Messages API", () => {
  it("are there", () => {
    assert.deepStrictEqual([exchanges.length, streams.length, wholes.length, counts.length], [217, 30, 185, 6])
  })

  it("requests are read, and leave as they came", () => {
    for (const exchange of exchanges) {
      const call = callFor(exchange)
      const wire = Result.getOrThrow(AnthropicMessages.lower(call))
      assert.strictEqual(wire.path, "/messages", exchange.name)
      assert.deepStrictEqual(jsonOf(wire.body), exchange.request.body, exchange.name)
      assert.strictEqual(call.request.stream, exchange.request.body?.["stream"] === true, exchange.name)
      // No part is of a kind that nobody knows the price of, a page that was fetched aside.
      const unknown = call.request.media.filter(({ kind }) => kind === "other")
      const hasPage = JSON.stringify(exchange.request.body).includes('"web_fetch_tool_result"')
      assert.lengthOf(unknown, hasPage ? 1 : 0, exchange.name)
    }
  })

  it("whole answers come out as they are, with their usage", () => {
    for (const exchange of wholes) {
      const text = textOf(exchange)
      const lifted = Result.getOrThrow(AnthropicMessages.lift(text, callFor(exchange)))
      assert.strictEqual(lifted.text, text, exchange.name)
      assert.deepStrictEqual(lifted.body, jsonOf(text), exchange.name)
      const told = lifted.body["usage"] as { readonly [name: string]: number }
      assert.isAtLeast(outputTokens(lifted.usage!), told["output_tokens"]!, exchange.name)
      const input = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
      const read = input.reduce((sum, name) => sum + (told[name] ?? 0), 0)
      assert.isAtLeast(inputTokens(lifted.usage!), read, exchange.name)
    }
  })

  it("refusals keep the vendor's words", () => {
    const refused = exchanges.filter(({ response }) => response.status !== 200)
    assert.lengthOf(refused, 2)
    for (const exchange of refused) {
      const { status } = exchange.response
      const failure = AnthropicProtocol.failure({ status, headers: {}, text: textOf(exchange) })
      const error = jsonOf(textOf(exchange))["error"] as JsonObject
      assert.strictEqual(failure.message, error["message"], exchange.name)
      assert.strictEqual(failure.status, status, exchange.name)
    }
  })

  it("streams pass event for event, with one finish and the usage last", () => {
    for (const exchange of streams) {
      const events = replay([exchange.response.bytes], callFor(exchange))
      assert.deepStrictEqual(dataIn(events), rawData(exchange), exchange.name)
      assert.strictEqual(count(events, "finish"), 1, exchange.name)
      assert.strictEqual(count(events, "malformed") + count(events, "failed"), 0, exchange.name)
      assert.deepStrictEqual(
        events.slice(-2).map(({ kind }) => kind),
        ["usage", "done"],
        exchange.name
      )
    }
  })

  it("callers read the vendor's own events, and the cost in the last message_delta", () => {
    for (const exchange of streams) {
      const call = callFor(exchange)
      const { text } = relayed(replay([exchange.response.bytes], call), call)
      const got = text.split("\n\n").filter((one) => one !== "")
      const raw = rawData(exchange)
      assert.strictEqual(got.length, raw.length, exchange.name)
      for (const [index, frame] of got.entries()) {
        const data = jsonOf(raw[index]!)
        const [name, sent] = frame.split("\n")
        assert.strictEqual(name, `event: ${String(data["type"])}`, exchange.name)
        const said = jsonOf(sent!.slice("data: ".length))
        if (data["type"] !== "message_delta") assert.deepStrictEqual(said, data, exchange.name)
        else {
          const { gateway, ...rest } = said
          assert.deepStrictEqual(rest, { ...data, usage: { ...(data["usage"] as JsonObject), cost: 0.0000015 } })
          assert.strictEqual((gateway as JsonObject)["cost_usd"], 0.0000015, exchange.name)
        }
      }
    }
  })

  it("how a stream is cut into pieces, line ends and comments change nothing", () => {
    const random = seeded(11)
    for (const exchange of streams) {
      const call = callFor(exchange)
      const expected = replay([exchange.response.bytes], call)
      for (const text of [
        textOf(exchange),
        textOf(exchange).replaceAll(/\r?\n/g, "\r\n").replaceAll("\r\n\r\n", "\r\n\r\n: hm\r\n\r\n")
      ]) {
        const pieces: Array<Uint8Array> = []
        const bytes = Buffer.from(text)
        for (let at = 0; at < bytes.length;) {
          const next = at + 1 + Math.floor(random() * 200)
          pieces.push(bytes.subarray(at, next))
          at = next
        }
        assert.deepStrictEqual(replay(pieces, call), expected, exchange.name)
      }
    }
  })

  it("a stream cut after any event is a failure until the stop reason has come", () => {
    for (const exchange of streams) {
      const call = callFor(exchange)
      const frames = textOf(exchange).split(/(?<=\n\r?\n)/)
      for (let kept = 0; kept < frames.length; kept++) {
        const part = frames.slice(0, kept).join("")
        const { relay, text } = relayed(replay([Buffer.from(part)], call), call)
        const isTold = part.includes('"stop_reason":"') || part.includes('"stop_reason": "')
        assert.strictEqual(relay.failure === undefined, isTold, `${exchange.name} after ${kept}`)
        assert.strictEqual(text.includes("event: message_stop"), isTold, exchange.name)
        if (isTold) assert.isDefined(relay.usage, exchange.name)
      }
    }
  })

  it("a whole answer becomes a stream that another client reads like the answer", async () => {
    for (const exchange of wholes.filter(isReadable)) {
      const call = callFor(exchange)
      const lifted = Result.getOrThrow(AnthropicMessages.lift(textOf(exchange), call))
      const { text } = relayed(messageEvents(lifted), call)
      const bytes = Buffer.from(text)
      const headers = { "content-type": "text/event-stream" }
      const streamed = await theirReading({ ...exchange, streamed: true, response: { status: 200, headers, bytes } })
      assert.deepStrictEqual(streamed, await theirReading(exchange), exchange.name)
    }
  })

  it("counts pass both ways", () => {
    for (const exchange of counts) {
      const call = callFor(exchange, countTokens)
      const wire = Result.getOrThrow(AnthropicCount.lower(call))
      assert.strictEqual(wire.path, "/messages/count_tokens")
      assert.deepStrictEqual(jsonOf(wire.body), exchange.request.body, exchange.name)
      if (exchange.response.status !== 200) continue
      const lifted = Result.getOrThrow(AnthropicCount.lift(textOf(exchange), call))
      assert.deepStrictEqual(lifted.body, jsonOf(textOf(exchange)), exchange.name)
      assert.deepStrictEqual(lifted.usage, noUsage)
    }
  })
})
