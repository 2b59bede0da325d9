import { assert, describe, it } from "@effect/vitest"
import { noUsage } from "../../../../../src/core/domain/Usage.ts"
import { close, delta, ends, open, run, start, text, tool } from "./Events.ts"
import { asking, callOf, chunksOf, deltasOf, frames, kinds, replay } from "../Support.ts"

describe("a streamed text", () => {
  it("opens with the role, ends with a finish, its usage and the end mark", () => {
    const events = run(start(), { type: "ping" }, ...text(0, "Hel", "lo"), ...ends("end_turn"))
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "content", "finish", "usage", "done"])
    assert.deepStrictEqual(deltasOf(events), [
      { role: "assistant", content: "" },
      { content: "Hel" },
      { content: "lo" },
      {}
    ])
    for (const { choices, created, id, model, object } of chunksOf(events)) {
      assert.deepStrictEqual(
        [id, object, created, model],
        ["msg_1", "chat.completion.chunk", 1_767_225_600, "claude-x"]
      )
      assert.isAtMost(choices.length, 1)
    }
  })

  it("announces usage on the other chunks only to those who asked for it", () => {
    const asked = callOf(asking({ stream: true, stream_options: { include_usage: true } }))
    const bytes = frames(start(), ...text(0, "Hi"), ...ends("end_turn"))
    const withUsage = chunksOf(replay([bytes], asked))
    assert.deepStrictEqual(
      withUsage.slice(0, -1).map(({ usage }) => usage),
      [null, null, null]
    )
    assert.strictEqual(withUsage.at(-1)?.["usage"].total_tokens, 14)
    const without = chunksOf(run(start(), ...text(0, "Hi"), ...ends("end_turn")))
    assert.isFalse(without.slice(0, -1).some((chunk) => "usage" in chunk))
  })

  it("without any block still has a role", () => {
    assert.deepStrictEqual(deltasOf(run(start(), ...ends("end_turn"))), [{ role: "assistant", content: "" }, {}])
  })

  it("takes text that comes with the start of its block", () => {
    const events = run(start(), open(0, { type: "text", text: "Hi" }), close(0), ...ends("end_turn"))
    assert.deepStrictEqual(deltasOf(events)[1], { content: "Hi" })
  })
})

describe("streamed tool calls", () => {
  it("are numbered from 0 whatever came before them, id and name first", () => {
    const events = run(
      start(),
      ...text(0, "So"),
      ...tool(1, "a", '{"x"', ":1}"),
      ...tool(2, "b", "{}"),
      ...ends("tool_use")
    )
    assert.deepStrictEqual(deltasOf(events).slice(2), [
      { tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "f_a", arguments: "" } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{"x"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ":1}" } }] },
      { tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "f_b", arguments: "" } }] },
      { tool_calls: [{ index: 1, function: { arguments: "{}" } }] },
      {}
    ])
    assert.strictEqual(chunksOf(events).at(-2)?.["choices"][0].finish_reason, "tool_calls")
  })

  it("that come first go with null content", () => {
    assert.deepStrictEqual(deltasOf(run(start(), ...tool(0, "a"), ...ends("tool_use")))[0], {
      role: "assistant",
      content: null
    })
  })

  it("without arguments have {}", () => {
    const events = run(start(), ...tool(0, "a"), ...ends("tool_use"))
    assert.deepStrictEqual(deltasOf(events)[2], { tool_calls: [{ index: 0, function: { arguments: "{}" } }] })
  })

  it("whose arguments come with the start, or whose block is never closed, have them too", () => {
    const whole = run(start(), open(0, { type: "tool_use", id: "a", name: "f", input: { x: 1 } }), ...ends("tool_use"))
    assert.deepStrictEqual(deltasOf(whole)[2], { tool_calls: [{ index: 0, function: { arguments: '{"x":1}' } }] })
  })

  it("of the provider itself are not the caller's, and are kept for the next turn", () => {
    const own = [
      open(0, { type: "server_tool_use", id: "s", name: "web_search", input: {} }),
      delta(0, { type: "input_json_delta", partial_json: '{"query":"x"}' }),
      close(0),
      open(1, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
      close(1)
    ]
    const events = run(start(), ...own, ...text(2, "Hi"), ...ends("end_turn"))
    const kept = [
      { type: "server_tool_use", id: "s", name: "web_search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "s", content: [] },
      { type: "text", text: "Hi" }
    ]
    assert.deepStrictEqual(deltasOf(events), [
      { role: "assistant", content: "" },
      { content: "Hi" },
      { extra_content: { anthropic: { content: kept } } },
      {}
    ])
  })
})

describe("streamed thoughts", () => {
  const thinking = [
    open(0, { type: "thinking", thinking: "", signature: "" }),
    delta(0, { type: "thinking_delta", thinking: "Hm" }),
    delta(0, { type: "thinking_delta", thinking: "." }),
    delta(0, { type: "signature_delta", signature: "sig" }),
    close(0)
  ]
  const thought = { type: "thinking", thinking: "Hm.", signature: "sig" }

  it("are reasoning, and once whole a signed block", () => {
    const events = run(start(), ...thinking, ...text(1, "Hi"), ...ends("end_turn"))
    assert.deepStrictEqual(deltasOf(events).slice(1, 4), [
      { reasoning_content: "Hm" },
      { reasoning_content: "." },
      { thinking_blocks: [thought] }
    ])
  })

  it("that are hidden are kept for the next turn", () => {
    const hidden = { type: "redacted_thinking", data: "xyz" }
    const events = run(start(), ...thinking, open(1, hidden), close(1), ...text(2, "Hi"), ...ends("end_turn"))
    assert.deepStrictEqual(deltasOf(events)[4], { thinking_blocks: [thought, hidden] })
  })
})

describe("the end of a stream", () => {
  it("tells the usage of both its first and its last event", () => {
    const first = {
      input_tokens: 5,
      cache_creation_input_tokens: 10,
      cache_creation: { ephemeral_5m_input_tokens: 4, ephemeral_1h_input_tokens: 6 },
      cache_read_input_tokens: 20,
      output_tokens: 1
    }
    const last = {
      input_tokens: 7,
      cache_read_input_tokens: null,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 2 }
    }
    const usage = run(start(first), ...text(0, "Hi"), ...ends("end_turn", last)).find(({ kind }) => kind === "usage")
    assert.deepStrictEqual(usage?.kind === "usage" ? usage.usage : undefined, {
      ...noUsage,
      input: 7,
      cachedInput: 20,
      cacheWrite: 4,
      cacheWrite1h: 6,
      output: 7,
      reasoning: 2
    })
  })

  it("has one finish and one usage however often they are repeated", () => {
    const [last, stop] = ends("end_turn")
    const events = run(start(), ...text(0, "Hi"), last!, last!, stop!, stop!)
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "finish", "usage", "done"])
  })

  it("tells a refusal's reason before it", () => {
    const events = run(start(), ...ends("refusal", {}, { stop_details: { type: "refusal", explanation: "No." } }))
    assert.deepStrictEqual(deltasOf(events)[1], { refusal: "No." })
    assert.strictEqual(chunksOf(events)[2]?.["choices"][0].finish_reason, "content_filter")
  })

  it("cites the web once the text is whole", () => {
    const citation = { type: "web_search_result_location", url: "https://example.com", title: "Example" }
    const cited = [...text(1, "42").slice(0, 2), delta(1, { type: "citations_delta", citation }), close(1)]
    const events = run(start(), ...text(0, "So: "), ...cited, ...ends("end_turn"))
    assert.deepStrictEqual(deltasOf(events).at(-3), {
      annotations: [
        {
          type: "url_citation",
          url_citation: { start_index: 4, end_index: 6, url: "https://example.com", title: "Example" }
        }
      ]
    })
  })

  it("is not invented: after the finish the usage is still told, but no end mark", () => {
    const events = run(start(), ...text(0, "Hi"), ends("end_turn")[0]!)
    assert.deepStrictEqual(kinds(events), ["lifecycle", "content", "finish", "usage"])
  })

  it("ends an answer without a stop reason, and is malformed where no message has begun", () => {
    assert.deepStrictEqual(kinds(run({ type: "message_stop" })), ["malformed"])
    assert.deepStrictEqual(kinds(run(start(), ...text(0, "Hi"), { type: "message_stop" })), [
      "lifecycle",
      "content",
      "finish",
      "usage",
      "done"
    ])
  })
})
