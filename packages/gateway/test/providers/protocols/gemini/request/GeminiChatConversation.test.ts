import { assert, describe, it } from "@effect/vitest"
import { refused, sent, type Sent } from "../Support.ts"

const call = (id: string, name: string, given = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: given }
})
const contents = (...messages: ReadonlyArray<object>): ReadonlyArray<Sent> =>
  sent({ messages }, { model: "gemini-2.5-flash" })["contents"]
const user = { role: "user", content: "Go" }
const part = (of: object) => contents({ role: "user", content: [of] })[0]!["parts"][0] as unknown

describe("a conversation", () => {
  it("has its first instructions apart, and later ones in their place", () => {
    const body = sent({
      messages: [{ role: "system", content: "A" }, user, { role: "developer", content: [{ type: "text", text: "B" }] }]
    })
    assert.deepStrictEqual(body["systemInstruction"], { parts: [{ text: "A" }] })
    assert.deepStrictEqual(body["contents"], [
      { role: "user", parts: [{ text: "Go" }, { text: "<system-reminder>\nB\n</system-reminder>" }] }
    ])
  })

  it("of instructions alone asks with the last of them; for Gemma they begin the first message", () => {
    const body = sent({ messages: [{ role: "system", content: "A" }] })
    assert.deepStrictEqual(body["contents"], [{ role: "user", parts: [{ text: "A" }] }])
    const gemma = sent({ messages: [{ role: "system", content: "A" }, user] }, { model: "gemma-3-27b-it" })
    assert.notProperty(gemma, "systemInstruction")
    assert.deepStrictEqual(gemma["contents"], [{ role: "user", parts: [{ text: "A" }, { text: "Go" }] }])
  })

  it("has the results of parallel calls together, in the order of the calls, each with its function's name", () => {
    const all = contents(
      user,
      { role: "assistant", content: null, tool_calls: [call("1", "f"), call("2", "g")] },
      { role: "tool", tool_call_id: "2", content: '{"b":2}' },
      { role: "tool", tool_call_id: "1", content: "one" },
      { role: "user", content: "And?" }
    )
    assert.deepStrictEqual(all[2], {
      role: "user",
      parts: [
        { functionResponse: { id: "1", name: "f", response: { result: "one" } } },
        { functionResponse: { id: "2", name: "g", response: { b: 2 } } },
        { text: "And?" }
      ]
    })
  })

  it("keeps that order where ids come again in later turns", () => {
    const turn = (first: string, second: string) => [
      { role: "assistant", content: null, tool_calls: [call("a", first), call("b", second)] },
      { role: "tool", tool_call_id: "b", content: second },
      { role: "tool", tool_call_id: "a", content: first }
    ]
    const later = { role: "assistant", content: null, tool_calls: [call("a", "z")] }
    const all = contents(user, ...turn("f", "g"), later, { role: "tool", tool_call_id: "a", content: "z" })
    const names = all.flatMap(({ parts }) => (parts as ReadonlyArray<Sent>).map((one) => one["functionResponse"]?.name))
    assert.deepStrictEqual(
      names.filter((name) => name !== undefined),
      ["f", "g", "z"]
    )
  })

  it("has results as text where they would be read as something else", () => {
    const result = (content: string) =>
      contents(
        user,
        { role: "assistant", tool_calls: [call("1", "f")] },
        { role: "tool", tool_call_id: "1", content }
      )[2]!["parts"][0].functionResponse.response as unknown
    assert.deepStrictEqual(result('{"$ref":"#/a"}'), { result: '{"$ref":"#/a"}' })
    assert.deepStrictEqual(result("[1]"), { result: "[1]" })
    assert.deepStrictEqual(result('{"broken'), { result: '{"broken' })
  })

  it("has images of a result inside it for Gemini 3, behind it for those before", () => {
    const image = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }
    const messages = [
      user,
      { role: "assistant", tool_calls: [call("1", "f")] },
      { role: "tool", tool_call_id: "1", content: [{ type: "text", text: "seen" }, image] }
    ]
    const inlineData = { mimeType: "image/png", data: "AAAA" }
    assert.deepStrictEqual(sent({ messages })["contents"][2].parts[0].functionResponse.parts, [{ inlineData }])
    assert.deepStrictEqual(contents(...messages)[2]!["parts"][1], { inlineData })
  })

  it("returns images of earlier responses", () => {
    const images = [{ type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } }]
    assert.deepStrictEqual(contents(user, { role: "assistant", content: "Here", images }, user)[1]!["parts"], [
      { text: "Here" },
      { inlineData: { mimeType: "image/png", data: "AAAA" } }
    ])
  })

  it("that makes no sense is refused, with the place", () => {
    const orphan = refused({ messages: [user, { role: "tool", tool_call_id: "nowhere", content: "x" }] })
    assert.strictEqual(orphan.param, "messages[1].tool_call_id")
    const garbled = refused({ messages: [user, { role: "assistant", tool_calls: [call("1", "f", "{nonsense")] }] })
    assert.strictEqual(garbled.param, "messages[1].tool_calls[0].function.arguments")
    assert.strictEqual(refused({ messages: [{ role: "critic", content: "x" }] }).param, "messages[0].role")
    assert.strictEqual(refused({ messages: 7 }).param, "messages")
  })
})

describe("media", () => {
  it("are bytes with their type", () => {
    const inlineData = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } })
    assert.deepStrictEqual(
      part({ type: "image_url", image_url: "data:image/jpg;base64,AAAA" }),
      inlineData("image/jpeg", "AAAA")
    )
    assert.deepStrictEqual(
      part({ type: "input_audio", input_audio: { data: "BBBB", format: "mp3" } }),
      inlineData("audio/mpeg", "BBBB")
    )
    assert.deepStrictEqual(
      part({ type: "video_url", video_url: { url: "data:video/mp4;base64,CCCC" } }),
      inlineData("video/mp4", "CCCC")
    )
    assert.deepStrictEqual(part({ type: "file", file: { file_data: "DDDD" } }), inlineData("application/pdf", "DDDD"))
    const text = { type: "file", file: { filename: "a.csv", file_data: "data:text/csv;base64,YQ==" } }
    assert.deepStrictEqual(part(text), inlineData("text/csv", "YQ=="))
  })

  it("that are none of that are refused, with what would be right", () => {
    const why = (of: object) => refused({ messages: [{ role: "user", content: [of] }] })
    // What the budget counted as an image must be one.
    assert.include(why({ type: "image_url", image_url: { url: "data:video/mp4;base64,AAAA" } }).message, "`video_url`")
    assert.strictEqual(
      why({ type: "image_url", image_url: { url: "cat.png" } }).param,
      "messages[0].content[0].image_url"
    )
    assert.strictEqual(
      why({ type: "input_audio", input_audio: { data: "AAAA" } }).param,
      "messages[0].content[0].input_audio"
    )
    assert.strictEqual(
      why({ type: "file", file: { file_id: "file-abc" } }).param,
      "messages[0].content[0].file.file_id"
    )
    assert.strictEqual(why({ type: "hologram" }).param, "messages[0].content[0]")
  })
})
