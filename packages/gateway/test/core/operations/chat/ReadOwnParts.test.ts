import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseChat } from "../../../../src/core/operations/chat/ParseChat.ts"

/** The parts of a message of the assistant that no text bounds, by kind. */
const unbounded = (fields: object) => {
  const messages = [
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi", ...fields }
  ]
  const body = { model: "m", messages }
  const request = parseChat(body, JSON.stringify(body).length)
  return Result.isFailure(request) ? request.failure.param : request.success.media.map(({ kind }) => kind)
}

const google = (...parts: ReadonlyArray<unknown>) => ({ extra_content: { google: { parts } } })
const openai = (...output: ReadonlyArray<unknown>) => ({ extra_content: { openai: { output } } })
const anthropic = (...content: ReadonlyArray<unknown>) => ({ extra_content: { anthropic: { content } } })

describe("the vendor's own parts of a message", () => {
  it("are text where they hold no more than text", () => {
    const call = { call: "call_1", thoughtSignature: "c2ln" }
    const code = { executableCode: { language: "PYTHON", code: "1" } }
    assert.deepStrictEqual(unbounded(google({ text: "Hi", thoughtSignature: "c2ln" }, call, code, { image: 0 })), [])
    assert.deepStrictEqual(
      unbounded(openai({ type: "reasoning", summary: [], encrypted_content: "e" }, { call: "call_1" })),
      []
    )
    const searched = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] }
    assert.deepStrictEqual(unbounded(anthropic({ type: "text", text: "Hi" }, searched, { call: "call_1" })), [])
  })

  it("count as what they hold where a caller writes a file into them", () => {
    assert.deepStrictEqual(unbounded(google({ fileData: { fileUri: "gs://b/long.mp4", mimeType: "video/mp4" } })), [
      "other"
    ])
    assert.deepStrictEqual(unbounded(google({ call: "call_1", inlineData: { data: "AAAA" } })), ["other"])
    assert.deepStrictEqual(
      unbounded(anthropic({ type: "document", source: { type: "url", url: "https://a.example/b.pdf" } })),
      ["file"]
    )
    assert.deepStrictEqual(
      unbounded(anthropic({ call: "call_1", type: "image", source: { type: "url", url: "https://a.example/b.png" } })),
      ["image"]
    )
    assert.deepStrictEqual(
      unbounded(openai({ role: "user", content: [{ type: "input_file", file_url: "https://a.example/b.pdf" }] })),
      ["file"]
    )
    assert.deepStrictEqual(unbounded(openai({ type: "item_reference", id: "msg_1" })), ["other"])
  })

  it("are read by their addresses where a message has images of an earlier response", () => {
    const images = [{ type: "image_url", image_url: { url: "https://a.example/b.png" } }, { image_url: "gs://b/c.mp4" }]
    assert.deepStrictEqual(unbounded({ images }), ["image", "video"])
  })
})
