import type { ChatCompletionChunk } from "@model-gateway/client"
import { assert, describe, it } from "@effect/vitest"
import { Answer, Unusable } from "../../src/chat/Answer.ts"

type Delta = ChatCompletionChunk["choices"][number]["delta"]

const chunk = (delta: Delta, finish_reason: string | null = null): ChatCompletionChunk => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason }]
})

const call = (index: number, id: string | null, name: string | null, input: string): Delta => ({
  tool_calls: [{ index, id, type: "function", function: { name, arguments: input } }]
})

describe("an answer", () => {
  it("gives thoughts and text as they come", () => {
    const answer = new Answer()
    assert.deepStrictEqual(answer.read(chunk({ reasoning_content: "Hm" })), [{ kind: "thinking", text: "Hm" }])
    assert.deepStrictEqual(answer.read(chunk({ content: "Yes" })), [{ kind: "text", text: "Yes" }])
    assert.deepStrictEqual(answer.read(chunk({ content: "" }, "stop")), [])
    assert.deepStrictEqual(answer.end(), [])
  })

  it("gives calls when they are whole, however they are mixed", () => {
    const answer = new Answer()
    answer.read(chunk(call(0, "a", "read", "")))
    answer.read(chunk(call(1, "b", "write", `{"x"`)))
    answer.read(chunk(call(0, null, null, `{"p":1}`)))
    answer.read(chunk(call(1, null, null, `:2}`), "tool_calls"))
    assert.deepStrictEqual(answer.end(), [
      { kind: "call", id: "a", name: "read", input: { p: 1 } },
      { kind: "call", id: "b", name: "write", input: { x: 2 } }
    ])
  })

  it("takes no input at all for an empty one", () => {
    const answer = new Answer()
    answer.read(chunk(call(0, "a", "list", ""), "tool_calls"))
    assert.deepStrictEqual(answer.end(), [{ kind: "call", id: "a", name: "list", input: {} }])
  })

  it("gives calls without ids some of their own", () => {
    const answer = new Answer()
    answer.read(chunk(call(0, null, "list", "{}")))
    answer.read(chunk(call(1, "", "list", "{}"), "tool_calls"))
    const ids = answer.end().map((piece) => (piece.kind === "call" ? piece.id : ""))
    assert.strictEqual(new Set(ids).size, 2)
    assert.notInclude(ids, "")
  })

  it("never gives a call with half of its input", () => {
    for (const [input, finish, words] of [
      [`{"path": "/etc/pass`, "length", /most tokens within a call of rm/],
      [`{"path": `, "tool_calls", /no JSON object/],
      [`["a"]`, "tool_calls", /no JSON object/],
      ["null", "tool_calls", /no JSON object/]
    ] as const) {
      const answer = new Answer()
      answer.read(chunk(call(0, "a", "rm", input), finish))
      assert.throws(() => answer.end(), words)
    }
  })

  it("that says nothing tells why", () => {
    for (const [finish, words] of [
      ["content_filter", /content filter/],
      ["length", /most tokens before/]
    ] as const) {
      const answer = new Answer()
      answer.read(chunk({}, finish))
      try {
        answer.end()
        assert.fail("it ended well")
      } catch (error) {
        assert.instanceOf(error, Unusable)
        assert.match(String(error), words)
      }
    }
  })

  it("gives what was used, from a chunk without choices too", () => {
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
    assert.deepStrictEqual(new Answer().read({ ...chunk({}), choices: [], usage }), [{ kind: "usage", usage }])
  })
})
