import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readMessages } from "../../../../src/core/operations/messages/ReadMessages.ts"

const read = (fields: object) => {
  const body = { model: "auto", max_tokens: 100, messages: [{ role: "user", content: "Hi" }], ...fields }
  return readMessages(body, JSON.stringify(body).length)
}
const sound = (fields: object) => Result.getOrThrow(read(fields))

describe("a request of the Messages API", () => {
  it("is read for its prompt, its needs and its limit", () => {
    const request = sound({
      stream: true,
      tools: [{ name: "t", input_schema: {} }],
      output_config: { format: { type: "json_schema" } }
    })
    assert.strictEqual(request.prompt, "Hi")
    assert.strictEqual(request.maxOutput, 100)
    assert.deepStrictEqual(new Set(request.needs), new Set(["chat", "stream", "tools", "json_schema"]))
  })

  it("may write nothing", () => {
    assert.strictEqual(sound({ max_tokens: 0 }).maxOutput, 0)
    assert.isTrue(Result.isFailure(read({ max_tokens: -1 })))
    assert.isTrue(Result.isFailure(read({ max_tokens: null })))
  })

  it("asks what its last user said, not what a tool or an agent's reminder said", () => {
    const turns = [
      {
        role: "user",
        content: [
          { type: "text", text: "<system-reminder>today</system-reminder>" },
          { type: "text", text: "Weather?" }
        ]
      },
      { role: "assistant", content: [{ type: "tool_use", id: "t", name: "weather", input: {} }] },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: [{ type: "text", text: "sunny" }] },
          { type: "text", text: "<system-reminder>be brief</system-reminder>" }
        ]
      }
    ]
    assert.strictEqual(sound({ messages: turns.slice(0, 1) }).prompt, "Weather?")
    assert.strictEqual(sound({ messages: turns }).prompt, "Weather?")
    const more = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "t", content: "x" },
        { type: "text", text: "And Rome?" }
      ]
    }
    assert.strictEqual(sound({ messages: [...turns, more] }).prompt, "And Rome?")
  })

  it("has its system prompt before its history, without the line that an agent writes for Anthropic's books", () => {
    const system = [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2; cch=1" },
      { type: "text", text: "Be brief" }
    ]
    assert.deepStrictEqual(sound({ system }).history[0], { role: "system", content: "Be brief" })
    assert.lengthOf(sound({ system: system.slice(0, 1) }).history, 1)
  })

  it("names the part of a picture or a document within a tool's result", () => {
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }
    const note = { type: "document", source: { type: "text", media_type: "text/plain", data: "words" } }
    const paper = { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } }
    const content = [{ type: "tool_result", tool_use_id: "t", content: [note, picture] }, paper]
    const { media, needs } = sound({ messages: [{ role: "user", content }] })
    assert.deepStrictEqual(
      media.map(({ kind, path }) => `${kind} ${path}`),
      ["image messages[0].content[0].content[1]", "file messages[0].content[1]"]
    )
    assert.includeMembers([...needs], ["images", "files"])
  })
})
