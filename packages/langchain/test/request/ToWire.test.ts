import { assert, describe, it } from "@effect/vitest"
import {
  AIMessage,
  ChatMessage,
  HumanMessage,
  type MessageContent,
  RemoveMessage,
  SystemMessage,
  ToolMessage
} from "@langchain/core/messages"
import { GatewayInputError } from "../../src/index.ts"
import { toWireMessages } from "../../src/request/ToWire.ts"

const part = (block: unknown): unknown => {
  const [message] = toWireMessages([new HumanMessage({ content: [block] as MessageContent })])
  return (message!.content as ReadonlyArray<unknown>)[0]
}

const dataUrl = "data:image/png;base64,aGk="
const picture = { type: "image_url", image_url: { url: dataUrl } }
const link = { type: "image_url", image_url: { url: "https://host/a.png" } }
const sound = { type: "input_audio", input_audio: { data: "aGk=", format: "wav" } }
const paper = { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,aGk=" } }

describe("content blocks of every generation", () => {
  const cases: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["text", { type: "text", text: "a" }, { type: "text", text: "a" }],
    ["old text", { type: "text", source_type: "text", text: "a" }, { type: "text", text: "a" }],
    ["image by URL", { type: "image", url: "https://host/a.png" }, link],
    ["image by data", { type: "image", data: "aGk=", mimeType: "image/png" }, picture],
    ["image by bytes", { type: "image", data: new TextEncoder().encode("hi"), mimeType: "image/png" }, picture],
    ["old image by data", { type: "image", source_type: "base64", data: "aGk=", mime_type: "image/png" }, picture],
    ["old image by URL", { type: "image", source_type: "url", url: "https://host/a.png" }, link],
    [
      "Anthropic's image",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "aGk=" } },
      picture
    ],
    ["the wire's image", picture, picture],
    ["an image's bare URL", { type: "image_url", image_url: "https://host/a.png" }, link],
    ["audio", { type: "audio", data: "aGk=", mimeType: "audio/x-wav" }, sound],
    ["audio in a data URL", { type: "audio", url: "data:audio/wav;base64,aGk=" }, sound],
    [
      "mp3",
      { type: "audio", source_type: "base64", data: "aGk=", mime_type: "audio/mpeg" },
      { type: "input_audio", input_audio: { data: "aGk=", format: "mp3" } }
    ],
    ["the wire's audio", sound, sound],
    ["file", { type: "file", data: "aGk=", mimeType: "application/pdf", metadata: { filename: "a.pdf" } }, paper],
    ["the wire's file", paper, paper],
    ["file by id", { type: "file", fileId: "f1" }, { type: "file", file: { file_id: "f1" } }],
    ["old file by id", { type: "file", source_type: "id", id: "f1" }, { type: "file", file: { file_id: "f1" } }],
    ["plain text", { type: "text-plain", text: "a", mimeType: "text/plain" }, { type: "text", text: "a" }],
    ["a provider's own", { type: "non_standard", value: { type: "x", y: 1 } }, { type: "x", y: 1 }]
  ]
  for (const [name, block, wire] of cases) {
    it(`${name}`, () => assert.deepStrictEqual(part(block), wire))
  }

  it("that can't be sent are refused, with what would be right", () => {
    for (const [block, advice] of [
      [{ type: "video", url: "https://host/a.mp4" }, "text, image, audio, file"],
      [{ type: "image", fileId: "f1" }, "`url`"],
      [{ type: "image", data: "aGk=" }, "`mimeType`"],
      [{ type: "audio", url: "https://host/a.wav" }, "`data`"],
      [{ type: "file", url: "https://host/a.pdf" }, "`fileId`"]
    ] as const) {
      assert.throws(() => part(block), GatewayInputError, advice)
    }
  })
})

describe("messages", () => {
  it("have the roles of the wire", () => {
    const sent = toWireMessages([
      new SystemMessage("s"),
      new SystemMessage({ content: "d", additional_kwargs: { __openai_role__: "developer" } }),
      new HumanMessage({ content: "u", name: "ann" }),
      new AIMessage({ content: "a", name: "the model" }),
      new ToolMessage({ content: "t", tool_call_id: "c1" }),
      new ChatMessage("c", "critic")
    ])
    assert.deepStrictEqual(sent, [
      { role: "system", content: "s" },
      { role: "developer", content: "d" },
      { role: "user", content: "u", name: "ann" },
      { role: "assistant", content: "a" },
      { role: "tool", content: "t", tool_call_id: "c1" },
      { role: "critic", content: "c" }
    ])
  })

  it("of the assistant keep their calls, unreadable ones too, and leave reasoning out", () => {
    const [message] = toWireMessages([
      new AIMessage({
        content: [
          { type: "reasoning", reasoning: "hm" },
          { type: "text", text: "I " },
          { type: "text", text: "look" },
          { type: "tool_call", id: "c1", name: "f", args: { a: 1 } }
        ],
        tool_calls: [{ type: "tool_call", id: "c1", name: "f", args: { a: 1 } }],
        invalid_tool_calls: [{ type: "invalid_tool_call", id: "c2", name: "f", args: "{a:", error: "no JSON" }]
      }),
      new ToolMessage({ tool_call_id: "c2", content: "That was no JSON." })
    ])
    assert.deepStrictEqual(message, {
      role: "assistant",
      content: "I look",
      tool_calls: [
        { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } },
        { id: "c2", type: "function", function: { name: "f", arguments: "{a:" } }
      ]
    })
  })

  it("of the assistant go on without what another vendor's own tools left in them, and that is said once", () => {
    const said: Array<string> = []
    const { warn } = console
    console.warn = (text: string) => void said.push(text)
    try {
      const history = [
        { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "x" } },
        { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
        { type: "server_tool_call", id: "s2", name: "code_interpreter", args: {} },
        { type: "server_tool_call_result", toolCallId: "s2", status: "success", output: {} },
        { type: "non_standard", value: { type: "code_interpreter_call", id: "ci_1" } },
        { type: "executableCode", executableCode: { code: "1" } },
        { type: "text", text: "It is 1." }
      ]
      for (const _turn of [1, 2]) {
        const sent = toWireMessages([
          new AIMessage({ content: history as MessageContent }),
          new HumanMessage("And now?")
        ])
        assert.deepStrictEqual(sent, [
          { role: "assistant", content: "It is 1." },
          { role: "user", content: "And now?" }
        ])
      }
    } finally {
      console.warn = warn
    }
    assert.lengthOf(said, 6)
    assert.include(said[0], "`server_tool_use`")
  })

  it("of the assistant leave out unreadable calls that nobody answered: providers would refuse them", () => {
    const invalid_tool_calls = [
      { type: "invalid_tool_call" as const, id: "c1", name: "f", args: "{a:", error: "no JSON" }
    ]
    assert.deepStrictEqual(
      toWireMessages([new AIMessage({ content: "", invalid_tool_calls }), new HumanMessage("And?")]),
      [
        { role: "assistant", content: "" },
        { role: "user", content: "And?" }
      ]
    )
  })

  it("of calls alone have no empty text", () => {
    const call = { type: "tool_call" as const, id: "c1", name: "f", args: {} }
    assert.isNull(toWireMessages([new AIMessage({ content: "", tool_calls: [call] })])[0]?.content)
    assert.isNull(toWireMessages([new AIMessage({ content: [], tool_calls: [call] })])[0]?.content)
  })

  it("that are none are refused", () => {
    assert.throws(() => toWireMessages([new RemoveMessage({ id: "1" })]), GatewayInputError, "remove")
  })
})
