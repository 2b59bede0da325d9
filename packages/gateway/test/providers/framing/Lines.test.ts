import { assert, describe, it } from "@effect/vitest"
import { LineDecoder } from "../../../src/providers/framing/Lines.ts"

const values = ['{"a":"é😀\\n"}', '{"b":[1,2]}', '{"c":null}']
const whole = Buffer.from(values.join("\n"))

const decoded = (pieces: ReadonlyArray<Uint8Array>, longest?: number) => {
  const decoder = new LineDecoder(longest)
  const events = pieces.flatMap((piece) => decoder.push(piece))
  return { events: [...events, ...decoder.end()].map(({ data }) => data), tooLong: decoder.tooLong }
}

describe("lines of JSON", () => {
  it("come out the same wherever the network splits them, inside a character too", () => {
    for (let at = 0; at <= whole.length; at++) {
      for (const step of [1, 2, 7]) {
        const pieces = [whole.subarray(0, at)]
        for (let from = at; from < whole.length; from += step) pieces.push(whole.subarray(from, from + step))
        assert.deepStrictEqual(decoded(pieces).events, values)
      }
    }
  })

  it("may end with CRLF, have blank lines between them, a byte order mark before them and no end after them", () => {
    const text = `\uFEFF\n${values.join("\r\n\r\n")}`
    assert.deepStrictEqual(decoded([Buffer.from(text)]).events, values)
  })

  it("are kept though the network's buffer is used again", () => {
    const decoder = new LineDecoder()
    const buffer = Buffer.from('{"a":')
    decoder.push(buffer)
    buffer.fill(0)
    assert.deepStrictEqual(decoder.push(Buffer.from("1}\n")), [{ kind: "", data: '{"a":1}' }])
  })

  it("that were cut in half do not count", () => {
    for (let length = 1; length < values[0]!.length; length++) {
      assert.deepStrictEqual(decoded([Buffer.from(values[0]!).subarray(0, length)]).events, [])
    }
  })

  it("longer than allowed end the stream, with or without an end of their own", () => {
    const long = `"${"x".repeat(100)}"`
    assert.deepStrictEqual(decoded([Buffer.from(`1\n${long}\n2\n`)], 50), { events: ["1"], tooLong: true })
    assert.isTrue(
      decoded(
        Array.from({ length: 100 }, () => Buffer.from("xxxxxxxxxx")),
        50
      ).tooLong
    )
  })
})
