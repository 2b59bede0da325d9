import { assert, describe, it } from "@effect/vitest"
import { MAX_EVENT_LENGTH, SseDecoder } from "../../src/providers/framing/Sse.ts"
import { seeded } from "./protocols/openai/Support.ts"

const decode = (chunks: Iterable<Uint8Array>) => {
  const decoder = new SseDecoder()
  const events = []
  for (const chunk of chunks) events.push(...decoder.push(chunk))
  events.push(...decoder.end())
  return events
}

const decodeText = (text: string) => decode([Buffer.from(text)])
const datas = (text: string) => decodeText(text).map(({ data }) => data)

const bytewise = (text: string) => Array.from(Buffer.from(text), (byte) => Uint8Array.of(byte))

describe("SseDecoder", () => {
  it("reads one event per data line and blank line", () => {
    assert.deepStrictEqual(decodeText('data: {"a":1}\n\ndata:{"b":2}\n\ndata: [DONE]\n\n'), [
      { kind: "", data: '{"a":1}' },
      { kind: "", data: '{"b":2}' },
      { kind: "", data: "[DONE]" }
    ])
  })

  it("takes the event's name from its own event only", () => {
    assert.deepStrictEqual(decodeText("event: ping\ndata: {}\n\ndata: {}\n\n"), [
      { kind: "ping", data: "{}" },
      { kind: "", data: "{}" }
    ])
    assert.deepStrictEqual(decodeText("event: lost\n\ndata: {}\n\n"), [{ kind: "", data: "{}" }])
    assert.deepStrictEqual(decodeText("data: {}\nevent: late\n\n"), [{ kind: "late", data: "{}" }])
  })

  it("joins data lines, removes one space, ignores comments and other fields", () => {
    assert.deepStrictEqual(datas(": hello\nid: 7\nretry: 10\ndata:  a\ndata:b\ndata\n\n"), [" a\nb"])
    assert.deepStrictEqual(datas(": OPENROUTER PROCESSING\n\n: again\n\ndata: x\n\n"), ["x"])
    assert.deepStrictEqual(datas("data: \n\n"), [""])
  })

  it("reads every line end, split anywhere", () => {
    const text = ": note\nevent: x\ndata: é\ndata: 漢字 🙂\n\ndata: [DONE]\n\n"
    const expected = decodeText(text)
    assert.strictEqual(expected.length, 2)
    const random = seeded(11)
    for (const end of ["\n", "\r\n", "\r"]) {
      const bytes = Buffer.from(text.replaceAll("\n", end))
      assert.deepStrictEqual(decode(bytewise(bytes.toString())), expected)
      for (let round = 0; round < 200; round++) {
        const chunks = []
        for (let at = 0; at < bytes.length;) {
          const size = Math.floor(random() * 9)
          chunks.push(bytes.subarray(at, at + size))
          at += size
        }
        assert.deepStrictEqual(decode(chunks), expected)
      }
    }
  })

  it("skips a byte order mark at the very beginning only", () => {
    assert.deepStrictEqual(datas("\u{feff}data: \u{feff}x\n\n"), ["\u{feff}x"])
    assert.deepStrictEqual(decode(bytewise("\u{feff}data: x\n\n")), [{ kind: "", data: "x" }])
  })

  it("believes an unfinished last event only when it is whole", () => {
    assert.deepStrictEqual(datas('data: {"a":1}\n'), ['{"a":1}'])
    assert.deepStrictEqual(datas('data: {"a":1}'), ['{"a":1}'])
    assert.deepStrictEqual(datas("data: [DONE]"), ["[DONE]"])
    assert.deepStrictEqual(datas('data: {"a":{"b":1}'), [])
    assert.deepStrictEqual(datas("data: [DON"), [])
  })

  it("carries bytes that are no UTF-8 as replacement characters", () => {
    const events = decode([Buffer.from("data: "), Uint8Array.of(0xff, 0xfe), Buffer.from("\n\n")])
    assert.deepStrictEqual(events, [{ kind: "", data: "\u{fffd}\u{fffd}" }])
  })

  it("gives up on an event over the bound, in one piece, in many, or over many lines", () => {
    const long = "x".repeat(MAX_EVENT_LENGTH + 1)
    const manyLines = `data: ${"x".repeat(1000)}\n`.repeat(1100)
    const pieces = Array.from({ length: 1100 }, () => Buffer.from("x".repeat(1000)))
    for (const chunks of [
      [Buffer.from(`data: ${long}\n\n`)],
      [Buffer.from(`: ${long}`)],
      [Buffer.from(manyLines)],
      [Buffer.from("data: "), ...pieces]
    ]) {
      const decoder = new SseDecoder()
      assert.deepStrictEqual(decoder.push(Buffer.from("data: first\n\n")), [{ kind: "", data: "first" }])
      for (const chunk of chunks) assert.deepStrictEqual(decoder.push(chunk), [])
      assert.isTrue(decoder.tooLong)
      assert.deepStrictEqual(decoder.push(Buffer.from("\n\ndata: later\n\n")), [])
      assert.deepStrictEqual(decoder.end(), [])
    }
  })

  it("takes an event just under the bound, byte by byte, in linear time", () => {
    const decoder = new SseDecoder()
    const length = 300_000
    decoder.push(Buffer.from("data: "))
    const byte = Buffer.from("x")
    for (let sent = 0; sent < length; sent++) decoder.push(byte)
    const [event] = decoder.push(Buffer.from("\n\n"))
    assert.strictEqual(event?.data.length, length)
  })
})
