/** Chat requests as Converse takes them. Shapes that were recorded are checked where they are replayed. */
import { assert, describe, it } from "@effect/vitest"
import { bedrockCall, CLAUDE, NOVA, refused, sent } from "./Support.ts"

const MISTRAL = "mistral.mistral-large-2402-v1:0"
const LLAMA = "meta.llama3-1-8b-instruct-v1:0"
const tool = (name: string, more: object = {}) => ({ type: "function", function: { name, ...more } })
const called = (id: string, name: string, args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args }
})

const history = (...ids: ReadonlyArray<string>) => [
  { role: "user", content: "Weather?" },
  { role: "assistant", content: null, tool_calls: ids.map((id) => called(id, "weather")) },
  ...ids.map((id) => ({ role: "tool", tool_call_id: id, content: `sunny ${id}` }))
]

const spec = (name: string) => ({ toolSpec: { name, inputSchema: { json: { type: "object", properties: {} } } } })

describe("trap 15: tools in the history and none in the request", () => {
  it("declares the tools that were called", () => {
    const { body } = sent(bedrockCall({ messages: history("a") }, NOVA))
    assert.deepStrictEqual(body.toolConfig, { tools: [spec("weather")] })
  })

  it("declares them when they are forbidden, too, and says that it can't forbid them", () => {
    const ask = { messages: history("a"), tools: [tool("weather")], tool_choice: "none" }
    const { body, dropped } = sent(bedrockCall(ask, NOVA))
    assert.deepStrictEqual(body.toolConfig, { tools: [spec("weather")] })
    assert.deepStrictEqual(dropped, ["tool_choice"])
    assert.strictEqual(refused({ ...bedrockCall(ask, NOVA), strict: true }).param, "tool_choice")
  })

  it("declares something for a result whose call is gone", () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "tool", tool_call_id: "x", content: "sunny" }
    ]
    assert.lengthOf(sent(bedrockCall({ messages }, NOVA)).body.toolConfig.tools, 1)
  })

  it("sends no tools where they are forbidden and none was called", () => {
    const { body, dropped } = sent(bedrockCall({ tools: [tool("weather")], tool_choice: "none" }, NOVA))
    assert.notProperty(body, "toolConfig")
    assert.isEmpty(dropped)
  })
})

const idsIn = (
  messages: ReadonlyArray<{ content: ReadonlyArray<Record<string, { toolUseId: string } | undefined>> }>
) => {
  const blocks = messages.flatMap(({ content }) => content)
  const of = (name: string) => blocks.flatMap((block) => block[name]?.toolUseId ?? [])
  return { calls: of("toolUse"), results: of("toolResult") }
}

describe("trap 16: ids of tool calls", () => {
  it("are nine letters and digits for Mistral, none like another, and every result finds its call", () => {
    const ids = ["tooluse_bpe71yCfRu2b5i-nKGDr5g", "tooluse_bpe71yCfRu2b5i-nKGDr5h", "call_0", "toolu_01A"]
    const { calls, results } = idsIn(sent(bedrockCall({ messages: history(...ids) }, MISTRAL)).body.messages)
    assert.lengthOf([...new Set(calls)], ids.length)
    for (const id of calls) assert.match(id, /^[A-Za-z0-9]{9}$/)
    assert.deepStrictEqual(results, calls)
  })

  it("are what Bedrock takes for all others: up to 64 plain characters", () => {
    const ids = ["functions.weather:0", "x".repeat(100), "call_1"]
    const { calls, results } = idsIn(sent(bedrockCall({ messages: history(...ids) }, CLAUDE)).body.messages)
    for (const id of calls) assert.match(id, /^[a-zA-Z0-9_-]{1,64}$/)
    assert.strictEqual(calls[2], "call_1")
    assert.deepStrictEqual(results, calls)
  })

  it("stay Kimi's own for Kimi, as recorded", () => {
    const ids = ["functions.weather:0"]
    assert.deepStrictEqual(
      idsIn(sent(bedrockCall({ messages: history(...ids) }, "moonshot.kimi-k2-thinking")).body.messages).calls,
      ids
    )
  })
})

describe("a conversation", () => {
  it("has all results of parallel calls in one message of the user, first in it", () => {
    const messages = [...history("a", "b"), { role: "user", content: "And?" }]
    const [, , last] = sent(bedrockCall({ messages }, CLAUDE)).body.messages
    assert.deepStrictEqual(last, {
      role: "user",
      content: [
        { toolResult: { toolUseId: "a", content: [{ text: "sunny a" }] } },
        { toolResult: { toolUseId: "b", content: [{ text: "sunny b" }] } },
        { text: "And?" }
      ]
    })
  })

  it("says where a tool failed, and that it said nothing", () => {
    const messages = [...history("a").slice(0, 2), { role: "tool", tool_call_id: "a", content: " ", is_error: true }]
    const { content } = sent(bedrockCall({ messages }, CLAUDE)).body.messages[2]
    assert.deepStrictEqual(content, [
      { toolResult: { toolUseId: "a", content: [{ text: "(no output)" }], status: "error" } }
    ])
  })

  it("puts instructions before the first message for models without a place for them", () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hi" }
    ]
    const { body } = sent(bedrockCall({ messages }, "amazon.titan-text-express-v1"))
    assert.notProperty(body, "system")
    assert.deepStrictEqual(body.messages, [{ role: "user", content: [{ text: "Be brief." }, { text: "Hi" }] }])
  })

  it("begins with the user, but for Anthropic's models, as recorded", () => {
    const messages = [
      { role: "assistant", content: "Hello!" },
      { role: "user", content: "Hi" }
    ]
    assert.lengthOf(sent(bedrockCall({ messages }, CLAUDE)).body.messages, 2)
    const { body, dropped } = sent(bedrockCall({ messages }, NOVA))
    assert.deepStrictEqual(body.messages[0], { role: "user", content: [{ text: "(The assistant begins.)" }] })
    assert.deepStrictEqual(dropped, ["messages"])
  })

  it("brings back what Anthropic's models thought, and nothing that others did", () => {
    const thinking_blocks = [
      { type: "thinking", thinking: "Hm", signature: "c2ln" },
      { type: "redacted_thinking", data: "EtkE" }
    ]
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "Hello", reasoning_content: "Hm", thinking_blocks },
      { role: "user", content: "And?" }
    ]
    assert.deepStrictEqual(sent(bedrockCall({ messages }, CLAUDE)).body.messages[1].content, [
      { reasoningContent: { reasoningText: { text: "Hm", signature: "c2ln" } } },
      { reasoningContent: { redactedContent: Buffer.from("EtkE").toString("base64") } },
      { text: "Hello" }
    ])
    assert.deepStrictEqual(sent(bedrockCall({ messages }, NOVA)).body.messages[1].content, [{ text: "Hello" }])
  })

  it.each([
    [[{ role: "user", content: " " }], /at least one message/],
    [[{ role: "robot", content: "Hi" }], /`role` must be/],
    [[{ role: "user", content: [{ type: "input_audio", input_audio: {} }] }], /of type input_audio can't be sent/],
    [[{ role: "user", content: 7 }], /must be a string or a list of parts/],
    [
      [
        { role: "user", content: "Hi" },
        { role: "assistant", tool_calls: [called("a", "f", "[1]")] }
      ],
      /JSON text of an object/
    ]
  ] as const)("is refused where it makes no sense: %j", (messages, told) => {
    assert.match(refused(bedrockCall({ messages }, NOVA)).message, told)
  })
})

const data = (mediaType: string) => `data:${mediaType};base64,AAAA`
const file = (mediaType: string, filename: string) => ({ type: "file", file: { file_data: data(mediaType), filename } })

describe("media", () => {
  it("have a format, and documents a plain name that no other has, and a text beside them", () => {
    const content = [
      { type: "image_url", image_url: { url: data("image/jpg") } },
      file("application/pdf", "Q3: report/final_v2.pdf"),
      file("application/pdf", "Q3 report final v2.pdf"),
      file("text/markdown", "☃.md"),
      { type: "video_url", video_url: { url: data("video/mp4") } }
    ]
    const [message] = sent(bedrockCall({ messages: [{ role: "user", content }] }, NOVA)).body.messages
    const source = { bytes: "AAAA" }
    assert.deepStrictEqual(message.content, [
      { image: { format: "jpeg", source } },
      { document: { format: "pdf", name: "Q3 report final v2", source } },
      { document: { format: "pdf", name: "Q3 report final v2 (2)", source } },
      { document: { format: "md", name: "Document", source } },
      { video: { format: "mp4", source } },
      { text: "(The document is attached.)" }
    ])
  })

  it.each([
    [{ type: "image_url", image_url: { url: data("image/tiff") } }, /images of type image\/tiff can't be read/],
    [{ type: "image_url", image_url: { url: "s3://bucket/x.png" } }, /must be a base64 data: URL/],
    [file("application/zip", "x.zip"), /files of type application\/zip can't be read/],
    [{ type: "file", file: { file_id: "file-1" } }, /kept at another provider/],
    [{ type: "video_url", video_url: { url: "ftp://x" } }, /a video must be/]
  ] as const)("that can't be read are refused: %j", (part, told) => {
    assert.match(refused(bedrockCall({ messages: [{ role: "user", content: [part] }] }, NOVA)).message, told)
  })
})

describe("tools", () => {
  it("can be forced by name at Claude and Nova, as one of them at Mistral, and not at Llama", () => {
    const ask = { tools: [tool("a"), tool("b")], tool_choice: { type: "function", function: { name: "b" } } }
    assert.deepStrictEqual(sent(bedrockCall(ask, NOVA)).body.toolConfig.toolChoice, { tool: { name: "b" } })
    assert.deepStrictEqual(sent(bedrockCall(ask, MISTRAL)).body.toolConfig, {
      tools: [spec("b")],
      toolChoice: { any: {} }
    })
    const llama = sent(bedrockCall(ask, LLAMA))
    assert.deepStrictEqual(llama.body.toolConfig, { tools: [spec("b")] })
    assert.deepStrictEqual(llama.dropped, ["tool_choice"])
  })

  it("are called one at a time by Claude alone", () => {
    const ask = { tools: [tool("a")], tool_choice: "required", parallel_tool_calls: false }
    const claude = sent(bedrockCall(ask, CLAUDE)).body
    assert.deepStrictEqual(claude.additionalModelRequestFields, {
      tool_choice: { type: "any", disable_parallel_tool_use: true }
    })
    assert.notProperty(claude.toolConfig, "toolChoice")
    assert.deepStrictEqual(sent(bedrockCall(ask, NOVA)).dropped, ["parallel_tool_calls"])
  })
})

describe("prompt caching", () => {
  const mark = { type: "ephemeral" }
  const messages = [
    { role: "system", content: [{ type: "text", text: "Long.", cache_control: { ...mark, ttl: "1h" } }] },
    { role: "user", content: [{ type: "text", text: "Hi", cache_control: mark }] }
  ]
  const ask = { messages, tools: [{ ...tool("a"), cache_control: mark }] }

  it("marks become points, for an hour where that is asked", () => {
    const { body, dropped } = sent(bedrockCall(ask, CLAUDE))
    assert.deepStrictEqual(body.system, [{ text: "Long." }, { cachePoint: { type: "default", ttl: "1h" } }])
    assert.deepStrictEqual(body.messages[0].content, [{ text: "Hi" }, { cachePoint: { type: "default" } }])
    assert.deepStrictEqual(body.toolConfig.tools, [spec("a"), { cachePoint: { type: "default" } }])
    assert.isEmpty(dropped)
  })

  it("is left out where a model has none: in tools at Nova, anywhere at Llama", () => {
    const nova = sent(bedrockCall(ask, NOVA))
    assert.deepStrictEqual(nova.body.toolConfig.tools, [spec("a")])
    assert.lengthOf(nova.body.system, 2)
    assert.deepStrictEqual(nova.dropped, ["cache_control"])
    assert.lengthOf(sent(bedrockCall(ask, LLAMA)).body.system, 1)
  })
})

describe("reasoning", () => {
  it("is a budget within the output limit at Claude, which is then said", () => {
    const { body } = sent(bedrockCall({ reasoning_effort: "medium" }, CLAUDE, { maxOutput: 10_000 }))
    assert.deepStrictEqual(body.additionalModelRequestFields, { thinking: { type: "enabled", budget_tokens: 5_000 } })
    assert.deepStrictEqual(body.inferenceConfig, { maxTokens: 10_000 })
    const unlimited = sent(bedrockCall({ reasoning_effort: "low" }, CLAUDE, { maxOutputTokens: 64_000 })).body
    assert.deepStrictEqual(unlimited.inferenceConfig, { maxTokens: 64_000 })
  })

  it("has the name that the family has for it", () => {
    const more = (model: string, effort: string) =>
      sent(bedrockCall({ reasoning_effort: effort }, model)).body.additionalModelRequestFields
    assert.deepStrictEqual(more("openai.gpt-oss-120b-1:0", "minimal"), { reasoning_effort: "low" })
    assert.deepStrictEqual(more("qwen.qwen3-32b-v1:0", "xhigh"), { reasoning_config: "high" })
    assert.deepStrictEqual(more("us.amazon.nova-2-lite-v1:0", "low"), {
      reasoningConfig: { type: "enabled", maxReasoningEffort: "low" }
    })
    assert.isUndefined(more("us.deepseek.r1-v1:0", "high"))
  })

  it("is never more than an output limit bounds: Nova's high effort takes none", () => {
    const { body, dropped } = sent(
      bedrockCall({ reasoning_effort: "high" }, "us.amazon.nova-2-lite-v1:0", { maxOutput: 500 })
    )
    assert.strictEqual(body.additionalModelRequestFields.reasoningConfig.maxReasoningEffort, "medium")
    assert.deepStrictEqual(body.inferenceConfig, { maxTokens: 500 })
    assert.deepStrictEqual(dropped, ["reasoning_effort"])
  })
})

describe("parameters", () => {
  it("are where the family has them, and within what it takes", () => {
    const ask = { temperature: 1.5, top_p: 0.9, top_k: 20, stop: ["END", "\n"], service_tier: "flex" }
    const nova = sent(bedrockCall(ask, NOVA, { maxOutput: 99_999, maxOutputTokens: 5_000 }))
    assert.deepStrictEqual(nova.body.inferenceConfig, {
      maxTokens: 5_000,
      temperature: 1,
      topP: 0.9,
      stopSequences: ["END", "\n"]
    })
    assert.deepStrictEqual(nova.body.additionalModelRequestFields, { inferenceConfig: { topK: 20 } })
    assert.deepStrictEqual(nova.body.serviceTier, { type: "flex" })
    assert.deepStrictEqual(nova.dropped, ["temperature"])
    const oss = sent(bedrockCall(ask, "openai.gpt-oss-20b-1:0"))
    assert.notProperty(oss.body.inferenceConfig, "stopSequences")
    assert.deepStrictEqual(oss.dropped, ["temperature", "stop", "top_k"])
  })

  it("that Bedrock has no place for are named, or refused where the caller is strict", () => {
    const ask = { seed: 7, logit_bias: { 1: 2 }, frequency_penalty: 0, user: "u", metadata: {} }
    assert.deepStrictEqual(sent(bedrockCall(ask, NOVA)).dropped, ["seed", "logit_bias", "user"])
    assert.strictEqual(refused({ ...bedrockCall(ask, NOVA), strict: true }).param, "seed")
  })

  it("know a model by its profile, or by what the operator says it is", () => {
    const profile =
      "arn:aws:bedrock:us-east-1:012345678901:inference-profile/us.anthropic.claude-3-7-sonnet-20250219-v1:0"
    const { body, path } = sent(bedrockCall({ top_k: 5 }, profile))
    assert.deepStrictEqual(body.additionalModelRequestFields, { top_k: 5 })
    assert.strictEqual(path, `/model/${encodeURIComponent(profile)}/converse`)
    const opaque = "arn:aws:bedrock:us-east-1:012345678901:application-inference-profile/ab12"
    const known = sent(bedrockCall({ top_k: 5 }, opaque, { baseModel: "amazon.nova-lite-v1:0" }))
    assert.deepStrictEqual(known.body.additionalModelRequestFields, { inferenceConfig: { topK: 5 } })
  })
})
