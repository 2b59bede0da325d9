import { assert, describe, it } from "@effect/vitest"
import { refused, lowered, sent } from "../Support.ts"

const user = (content: unknown) => ({ role: "user", content })
const text = (value: string) => ({ type: "text", text: value })
const call = (id: string, args: unknown = "{}") => ({ id, type: "function", function: { name: "f", arguments: args } })
const calling = (...calls: ReadonlyArray<unknown>) => ({ role: "assistant", content: null, tool_calls: calls })
const result = (id: string, content: unknown) => ({ role: "tool", tool_call_id: id, content })

describe("instructions", () => {
  it("hoists those that stand first, joined by line feeds, and leaves others in their place", () => {
    const body = sent({
      messages: [
        { role: "system", content: "Be brief." },
        { role: "developer", content: [text("Be kind.")] },
        user("Hi"),
        { role: "system", content: "Be quick." }
      ]
    })
    assert.strictEqual(body["system"], "Be brief.\nBe kind.")
    const reminder = text("<system-reminder>\nBe quick.\n</system-reminder>")
    assert.deepStrictEqual(body["messages"], [{ role: "user", content: [text("Hi"), reminder] }])
  })

  it("keeps blocks where one of them is marked for the cache", () => {
    const marked = { ...text("Long."), cache_control: { type: "ephemeral", ttl: "1h" } }
    const body = sent({
      messages: [{ role: "system", content: [marked] }, { role: "system", content: "More." }, user("Hi")]
    })
    assert.deepStrictEqual(body["system"], [marked, text("More.")])
  })

  it("takes instructions alone for the user's words", () => {
    const body = sent({ messages: [{ role: "system", content: "Tell a joke." }] })
    assert.isUndefined(body["system"])
    assert.deepStrictEqual(body["messages"], [{ role: "user", content: [text("Tell a joke.")] }])
  })
})

describe("turns", () => {
  it("merges consecutive messages of one role", () => {
    const body = sent({
      messages: [
        user("a"),
        user("b"),
        { role: "assistant", content: "c" },
        { role: "assistant", content: "d" },
        user("e")
      ]
    })
    assert.deepStrictEqual(body["messages"], [
      { role: "user", content: [text("a"), text("b")] },
      { role: "assistant", content: [text("c"), text("d")] },
      { role: "user", content: [text("e")] }
    ])
  })

  it("drops blank text and messages that hold nothing else", () => {
    const body = sent({ messages: [user([text(" \n"), text("Hi")]), { role: "assistant", content: "" }, user("  ")] })
    assert.deepStrictEqual(body["messages"], [{ role: "user", content: [text("Hi")] }])
  })

  it("refuses a conversation without any content", () => {
    assert.strictEqual(refused({ messages: [user(" ")] }).param, "messages")
    assert.strictEqual(refused({ messages: "Hi" }).param, "messages")
  })

  it("lets the user begin, and says so where the assistant did", () => {
    const messages = [{ role: "assistant", content: "Hello!" }, user("Hi")]
    const { dropped, sent: body } = lowered({ messages })
    assert.deepStrictEqual(
      body["messages"].map(({ role }: { role: string }) => role),
      ["user", "assistant", "user"]
    )
    assert.deepStrictEqual(dropped, ["messages"])
    assert.strictEqual(refused({ messages }, { strict: true }).param, "messages")
  })

  it("trims white space at the end of a prefill", () => {
    const body = sent({ messages: [user("Hi"), { role: "assistant", content: "{ \n" }] })
    assert.deepStrictEqual(body["messages"][1], { role: "assistant", content: [text("{")] })
  })

  it("keeps the text of a refusal in the history", () => {
    const body = sent({
      messages: [user("Hi"), { role: "assistant", content: [{ type: "refusal", refusal: "No." }] }, user("Why?")]
    })
    assert.deepStrictEqual(body["messages"][1].content, [text("No.")])
  })

  it("reports names of participants", () => {
    assert.deepStrictEqual(lowered({ messages: [{ ...user("Hi"), name: "Ann" }] }).dropped, ["messages.name"])
  })

  it("names the message and part it can't send", () => {
    assert.strictEqual(
      refused({ messages: [user("Hi"), { role: "function", name: "f", content: "1" }] }).param,
      "messages[1].role"
    )
    const audio = { type: "input_audio", input_audio: { data: "", format: "wav" } }
    assert.strictEqual(refused({ messages: [user([text("Hi"), audio])] }).param, "messages[0].content[1]")
    assert.strictEqual(refused({ messages: [user(5)] }).param, "messages[0].content")
    assert.strictEqual(refused({ messages: ["Hi"] }).param, "messages[0]")
  })

  it("puts a cache mark on the part, or of a whole message on its last part", () => {
    const cache = { cache_control: { type: "ephemeral" } }
    const body = sent({ messages: [{ ...user([{ ...text("a"), ...cache }, text("b")]), ...cache }] })
    assert.deepStrictEqual(body["messages"][0].content, [
      { ...text("a"), ...cache },
      { ...text("b"), ...cache }
    ])
  })
})

describe("tool calls", () => {
  it("sends calls as tool_use with parsed input, after the text", () => {
    const body = sent({
      messages: [user("Hi"), { ...calling(call("c1", '{"a":[1]}')), content: "Let me see." }, result("c1", "1")]
    })
    assert.deepStrictEqual(body["messages"][1].content, [
      text("Let me see."),
      { type: "tool_use", id: "c1", name: "f", input: { a: [1] } }
    ])
  })

  it("reads missing, empty and already parsed arguments", () => {
    const calls = [call("a", ""), call("b", undefined), call("c", { x: 1 })]
    const body = sent({
      messages: [user("Hi"), calling(...calls), result("a", "1"), result("b", "2"), result("c", "3")]
    })
    assert.deepStrictEqual(
      body["messages"][1].content.map(({ input }: { input: unknown }) => input),
      [{}, {}, { x: 1 }]
    )
  })

  it("refuses arguments that are no JSON object, naming them", () => {
    const param = "messages[1].tool_calls[1].function.arguments"
    for (const args of ['{"a":', "[1]", "7"]) {
      assert.strictEqual(refused({ messages: [user("Hi"), calling(call("a"), call("b", args))] }).param, param)
    }
  })

  it("refuses calls that are no function calls", () => {
    const custom = { id: "a", type: "custom", custom: { name: "f", input: "x" } }
    assert.strictEqual(refused({ messages: [user("Hi"), calling(custom)] }).param, "messages[1].tool_calls[0]")
    const old = { role: "assistant", content: null, function_call: { name: "f", arguments: "{}" } }
    assert.strictEqual(refused({ messages: [user("Hi"), old] }).param, "messages[1].function_call")
  })

  it("puts all results of a turn in one user message, first in it", () => {
    const body = sent({
      messages: [user("Hi"), calling(call("a"), call("b")), user("Hurry!"), result("a", "1"), result("b", [text("2")])]
    })
    assert.deepStrictEqual(body["messages"][2], {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "a", content: "1" },
        { type: "tool_result", tool_use_id: "b", content: [text("2")] },
        text("Hurry!")
      ]
    })
  })

  it("sends a result without text as one without content", () => {
    const body = sent({ messages: [user("Hi"), calling(call("a")), result("a", " ")] })
    assert.deepStrictEqual(body["messages"][2].content, [{ type: "tool_result", tool_use_id: "a" }])
  })

  it("carries images in results, errors and cache marks", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
    const marks = { is_error: true, cache_control: { type: "ephemeral" } }
    const body = sent({ messages: [user("Hi"), calling(call("a")), { ...result("a", [image]), ...marks }] })
    const content = [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }]
    assert.deepStrictEqual(body["messages"][2].content, [{ type: "tool_result", tool_use_id: "a", content, ...marks }])
  })

  it("gives foreign ids valid names that are never the same, and results follow", () => {
    const ids = ["functions.f:0", "functions/f:0", "functions-2e-f-3a-0", "", "é"]
    const body = sent({
      messages: [user("Hi"), calling(...ids.map((id) => call(id))), ...ids.map((id) => result(id, id))]
    })
    const names = body["messages"][1].content.map(({ id }: { id: string }) => id) as ReadonlyArray<string>
    for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]+$/)
    assert.strictEqual(new Set(names).size, ids.length)
    assert.strictEqual(names[2], ids[2])
    assert.deepStrictEqual(
      body["messages"][2].content.map(({ tool_use_id: id }: { tool_use_id: string }) => id),
      names
    )
  })

  it("tells calls apart that share an id, in one turn or in two", () => {
    const turn = [calling(call("call_0"), call("call_0")), result("call_0", "1"), result("call_0", "2")]
    const { messages } = sent({ messages: [user("Hi"), ...turn, ...turn] })
    const used = [1, 3].flatMap((index) => messages[index].content.map(({ id }: { id: string }) => id))
    const answered = [2, 4].flatMap((index) =>
      messages[index].content.map((block: { tool_use_id: string }) => block.tool_use_id)
    )
    assert.strictEqual(new Set(used).size, 4)
    assert.deepStrictEqual(answered, used)
  })

  it("names a foreign id the same however long the conversation grows", () => {
    const first = [user("Hi"), calling(call("a:b")), result("a:b", "1")]
    const short = sent({ messages: first })
    const long = sent({
      messages: [...first, calling(call("c:d"), call("a:b")), result("c:d", "2"), result("a:b", "3")]
    })
    assert.deepStrictEqual(long["messages"].slice(0, 2), short["messages"].slice(0, 2))
  })
})

describe("thoughts", () => {
  const thought = { type: "thinking", thinking: "Hm.", signature: "sig" }
  const hidden = { type: "redacted_thinking", data: "xyz" }

  it("go back unchanged in front of what they led to, each once", () => {
    const assistant = { ...calling(call("a")), content: "Look.", thinking_blocks: [thought, thought, hidden, hidden] }
    const body = sent({ messages: [user("Hi"), assistant, result("a", "1")] })
    assert.deepStrictEqual(body["messages"][1].content.slice(0, 3), [thought, hidden, text("Look.")])
  })

  it("are read from reasoning_details too, but not another vendor's", () => {
    const details = [
      { type: "reasoning.text", text: "Hm.", signature: "sig", format: "anthropic-claude-v1" },
      { type: "reasoning.encrypted", data: "xyz", format: "anthropic-claude-v1" },
      { type: "reasoning.encrypted", data: "abc", format: "openai-responses-v1" },
      { type: "reasoning.summary", summary: "Hm" }
    ]
    const body = sent({
      messages: [user("Hi"), { role: "assistant", content: "Yes", reasoning_details: details }, user("?")]
    })
    assert.deepStrictEqual(body["messages"][1].content, [thought, hidden, text("Yes")])
  })

  it("without a signature stay behind", () => {
    const assistant = {
      role: "assistant",
      content: "Yes",
      reasoning_content: "Hm.",
      thinking_blocks: [{ type: "thinking", thinking: "Hm." }]
    }
    const body = sent({ messages: [user("Hi"), assistant, user("?")] })
    assert.deepStrictEqual(body["messages"][1].content, [text("Yes")])
  })
})
