import { assert, describe, it } from "@effect/vitest"
import { readEvents, SseParser } from "../../src/stream/Sse.ts"

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

const bodyOf = (pieces: ReadonlyArray<Uint8Array>, cancelled: () => void = () => undefined) =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces[0]
      pieces = pieces.slice(1)
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
    cancel: cancelled
  })

const noDeadline = { touch: () => undefined, rest: () => undefined }

const read = async (pieces: ReadonlyArray<Uint8Array>): Promise<ReadonlyArray<string>> => {
  const events: Array<string> = []
  for await (const event of readEvents(bodyOf(pieces), noDeadline)) events.push(event)
  return events
}

describe("events", () => {
  const text =
    ': hello\n\nid: 7\r\nevent: x\r\ndata: {"a":"ä€😀"}\r\n\r\ndata:one\rdata: two\r\rdata: [DONE]\n\n: bye\n\n'
  const expected = ['{"a":"ä€😀"}', "one\ntwo", "[DONE]"]

  it("come out the same wherever the bytes are split, in the middle of a character too", async () => {
    const whole = bytes(text)
    for (let at = 0; at <= whole.length; at++) {
      assert.deepStrictEqual(await read([whole.subarray(0, at), whole.subarray(at)]), expected, `split at ${at}`)
    }
    assert.deepStrictEqual(await read([...whole].map((byte) => Uint8Array.of(byte))), expected)
  })

  it("begin after a byte order mark", async () => {
    assert.deepStrictEqual(await read([Uint8Array.of(0xef, 0xbb, 0xbf), bytes("data: a\n\n")]), ["a"])
  })

  it("count without the empty line when they are the last", async () => {
    assert.deepStrictEqual(await read([bytes("data: a\n\ndata: b")]), ["a", "b"])
    assert.deepStrictEqual(await read([bytes("data: a\r")]), ["a"])
  })

  it("without data are none", () => {
    assert.deepStrictEqual(new SseParser().push("event: ping\n\n\n\nretry: 3\n\n"), [])
  })
})

it("who stops reading cancels the body, who reads to the end does not", async () => {
  let cancelled = 0
  const pieces = [bytes("data: a\n\n"), bytes("data: b\n\n")]
  for await (const _ of readEvents(
    bodyOf(pieces, () => cancelled++),
    noDeadline
  ))
    break
  assert.strictEqual(cancelled, 1)
  for await (const _ of readEvents(
    bodyOf(pieces, () => cancelled++),
    noDeadline
  ))
    void 0
  assert.strictEqual(cancelled, 1)
})
