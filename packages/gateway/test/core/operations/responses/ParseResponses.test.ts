import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { parseResponses } from "../../../../src/core/operations/responses/ParseResponses.ts"

const parse = (body: unknown) => parseResponses(body, JSON.stringify(body)?.length ?? 0)
const read = (body: object) => Result.getOrThrowWith(parse(body), (error) => error)
const param = (body: unknown) => Result.match(parse(body), { onFailure: (error) => error.param, onSuccess: () => "" })

describe("a request for a response", () => {
  it("reads the last user message, as a text or items", () => {
    assert.strictEqual(read({ input: "Hi" }).prompt, "Hi")
    const input = [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "input_text", text: "What is" },
          { type: "input_text", text: "this?" }
        ]
      },
      { type: "function_call", name: "look", call_id: "1", arguments: "{}" },
      { type: "function_call_output", call_id: "1", output: "a cat" },
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "A cat." }] },
      { type: "message", role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AAAA" }] }
    ]
    const request = read({ input, max_output_tokens: 9, tools: [{ type: "function" }], stream: true })
    assert.deepInclude(request, { prompt: "", hasUnread: true, maxOutput: 9, history: input, model: "auto" })
    assert.sameMembers([...request.needs], ["chat", "images", "tools", "stream"])
    assert.strictEqual(read({ input: input.slice(0, 5) }).prompt, "What is\nthis?")
    assert.include(
      read({ input: "Hi", text: { format: { type: "json_schema", name: "x", schema: {} } } }).needs,
      "json_schema"
    )
  })

  it("sees what is in the results of tools, and what it can't see", () => {
    const output = [
      { type: "input_image", image_url: "data:image/png;base64,AAAA" },
      { type: "input_file", file_data: "data:application/pdf;base64,AAAA" }
    ]
    const { media } = read({
      input: [
        { type: "function_call_output", call_id: "1", output },
        {
          type: "computer_call_output",
          call_id: "2",
          output: { type: "computer_screenshot", image_url: "https://a/b" }
        },
        { type: "web_search_call", id: "ws_1", status: "completed" },
        { type: "item_reference", id: "msg_1" },
        { type: "mcp_call", id: "mcp_1", name: "x", arguments: "{}", server_label: "y" }
      ],
      prompt: { id: "pmpt_1" }
    })
    assert.deepStrictEqual(
      media.map(({ kind, path }) => `${kind} ${path}`),
      [
        "other prompt",
        "image input[0].output[0]",
        "file input[0].output[1]",
        "image input[1].output",
        "other input[2]",
        "other input[3]"
      ]
    )
  })

  it("takes null and an empty text for absent", () => {
    const empty = {
      model: null,
      instructions: "",
      conversation: null,
      background: null,
      tools: null,
      text: {},
      reasoning: {}
    }
    assert.deepInclude(read({ input: "Hi", ...empty, max_output_tokens: null }), {
      model: "auto",
      maxOutput: undefined
    })
    assert.strictEqual(param({ input: "Hi", background: false }), "")
    assert.strictEqual(param({ prompt: { id: "pmpt_1" } }), "")
  })

  it("names the field that is wrong", () => {
    const wrong: ReadonlyArray<readonly [unknown, string]> = [
      [[], "body"],
      [{}, "input"],
      [{ input: [] }, "input"],
      [{ input: [5] }, "input[0]"],
      [{ input: [{ role: "user", content: 5 }] }, "input[0].content"],
      [{ input: "x", max_output_tokens: 0 }, "max_output_tokens"],
      [{ input: "x", model: 5 }, "model"],
      [{ input: "x", conversation: "conv_1" }, "conversation"],
      [{ input: "x", tools: {} }, "tools"]
    ]
    for (const [body, field] of wrong) assert.strictEqual(param(body), field, JSON.stringify(body))
  })
})
