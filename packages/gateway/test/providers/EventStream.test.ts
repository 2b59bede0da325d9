import { crc32 } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { reportedError } from "../../src/providers/framing/EventHeaders.ts"
import { eventStream, EventStreamDecoder } from "../../src/providers/framing/AwsEventStream.ts"
import { MAX_EVENT_LENGTH } from "../../src/providers/framing/Sse.ts"
import { eventMessage, exceptionMessage, message, messagesIn, rawMessage } from "../support/EventStreamMessages.ts"
import { hasData, loadFamily, sayWhenMissing } from "../support/Transcripts.ts"
import { seeded } from "./protocols/openai/Support.ts"

sayWhenMissing("recorded event streams")

const decode = (chunks: Iterable<Uint8Array>) => {
  const decoder = new EventStreamDecoder()
  const events = []
  for (const chunk of chunks) events.push(...decoder.push(chunk))
  events.push(...decoder.end())
  return { events, broken: decoder.broken, tooLong: decoder.tooLong }
}

const random = seeded(5)

/** In pieces of up to `most` bytes, empty ones too. */
const split = (bytes: Uint8Array, most: number): ReadonlyArray<Uint8Array> => {
  const chunks: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const size = Math.floor(random() * (most + 1))
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

const spoken = Buffer.concat([
  eventMessage("messageStart", { role: "assistant" }),
  eventMessage("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "漢字 🙂 {" } }),
  eventMessage("empty", ""),
  exceptionMessage("throttlingException", "Too many tokens")
])

/** Fifteen bytes long, it says, with a checksum that fits. */
const shortened = (() => {
  const bytes = Buffer.alloc(16)
  bytes[3] = 15
  bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8)
  return bytes
})()

describe("EventStreamDecoder", () => {
  it("names each event, its payload and its exceptions", () => {
    assert.deepStrictEqual(decode([spoken]).events, [
      { kind: "messageStart", data: '{"role":"assistant"}' },
      { kind: "contentBlockDelta", data: '{"contentBlockIndex":0,"delta":{"text":"漢字 🙂 {"}}' },
      { kind: "empty", data: "" },
      { kind: "exception:throttlingException", data: '{"message":"Too many tokens"}' }
    ])
  })

  it("reads headers of every type, in any order", () => {
    const headers = {
      on: true,
      off: false,
      at: 5n,
      bytes: Buffer.of(1, 2),
      ":message-type": "event",
      ":event-type": "x"
    }
    const { broken, events } = decode([message(headers, "1"), message({ ...headers, ":event-type": "y" }, "2")])
    assert.deepStrictEqual(events, [
      { kind: "x", data: "1" },
      { kind: "y", data: "2" }
    ])
    assert.isUndefined(broken)
  })

  it("gives the code and the message of an error that the service did not model", () => {
    const headers = { ":message-type": "error", ":error-code": "InternalError", ":error-message": "it broke" }
    const [event] = decode([message(headers, "")]).events
    assert.strictEqual(event?.kind, "error:InternalError it broke")
    assert.strictEqual(reportedError(event?.kind ?? ""), "InternalError it broke")
    assert.isUndefined(reportedError("messageStart"))
  })

  it("reads the same however the network splits it", () => {
    const whole = decode([spoken])
    assert.deepStrictEqual(decode(Array.from(spoken, (byte) => Uint8Array.of(byte))), whole)
    for (let round = 0; round < 300; round++) assert.deepStrictEqual(decode(split(spoken, 1 + round)), whole)
  })

  it("never reads on, and never reads anything else, when any byte of it is another", () => {
    const whole = decode([spoken]).events
    for (let at = 0; at < spoken.length; at++) {
      for (const flip of [0x01, 0x80, 0xff]) {
        const bytes = Buffer.from(spoken)
        bytes[at]! ^= flip
        for (const chunks of [[bytes], split(bytes, 40)]) {
          const { broken, events, tooLong } = decode(chunks)
          assert.isTrue(broken !== undefined || tooLong, `byte ${at} with ${flip}`)
          assert.isBelow(events.length, whole.length)
          assert.deepStrictEqual(events, whole.slice(0, events.length), `byte ${at} with ${flip}`)
        }
      }
    }
  })

  it("gives nothing of a message that is cut anywhere", () => {
    const whole = decode([spoken]).events
    for (let length = 0; length < spoken.length; length++) {
      const { broken, events } = decode([spoken.subarray(0, length)])
      assert.isUndefined(broken)
      assert.isBelow(events.length, whole.length)
      assert.deepStrictEqual(events, whole.slice(0, events.length))
    }
  })

  it("refuses what claims to be too long before it came, and holds none of it", () => {
    const long = message({ ":message-type": "event", ":event-type": "x" }, "y".repeat(MAX_EVENT_LENGTH))
    const { broken, events, tooLong } = decode([spoken, long.subarray(0, 12)])
    assert.lengthOf(events, 4)
    assert.isTrue(tooLong)
    assert.isUndefined(broken)
  })

  it.each([
    ["a message shorter than its frame", "an event is shorter than its own frame", shortened],
    [
      "a header of no known type",
      "the headers of an event can't be read",
      rawMessage(Buffer.from([1, 97, 42]), Buffer.of())
    ],
    [
      "a header that ends early",
      "the headers of an event can't be read",
      rawMessage(Buffer.from([1, 97, 7, 0]), Buffer.of())
    ],
    [
      "a header longer than the rest",
      "the headers of an event can't be read",
      rawMessage(Buffer.from([1, 97, 7, 0, 9]), Buffer.of())
    ],
    ["no word about what it is", "the headers of an event can't be read", rawMessage(Buffer.of(), Buffer.of())],
    ["a text answer", "the lengths of an event don't fit their checksum", Buffer.from("data: {}\n\ndata: {}\n\n")]
  ])("breaks at %s", (_, why, bytes) => {
    assert.deepStrictEqual(decode([bytes, spoken]), { events: [], broken: why, tooLong: false })
  })

  it("tells a whole JSON answer by its first byte", () => {
    assert.isTrue(eventStream.isWholeAnswer?.(Buffer.from("{")[0]!))
    assert.isFalse(eventStream.isWholeAnswer?.(spoken[0]!))
  })
})

describe.skipIf(!hasData)("recorded event streams", () => {
  const streams = ["bedrock.converse-stream", "bedrock.invoke-with-response-stream"]
    .flatMap(loadFamily)
    .filter(({ response }) => response.headers["content-type"] === eventStream.mediaType)

  it("are read whole, message by message, and split anywhere", () => {
    assert.lengthOf(streams, 27)
    for (const { name, response } of streams) {
      const whole = decode([response.bytes])
      assert.isUndefined(whole.broken, name)
      assert.lengthOf(whole.events, messagesIn(response.bytes).length, name)
      for (const { data } of whole.events) assert.isObject(JSON.parse(data), name)
      for (const most of [1, 7, 64, 1_000]) assert.deepStrictEqual(decode(split(response.bytes, most)), whole, name)
    }
  })
})
