import { assert, describe, it } from "@effect/vitest"
import type { Framing, WireEvent } from "../../src/core/pool/Framing.ts"
import { AnswerReader } from "../../src/providers/AnswerReader.ts"
import { OpenAiChat } from "../../src/providers/protocols/openai/Chat.ts"
import { callOf, chunk } from "./OpenAiSupport.ts"

/** A JSON value a line. */
const lines: Framing = {
  mediaType: "application/x-ndjson",
  decoder: () => {
    let rest = ""
    const events = (texts: ReadonlyArray<string>): ReadonlyArray<WireEvent> =>
      texts.filter((text) => text !== "").map((data) => ({ kind: "", data }))
    return {
      tooLong: false,
      push: (bytes) => {
        const texts = (rest + Buffer.from(bytes).toString("utf8")).split("\n")
        rest = texts.pop()!
        return events(texts)
      },
      end: () => events([rest])
    }
  }
}

describe("AnswerReader", () => {
  it("cuts a stream into events as its protocol says", () => {
    const reader = new AnswerReader({ ...OpenAiChat, framing: lines }, callOf({ stream: true }), {})
    const text = [chunk({ content: "Hi" }), chunk({}, "stop")].map((one) => JSON.stringify(one)).join("\n")
    const bytes = Buffer.from(text)
    const events = [...reader.push(bytes.subarray(0, 30)), ...reader.push(bytes.subarray(30)), ...reader.end()]
    assert.deepStrictEqual(
      events.map(({ kind }) => kind),
      ["content", "finish"]
    )
  })
})
