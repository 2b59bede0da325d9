import { assert, describe, it } from "@effect/vitest"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import type { StreamEvent } from "../../../../../src/core/operations/LiftedAnswer.ts"
import { chunk, frames, NOW, replayText } from "../Support.ts"

const compatible = { vendor: "openai-compatible" }

const kinds = (events: ReadonlyArray<StreamEvent>) => events.map(({ kind }) => kind)
const dataOf = (event: StreamEvent | undefined): JsonObject =>
  event !== undefined && "data" in event ? JSON.parse(event.data) : assert.fail(`no data in ${event?.kind}`)
const classOf = (events: ReadonlyArray<StreamEvent>) => {
  const failed = events.find((event) => event.kind === "failed")
  return failed?.failure.class
}

const withoutUsage = ({ usage: _, ...rest }: JsonObject): JsonObject => rest

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 }
const usageChunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage }

describe("OpenAiChat.stream", () => {
  it("tells content from lifecycle, finish, usage and the end", () => {
    const events = replayText(
      frames(
        chunk({ role: "assistant", content: "", refusal: null }),
        chunk({ content: "Hel" }),
        chunk({ content: "lo" }),
        chunk({}, "stop"),
        usageChunk,
        "[DONE]"
      )
    )
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "content", "finish", "usage", "done"])
    assert.deepStrictEqual(dataOf(events[4]), usageChunk)
  })

  it("sees every form of content", () => {
    for (const delta of [
      { content: "x" },
      { content: '"' },
      { content: "\\" },
      { reasoning_content: "x" },
      { content: null, reasoning: "x" },
      { refusal: "No." },
      { tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "f", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: "{" } }] },
      { function_call: { name: "f" } },
      { audio: { data: "x" } }
    ]) {
      assert.deepStrictEqual(kinds(replayText(frames(chunk(delta)))), ["content"], JSON.stringify(delta))
    }
    for (const delta of [
      {},
      { role: "assistant" },
      { content: "" },
      { content: null },
      { content: null, tool_calls: [], reasoning: null }
    ]) {
      assert.deepStrictEqual(kinds(replayText(frames(chunk(delta)))), ["lifecycle"], JSON.stringify(delta))
    }
  })

  it("forwards content as it came, whatever its text says", () => {
    const texts = [
      '"usage":{',
      '"finish_reason":"stop"',
      '"error":{}',
      'a"b\\',
      "[DONE]",
      "\u{2028}",
      "data: x",
      "{}",
      "🙂"
    ]
    const values = texts.map((content) => chunk({ content }, null, { usage: null, obfuscation: "aB\\u0022" }))
    const events = replayText(frames(...values))
    assert.deepStrictEqual(
      kinds(events),
      texts.map(() => "content")
    )
    assert.deepStrictEqual(
      events.map((event) => dataOf(event)),
      values.map(({ usage: _, ...value }) => value)
    )
  })

  it("is not misled by chunks that only begin like the ones before", () => {
    for (const padding of [{}, { usage: null, obfuscation: "aB" }]) {
      const more = (extra: JsonObject) => chunk({ content: "x" }, null, { ...padding, ...extra })
      const told = replayText(frames(more({}), more({}), more({ later: 1, x_groq: { usage } }), "[DONE]"))
      assert.deepStrictEqual(kinds(told), ["content", "content", "content", "finish", "usage", "done"])
      assert.deepStrictEqual(
        dataOf(told[2]),
        chunk({ content: "x" }, null, { ...withoutUsage(padding), later: 1, x_groq: {} })
      )
      const failed = replayText(frames(more({}), more({ error: { message: "boom" } })))
      assert.deepStrictEqual(kinds(failed), ["content", "failed"])
      assert.deepStrictEqual(kinds(replayText(frames(more({}), chunk({ content: "" }, null, padding)))), [
        "content",
        "lifecycle"
      ])
      assert.deepStrictEqual(kinds(replayText(frames(more({}), chunk({ content: "x" }, "stop", padding)))), [
        "content",
        "finish"
      ])
      assert.deepStrictEqual(
        kinds(replayText(frames(more({}), chunk({ content: "x", refusal: "y" }, null, padding)))),
        ["content", "content"]
      )
    }
  })

  it("strips null usage wherever it stands", () => {
    const { id, ...rest } = chunk({ content: "x" })
    for (const value of [
      { usage: null, id, ...rest },
      { id, usage: null, ...rest },
      { id, ...rest, usage: null }
    ]) {
      const [first, second] = replayText(frames(value, value))
      for (const event of [first, second]) {
        assert.deepStrictEqual(dataOf(event), { id, ...rest })
        assert.strictEqual(event?.kind, "content")
      }
    }
  })

  it("reads JSON written with spaces", () => {
    const spaced = (value: unknown) => JSON.stringify(value, undefined, 1).replaceAll("\n", "")
    const events = replayText(
      `data: ${spaced(chunk({ role: "assistant", content: "" }))}\n\n` +
        `data: ${spaced(chunk({ content: "x" }))}  \n\n` +
        `data: ${spaced(chunk({}, "stop", { usage }))}\n\ndata:  [DONE] \n\n`
    )
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "finish", "usage", "done"])
  })

  it("announces the usage as null on every other chunk to who asked for it, however the provider writes, and to nobody else", () => {
    const spaced = (value: unknown) => JSON.stringify(value, undefined, 1).replaceAll("\n", "")
    for (const vendor of ["openai", "openai-compatible"]) {
      for (const own of [{}, { usage: null }, { obfuscation: "x" }, { usage: null, obfuscation: "x" }]) {
        for (const write of [JSON.stringify, spaced]) {
          const values = [
            chunk({ role: "assistant", content: "" }, null, own),
            ...["a", "b", '"usage": null'].map((content) => chunk({ content }, null, own)),
            chunk({ content: "c", reasoning_content: "d" }, null, own),
            chunk({}, "stop", own)
          ]
          const text = frames(...values.map((value) => write(value)), usageChunk, "[DONE]")
          const name = `${vendor} ${JSON.stringify(own)} ${write.name}`
          const asked = replayText(text, { vendor }, true)
          assert.deepStrictEqual(
            asked.slice(0, -2).map(dataOf),
            values.map((value) => ({ ...value, usage: null })),
            name
          )
          const silent = replayText(text, { vendor })
          assert.deepStrictEqual(silent.slice(0, -2).map(dataOf), values.map(withoutUsage), name)
        }
      }
    }
  })

  it("gives each choice a role once, in its first delta, and one finish on a chunk of its own", () => {
    const of = (index: number, delta: JsonObject, finish: string | null = null) => ({
      ...chunk({}),
      choices: [{ index, delta, finish_reason: finish }]
    })
    const events = replayText(
      frames(
        of(0, { role: "assistant", content: "a" }),
        of(1, { content: "b" }),
        of(1, { content: "c" }),
        of(0, { role: "assistant", content: "d" }),
        of(2, { content: "e" }, "stop"),
        of(1, { role: "assistant", content: "f" }, "length"),
        of(0, { content: "" }, "stop"),
        of(0, {}, "stop"),
        { ...chunk({}), choices: [4, 5].map((index) => ({ index, delta: {}, finish_reason: "stop" })) }
      ),
      compatible
    )
    const sent = events.flatMap((event) => dataOf(event)["choices"] as ReadonlyArray<JsonObject>)
    assert.deepStrictEqual(
      sent.map(({ delta, finish_reason: finish, index }) => [index, delta, finish]),
      [
        [0, { content: "a", role: "assistant" }, null],
        [1, { content: "b", role: "assistant" }, null],
        [1, { content: "c" }, null],
        [0, { content: "d" }, null],
        [2, { content: "e", role: "assistant" }, null],
        [2, {}, "stop"],
        [1, { content: "f" }, null],
        [1, {}, "length"],
        [0, {}, "stop"],
        [0, {}, null],
        [4, { role: "assistant" }, null],
        [5, { role: "assistant" }, null],
        [4, {}, "stop"],
        [5, {}, "stop"]
      ]
    )
  })

  it("keeps the calls of servers apart that number them all the same, and names each once", () => {
    const calls = (...pieces: ReadonlyArray<JsonObject>) => chunk({ tool_calls: pieces })
    const piecesOf = (...values: ReadonlyArray<JsonObject>) =>
      replayText(frames(...values), compatible).flatMap((event) =>
        (dataOf(event)["choices"] as ReadonlyArray<{ delta: { tool_calls?: ReadonlyArray<JsonObject> } }>).flatMap(
          ({ delta }) => delta.tool_calls ?? []
        )
      )
    const named = (index: number, id: string, name: string, given: string) => ({
      index,
      id,
      type: "function",
      function: { name, arguments: given }
    })
    const more = (index: number, given: string) => ({ index, function: { arguments: given } })
    // Gemini's: all have the place 0. Counted from 1. With id, type and name on every piece, null or repeated.
    assert.deepStrictEqual(
      piecesOf(calls({ ...named(0, "a", "f", "{}") }), calls({ ...named(0, "b", "g", '{"x":1}') })),
      [named(0, "a", "f", "{}"), named(1, "b", "g", '{"x":1}')]
    )
    assert.deepStrictEqual(
      piecesOf(calls(named(1, "a", "f", "")), calls(more(1, "{}")), calls(named(2, "b", "g", "{}"))),
      [named(0, "a", "f", ""), more(0, "{}"), named(1, "b", "g", "{}")]
    )
    assert.deepStrictEqual(
      piecesOf(
        calls(named(0, "a", "f", "")),
        calls({ index: 0, id: null, type: null, function: { name: null, arguments: '{"x"' } }),
        calls({ index: 0, id: "other", type: "function", function: { arguments: ":1" } }),
        calls(named(0, "a", "f", "}"))
      ),
      [named(0, "a", "f", ""), more(0, '{"x"'), more(0, ":1"), more(0, "}")]
    )
    // Without arguments: clients parse them.
    assert.deepStrictEqual(piecesOf(calls({ index: 0, id: "a", function: { name: "f" } }), chunk({}, "tool_calls")), [
      named(0, "a", "f", ""),
      more(0, "{}")
    ])
  })

  it("splits usage from a chunk with choices, and tells it once, last, and canonically", () => {
    const cases = [
      [chunk({ content: "x" }), chunk({ content: "" }, "stop", { usage })],
      [chunk({ content: "x" }), chunk({}, "stop", { x_groq: { id: "req", usage } })],
      [
        chunk({ content: "x" }, null, { usage: { ...usage, completion_tokens: 1, total_tokens: 10 } }),
        chunk({}, "stop", { usage })
      ],
      [chunk({ content: "x" }), chunk({}, "stop"), usageChunk, usageChunk]
    ]
    for (const values of cases) {
      const events = replayText(frames(...values, "[DONE]"))
      assert.deepStrictEqual(kinds(events), ["content", "finish", "usage", "done"])
      assert.notProperty(dataOf(events[0]), "usage")
      assert.notProperty(dataOf(events[1]), "usage")
      const told = events[2]
      assert.deepStrictEqual(dataOf(told)["choices"], [])
      assert.deepStrictEqual(dataOf(told)["usage"], usage)
      assert.strictEqual(told?.kind === "usage" && told.usage.input, 9)
    }
  })

  it("tells usage of a chunk without choices, and of a stream that closes early, without an end mark", () => {
    assert.deepStrictEqual(kinds(replayText(frames(chunk({ content: "x" }), { usage }))), ["content", "usage"])
    assert.deepStrictEqual(kinds(replayText(frames(chunk({ content: "x" }, null, { usage })))), ["content", "usage"])
  })

  it("says nothing of usage that is null or zero", () => {
    const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    const events = replayText(frames(chunk({ content: "x" }), { ...usageChunk, usage: zero }, "[DONE]"))
    assert.deepStrictEqual(kinds(events), ["content", "finish", "done"])
  })

  it("gives a first chunk without choices and name, as Azure sends it, the answer's own, and ignores events of other kinds", () => {
    const azure = {
      choices: [],
      created: 0,
      id: "",
      model: "",
      object: "",
      prompt_filter_results: [{ prompt_index: 0 }]
    }
    const events = replayText(frames(azure, { type: "ping" }, "", chunk({ content: "x" })), compatible)
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content"])
    const named = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "gpt-4o-mini" }
    assert.deepStrictEqual(dataOf(events[0]), { ...azure, ...named })
    assert.deepInclude(dataOf(events[1]), named)
  })

  it("fails on an error in the stream, and says no more", () => {
    const after = frames(chunk({ content: "late" }), "[DONE]")
    const server = frames(chunk({ content: "x" }), {
      error: { message: "The server had an error", type: "server_error" }
    })
    assert.deepStrictEqual(kinds(replayText(server + after)), ["content", "failed"])
    assert.strictEqual(classOf(replayText(server)), "unavailable")
    const groq =
      'event: error\ndata: {"error":{"message":"no tool called","type":"invalid_request_error","code":"tool_use_failed","status_code":400}}\n\n'
    assert.strictEqual(classOf(replayText(groq + after)), "bad_request")
    const openRouter = { ...chunk({ content: "" }, "error"), error: { code: 429, message: "Rate limit exceeded" } }
    assert.strictEqual(classOf(replayText(frames(openRouter), compatible)), "rate_limited")
    assert.strictEqual(classOf(replayText(frames({ error: "overloaded" }))), "unavailable")
    assert.strictEqual(classOf(replayText("event: error\ndata: upstream gone\n\n")), "unavailable")
    assert.strictEqual(classOf(replayText(frames({ object: "error", message: "boom", code: 500 }))), "unavailable")
    assert.strictEqual(classOf(replayText(frames(chunk({}, "error")), compatible)), "truncated")
    assert.deepStrictEqual(kinds(replayText(frames(chunk({ content: "x" }, null, { error: null })))), ["content"])
  })

  it("marks what can't be read as malformed and goes on", () => {
    const events = replayText(
      `data: <html>\n\ndata: {"id":\n\ndata: []\n\ndata: {"usage":{}, broken}\n\n${frames(chunk({ content: "x" }), "[DONE]")}`
    )
    assert.deepStrictEqual(kinds(events), [...Array<string>(4).fill("malformed"), "content", "finish", "done"])
  })

  it("never invents an end, and believes none after the end", () => {
    assert.deepStrictEqual(kinds(replayText(frames(chunk({ content: "x" })))), ["content"])
    assert.deepStrictEqual(kinds(replayText(frames("[DONE]", chunk({ content: "x" }), "[DONE]"))), ["done"])
    assert.deepStrictEqual(kinds(replayText('data: {"choices":[{"delta":{"content":"x"}}]}')), ["content"])
    assert.deepStrictEqual(kinds(replayText('data: {"choices":[{"index":0,"delta":{"content":"x"}')), [])
  })

  it("makes the chunks of other servers fit for the vendor's clients", () => {
    const call = (index: unknown, more: JsonObject) => ({ tool_calls: [{ index, ...more }] })
    const events = replayText(
      frames(
        { choices: [{ delta: { content: "a" } }] },
        { choices: [{ delta: { content: [{ type: "thinking", thinking: [{ text: "hm" }] }] } }] },
        chunk(call(undefined, { id: "1", function: { name: "f", arguments: { x: 1 } } })),
        chunk(call(-1, { id: "2", function: { name: "g", arguments: "{}" } })),
        chunk({}, "end_turn"),
        "[DONE]"
      ),
      compatible
    )
    assert.deepStrictEqual(kinds(events), ["content", "content", "content", "content", "finish", "done"])
    const choices = events.slice(0, 5).map((event) => (dataOf(event)["choices"] as ReadonlyArray<JsonObject>)[0]!)
    assert.deepStrictEqual(choices[0], { index: 0, delta: { content: "a", role: "assistant" }, finish_reason: null })
    assert.deepStrictEqual(choices[1]?.["delta"], { content: "", reasoning_content: "hm" })
    const first = { index: 0, id: "1", type: "function", function: { name: "f", arguments: '{"x":1}' } }
    assert.deepStrictEqual(choices[2]?.["delta"], { tool_calls: [first] })
    const second = { index: 1, id: "2", type: "function", function: { name: "g", arguments: "{}" } }
    assert.deepStrictEqual(choices[3]?.["delta"], { tool_calls: [second] })
    assert.strictEqual(choices[4]?.["finish_reason"], "tool_calls")
    const { created, id, object } = dataOf(events[0])
    assert.strictEqual(created, NOW / 1000)
    assert.strictEqual(object, "chat.completion.chunk")
    assert.strictEqual(id, dataOf(events[1])["id"])
    assert.match(String(id), /^chatcmpl-/)
  })
})
