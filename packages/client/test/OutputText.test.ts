import { assert, describe, it } from "@effect/vitest"
import { withOutputText } from "../src/OutputText.ts"
import { gateway } from "./support/Servers.ts"

const asked = { model: "demo/mini", input: "Hello" }

describe("output_text", () => {
  it("is the text of a response, complete, streamed, stored and replayed", async () => {
    const client = gateway()
    const complete = await client.responses.create(asked)
    assert.match(complete.output_text, /^Hello! I am “mini”/)
    const stream = await client.responses.stream(asked)
    let pieces = ""
    for await (const piece of stream.text) pieces += piece
    const final = await stream.final()
    assert.strictEqual(final.output_text, pieces)
    assert.strictEqual((await client.responses.get(final.id)).output_text, pieces)
    assert.strictEqual((await (await client.responses.replay(final.id)).final()).output_text, pieces)
  })

  it("joins the texts of all messages and leaves out reasoning, refusals and calls of tools", () => {
    const output = [
      { type: "reasoning", content: [{ type: "reasoning_text", text: "hm" }] },
      {
        type: "message",
        content: [
          { type: "output_text", text: "a" },
          { type: "refusal", refusal: "no" }
        ]
      },
      { type: "function_call", arguments: "{}" },
      {
        type: "message",
        content: [
          { type: "output_text", text: "b" },
          { type: "output_text", text: "c" }
        ]
      },
      { type: "message" }
    ]
    assert.strictEqual(withOutputText({ output }).output_text, "abc")
    assert.strictEqual(withOutputText({ output: [] }).output_text, "")
  })
})
