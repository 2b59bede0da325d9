import { assert, describe, it } from "@effect/vitest"
import { AnswerReader } from "../../../src/providers/pool/AnswerReader.ts"
import { OpenAiChat } from "../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { lines } from "../../support/LineFraming.ts"
import { callOf, chunk } from "../protocols/openai/Support.ts"

describe("AnswerReader", () => {
  it("cuts a stream into events as its protocol says", () => {
    const reader = new AnswerReader({
      framing: lines,
      dialect: OpenAiChat,
      call: callOf({ stream: true }),
      headers: {}
    })
    const text = [chunk({ content: "Hi" }), chunk({}, "stop")].map((one) => JSON.stringify(one)).join("\n")
    const bytes = Buffer.from(text)
    const events = [...reader.push(bytes.subarray(0, 30)), ...reader.push(bytes.subarray(30)), ...reader.end()]
    assert.deepStrictEqual(
      events.map(({ kind }) => kind),
      ["content", "finish"]
    )
  })
})
