import { assert, describe, it } from "@effect/vitest"
import { SseParser, TooLarge } from "../../src/stream/Sse.ts"

const parsed = (pieces: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => {
  const parser = new SseParser()
  return [...pieces.flatMap((piece) => parser.push(piece)), ...parser.end()]
}

const bytes = (text: string) => new TextEncoder().encode(text)

const text =
  ': comment\n\nevent: x\ndata: {"a":"größer 🦆"}\n\ndata:two\r\ndata: lines\r\n\r\nid: 7\rdata: return\r\rdata\n\nretry: 1\n\ndata: last'
const events = ['{"a":"größer 🦆"}', "two\nlines", "return", "last"]

describe("events", () => {
  it("are the same wherever the bytes are split", () => {
    const all = bytes(text)
    for (let at = 0; at <= all.length; at++) {
      assert.deepStrictEqual(parsed([all.slice(0, at), all.slice(at)]), events, `split at ${at}`)
    }
    assert.deepStrictEqual(parsed(Array.from(all, (byte) => Uint8Array.of(byte))), events)
  })

  it("are none where there is no data", () => {
    assert.deepStrictEqual(parsed([]), [])
    assert.deepStrictEqual(parsed([bytes("\n\n\n: x\n\nevent: y\n\n")]), [])
  })

  it("a line without an end is not kept for ever, nor is an event of many lines", () => {
    const piece = bytes("x".repeat(2 ** 20))
    const line = new SseParser()
    assert.throws(() => {
      for (let sent = 0; sent < 40; sent++) line.push(piece)
    }, TooLarge)
    const lines = new SseParser()
    const data = bytes(`data: ${"x".repeat(2 ** 20)}\n`)
    assert.throws(() => {
      for (let sent = 0; sent < 40; sent++) lines.push(data)
    }, TooLarge)
  })
})
