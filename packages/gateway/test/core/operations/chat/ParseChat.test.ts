import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseChat } from "../../../../src/core/operations/chat/ParseChat.ts"

const text = (body: unknown) => JSON.stringify(body)

const parse = (body: unknown) => parseChat(body, text(body)?.length ?? 0)

const base = { model: "m", messages: [{ role: "user", content: "Hello" }] }

const ok = (fields: object) => {
  const result = parse({ ...base, ...fields })
  if (Result.isFailure(result)) return assert.fail(result.failure.message)
  return result.success
}

const param = (body: unknown) => {
  const result = parse(body)
  return Result.isSuccess(result) ? assert.fail("was accepted") : result.failure.param
}

const parts = (...content: ReadonlyArray<unknown>) => ({ messages: [{ role: "user", content }] })

describe("parseChat", () => {
  it("reads what the gateway needs", () => {
    const request = ok({ stream: true, stream_options: { include_usage: true }, n: 2, max_tokens: 5 })
    assert.deepInclude(request, { model: "m", stream: true, includeUsage: true, choices: 2, maxOutput: 5 })
    assert.strictEqual(request.prompt, "Hello")
    assert.sameMembers([...request.needs], ["chat", "stream"])
  })

  it("hands the body on as it came, unknown fields and all", () => {
    const body = JSON.parse(`{"model":"m","messages":[{"role":"user","content":"x","y":{"z":1}}],"unknown":[1]}`)
    const result = parse(body)
    assert.strictEqual(Result.getOrThrow(result).body, body)
  })

  it("takes null and empty strings for absent, in every field it reads", () => {
    for (const nothing of [null, ""]) {
      const request = ok({
        stream: nothing,
        stream_options: nothing,
        n: nothing,
        max_tokens: nothing,
        max_completion_tokens: nothing,
        tools: nothing,
        functions: nothing,
        response_format: nothing
      })
      assert.deepInclude(request, { stream: false, includeUsage: false, choices: 1, maxOutput: undefined })
      assert.deepStrictEqual(request.needs, ["chat"])
    }
  })

  it("prefers max_completion_tokens", () => {
    assert.strictEqual(ok({ max_completion_tokens: 7, max_tokens: 5 }).maxOutput, 7)
    assert.strictEqual(ok({ max_completion_tokens: null, max_tokens: 5 }).maxOutput, 5)
  })

  it("takes any role, content in any of its forms, and several user messages in a row", () => {
    const request = ok({
      messages: [
        { role: "developer", content: "Be brief" },
        { role: "user", content: "first" },
        { role: "assistant", content: null, tool_calls: [] },
        { role: "assistant" },
        { role: "tool", content: "", tool_call_id: "c" },
        { role: "user", content: [{ type: "text", text: "second" }, "third", { type: "refusal", refusal: "no" }] }
      ]
    })
    assert.strictEqual(request.prompt, "second\nthird")
  })

  it("classifies the last user message, whatever follows it", () => {
    const messages = [
      { role: "user", content: "question" },
      { role: "assistant", content: "answer" },
      { role: "tool", content: "result" }
    ]
    assert.strictEqual(ok({ messages }).prompt, "question")
  })

  it("knows what a deployment must be able to do", () => {
    assert.include(ok({ tools: [{ type: "function" }] }).needs, "tools")
    assert.include(ok({ functions: [{ name: "f" }] }).needs, "tools")
    assert.notInclude(ok({ tools: [] }).needs, "tools")
    assert.include(ok({ response_format: { type: "json_schema" } }).needs, "json_schema")
    assert.notInclude(ok({ response_format: { type: "json_object" } }).needs, "json_schema")
    assert.include(ok(parts({ type: "image_url", image_url: { url: "https://a" } })).needs, "images")
    assert.include(ok(parts({ type: "image_url", image_url: "https://a" })).needs, "images")
    assert.include(ok(parts({ type: "input_audio", input_audio: { data: "AA" } })).needs, "audio")
    assert.include(ok(parts({ type: "file", file: { file_id: "f" } })).needs, "files")
  })

  it("names every mistake by its path", () => {
    const cases: ReadonlyArray<readonly [string, unknown]> = [
      ["body", null],
      ["body", []],
      ["body", "x"],
      ["body", 5],
      ["model", { messages: base.messages }],
      ["model", { ...base, model: "" }],
      ["model", { ...base, model: 5 }],
      ["messages", { model: "m" }],
      ["messages", { model: "m", messages: [] }],
      ["messages", { model: "m", messages: {} }],
      ["messages[0]", { model: "m", messages: ["x"] }],
      ["messages[1]", { model: "m", messages: [...base.messages, null] }],
      ["messages[0].role", { model: "m", messages: [{ content: "x" }] }],
      ["messages[0].role", { model: "m", messages: [{ role: 1, content: "x" }] }],
      ["messages[0].content", { model: "m", messages: [{ role: "user", content: 5 }] }],
      ["messages[0].content", { model: "m", messages: [{ role: "user", content: {} }] }],
      ["messages[0].content[1]", { ...base, ...parts({ type: "text", text: "x" }, 5) }],
      ["messages[0].content[0].text", { ...base, ...parts({ type: "text" }) }],
      ["messages[0].content[0].image_url.url", { ...base, ...parts({ type: "image_url" }) }],
      ["messages[0].content[0].image_url.url", { ...base, ...parts({ type: "image_url", image_url: { url: 5 } }) }],
      ["stream", { ...base, stream: "yes" }],
      ["stream", { ...base, stream: 1 }],
      ["n", { ...base, n: 0 }],
      ["n", { ...base, n: 1.5 }],
      ["n", { ...base, n: 129 }],
      ["n", { ...base, n: "2" }],
      ["max_tokens", { ...base, max_tokens: 0 }],
      ["max_tokens", { ...base, max_tokens: -1 }],
      ["max_tokens", { ...base, max_tokens: "5" }],
      ["max_tokens", { ...base, max_tokens: 1e300 }],
      ["max_tokens", { ...base, max_tokens: 10_000_001 }],
      ["max_completion_tokens", { ...base, max_completion_tokens: 1.5 }],
      ["tools", { ...base, tools: {} }],
      ["functions", { ...base, functions: "f" }]
    ]
    for (const [path, body] of cases) assert.strictEqual(param(body), path, text(body))
  })

  it("says what it found, and no more of it than helps", () => {
    const result = parse({ ...base, model: { deep: "x".repeat(10_000) } })
    if (Result.isSuccess(result)) return assert.fail("was accepted")
    assert.isBelow(result.failure.message.length, 200)
    const missing = parse({ messages: base.messages })
    assert.isTrue(Result.isFailure(missing) && missing.failure.message.includes("missing"))
  })

  it("takes __proto__ for data", () => {
    const body = JSON.parse(
      `{"__proto__":{"model":"evil","stream":true},"model":"m","messages":[{"role":"user","content":"x"}]}`
    )
    const request = Result.getOrThrow(parse(body))
    assert.strictEqual(request.model, "m")
    assert.isFalse(request.stream)
    assert.include(JSON.stringify(request.body), "evil")
    assert.strictEqual(param(JSON.parse(`{"__proto__":{"model":"m"},"messages":[{"role":"user"}]}`)), "model")
    const inner = JSON.parse(`{"model":"m","messages":[{"__proto__":{"role":"user"},"content":"x"}]}`)
    assert.strictEqual(param(inner), "messages[0].role")
    assert.isUndefined(({} as Record<string, unknown>)["stream"])
  })

  it("bounds text by its bytes, and does not take data URLs for text", () => {
    const small = ok({})
    const data = `data:image/png;base64,${"A".repeat(100_000)}`
    for (const image_url of [{ url: data }, data]) {
      const image = ok(parts({ type: "text", text: "Hello" }, { type: "image_url", image_url }))
      assert.isBelow(image.textBound, small.textBound + 200)
      assert.deepStrictEqual(image.media, [
        {
          kind: "image",
          path: "messages[0].content[1]",
          source: data,
          detail: undefined,
          names: ["image/png"]
        }
      ])
      assert.isBelow(image.inputEstimate, 1_000)
    }
    const recording = ok(parts({ type: "input_audio", input_audio: { data: "A".repeat(80_000), format: "wav" } }))
    assert.isBelow(recording.textBound, small.textBound + 200)
    assert.strictEqual(recording.mediaEstimate, 241)
    const link = ok(parts({ type: "image_url", image_url: { url: `https://a/${"x".repeat(5_000)}` } }))
    assert.isAbove(link.textBound, 5_000)
    assert.isAtLeast(small.textBound, text({ ...base }).length)
  })
})
