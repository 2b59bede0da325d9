import { assert, describe, it } from "@effect/vitest"
import { messagesOf } from "../../src/chat/Messages.ts"
import type { Part, Turn } from "../../src/chat/Turns.ts"

const user = (...parts: ReadonlyArray<Part>): Turn => ({ role: "user", parts })
const text = (words: string): Part => ({ kind: "text", text: words })
const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)

describe("the editor's turns", () => {
  it("of text alone stay text", () => {
    const turns: ReadonlyArray<Turn> = [
      { role: "system", parts: [text("Be short.")] },
      user(text("Hel"), text("lo")),
      { role: "assistant", parts: [text("Hi")] }
    ]
    assert.deepStrictEqual(messagesOf(turns), [
      { role: "system", content: "Be short." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" }
    ])
  })

  it("give pictures and documents in parts, in their order", () => {
    const picture: Part = { kind: "data", mimeType: "image/png", data: bytes(1, 2, 3) }
    const document: Part = { kind: "data", mimeType: "application/pdf", data: bytes(4) }
    assert.deepStrictEqual(messagesOf([user(text("Look"), picture, document)]), [
      {
        role: "user",
        content: [
          { type: "text", text: "Look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AQID" } },
          { type: "file", file: { filename: "document.pdf", file_data: "data:application/pdf;base64,BA==" } }
        ]
      }
    ])
  })

  it("take the bytes of a picture that is a part of a larger buffer, and no others", () => {
    const data = bytes(9, 9, 1, 2, 3, 9).subarray(2, 5)
    const [message] = messagesOf([user({ kind: "data", mimeType: "image/png", data })])
    assert.include(JSON.stringify(message), 'base64,AQID"')
  })

  it("give calls and results with their ids, and what the user says after the results", () => {
    const turns: ReadonlyArray<Turn> = [
      { role: "assistant", parts: [{ kind: "call", id: "c1", name: "read", input: { path: "a" } }] },
      user({ kind: "result", id: "c1", parts: [text("one "), text("two")] }, text("And now?"))
    ]
    assert.deepStrictEqual(messagesOf(turns), [
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "read", arguments: `{"path":"a"}` } }]
      },
      { role: "tool", tool_call_id: "c1", content: "one two" },
      { role: "user", content: "And now?" }
    ])
  })

  it("answer every call, also where a tool gave nothing, or a picture", () => {
    const picture: Part = { kind: "data", mimeType: "image/png", data: bytes(1) }
    const found = messagesOf([
      user({ kind: "result", id: "c1", parts: [] }, { kind: "result", id: "c2", parts: [picture] })
    ])
    assert.deepStrictEqual(
      found.map(({ content, role }) => [role, typeof content === "string" ? content : content?.[0]?.["type"]]),
      [
        ["tool", "(Nothing.)"],
        ["tool", "(The result follows.)"],
        ["user", "image_url"]
      ]
    )
  })

  it("leave out the editor's own marks, and read data that is text", () => {
    const mark: Part = { kind: "data", mimeType: "cache_control", data: bytes(1) }
    const json: Part = { kind: "data", mimeType: "application/json", data: new TextEncoder().encode(`{"a":1}`) }
    assert.deepStrictEqual(messagesOf([user(mark), user(mark, json), { role: "assistant", parts: [mark] }]), [
      { role: "user", content: `{"a":1}` }
    ])
  })
})
