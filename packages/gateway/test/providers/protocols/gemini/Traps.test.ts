/** What other translators of Gemini's API got wrong. */
import { assert, describe, it } from "@effect/vitest"
import { outputTokens, totalTokens } from "../../../../src/core/domain/Usage.ts"
import { chunkProblem, completionProblem } from "../../../support/OpenAiSchema.ts"
import { hasData } from "../../../support/Transcripts.ts"
import { choicesOf, chunksOf, lifted, response, sent, streamed, toolDeltas, type Sent } from "./Support.ts"

const calling = (name: string, args: object, more: object = {}) => ({ functionCall: { name, args }, ...more })
const messageOf = (body: Sent): Sent => body["choices"][0].message

const lookup = { type: "function", function: { name: "lookup", parameters: { type: "object" } } }

describe("parallel calls", () => {
  it("are numbered from 0, each with an id and arguments of its own, one to an event or several", () => {
    for (const events of [
      streamed([response([calling("a", { x: 1 })]), response([calling("b", { x: 2 })]), response([], "STOP")]),
      streamed([response([calling("a", { x: 1 }), calling("b", { x: 2 })], "STOP")])
    ]) {
      const deltas = toolDeltas(events)
      assert.deepStrictEqual(
        deltas.map(({ function: called, index }) => [index, called.name, called.arguments] as const),
        [
          [0, "a", ""],
          [0, undefined, '{"x":1}'],
          [1, "b", ""],
          [1, undefined, '{"x":2}']
        ]
      )
      const ids = deltas.flatMap(({ id }) => (id === undefined ? [] : [id as string]))
      assert.strictEqual(new Set(ids).size, 2)
      if (hasData) for (const chunk of chunksOf(events)) assert.isUndefined(chunkProblem(chunk))
    }
  })

  it("of a provider that gives two of them one id get two", () => {
    const again = { functionCall: { id: "same", name: "a", args: {} } }
    const { body } = lifted(response([again, again], "STOP"))
    const ids = messageOf(body)["tool_calls"].map(({ id }: Sent) => id as string)
    assert.strictEqual(ids[0], "same")
    assert.strictEqual(new Set(ids).size, 2)
    if (hasData) assert.isUndefined(completionProblem(body))
  })
})

describe("the reason why an answer ended", () => {
  it("is tool_calls although Google says STOP, and says it in a later event", () => {
    const events = streamed([response([calling("a", {})]), response([{ text: "" }]), response([], "STOP")])
    assert.deepStrictEqual(choicesOf(events).at(-1)?.["finish_reason"], "tool_calls")
    assert.strictEqual(
      (lifted(response([calling("a", {})], "STOP")).body as Sent)["choices"][0].finish_reason,
      "tool_calls"
    )
  })

  it("is length where the limit cut the answer, calls or not", () => {
    const events = streamed([response([calling("a", {})]), response([], "MAX_TOKENS")])
    assert.strictEqual(choicesOf(events).at(-1)?.["finish_reason"], "length")
  })
})

describe("signatures of thoughts", () => {
  const signature = { extra_content: { google: { thought_signature: "c2ln" } } }
  const history = (more: object) => ({
    messages: [
      { role: "user", content: "Go" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", type: "function", function: { name: "lookup", arguments: "{}" }, ...more }]
      },
      { role: "tool", tool_call_id: "c1", content: "found" }
    ],
    tools: [lookup]
  })

  it("come with the tool call, plain and streamed, and go back on it", () => {
    const part = calling("lookup", {}, { thoughtSignature: "c2ln" })
    const whole = messageOf(lifted(response([part], "STOP")).body)["tool_calls"][0]
    assert.deepInclude(whole, signature)
    assert.deepInclude(toolDeltas(streamed([response([part], "STOP")]))[0], signature)
    assert.strictEqual(sent(history(signature))["contents"][1].parts[0].thoughtSignature, "c2ln")
  })

  it("of a history that another model made are stood in for, at models that want them", () => {
    const partOf = (model: string) => sent(history({}), { model })["contents"][1].parts[0]
    assert.strictEqual(partOf("gemini-3.8-flash").thoughtSignature, "skip_thought_signature_validator")
    assert.notProperty(partOf("gemini-2.5-flash"), "thoughtSignature")
  })

  it("stand on the first of several calls at once, as Google has it, and where none is there they are stood in for on all", () => {
    const call = (id: string, more: object = {}) => ({
      id,
      type: "function",
      function: { name: "lookup", arguments: "{}" },
      ...more
    })
    const parts = (...calls: ReadonlyArray<object>) =>
      sent({
        messages: [
          { role: "user", content: "Go" },
          { role: "assistant", content: "Looking", tool_calls: calls }
        ]
      })["contents"][1].parts.map(({ thoughtSignature: one }: Sent) => one as unknown)
    assert.deepStrictEqual(parts(call("1", signature), call("2")), [undefined, "c2ln", undefined])
    const word = "skip_thought_signature_validator"
    assert.deepStrictEqual(parts(call("1"), call("2")), [undefined, word, word])
  })

  it("of an answer's text come and go with the message", () => {
    const { body } = lifted(response([{ text: "Hi", thoughtSignature: "c2ln" }], "STOP"))
    assert.deepInclude(messageOf(body), signature)
    const events = streamed([response([{ text: "Hi" }]), response([{ text: "", thoughtSignature: "c2ln" }], "STOP")])
    assert.deepInclude(
      choicesOf(events).map(({ delta }) => delta as Sent),
      signature
    )
    const again = {
      messages: [
        { role: "user", content: "Go" },
        { role: "assistant", content: "Hi", ...signature }
      ]
    }
    assert.deepStrictEqual(sent(again)["contents"][1].parts, [{ text: "Hi", thoughtSignature: "c2ln" }])
  })
})

describe("thoughts", () => {
  it("are part of the completion's tokens, and are shown as reasoning", () => {
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 90,
      totalTokenCount: 105
    }
    const { body, usage } = lifted(
      response([{ text: "Hm.", thought: true }, { text: "Hi" }], "STOP", { usageMetadata })
    )
    assert.deepStrictEqual([outputTokens(usage!), usage!.reasoning, totalTokens(usage!)], [95, 90, 105])
    assert.strictEqual((body as Sent)["usage"].completion_tokens, 95)
    assert.strictEqual(messageOf(body)["reasoning_content"], "Hm.")
    assert.strictEqual(messageOf(body)["content"], "Hi")
  })

  it("and all else that Google bills add up to its total, whatever it has no name for", () => {
    const usageMetadata = {
      promptTokenCount: 100,
      toolUsePromptTokenCount: 40,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 10,
      totalTokenCount: 160,
      promptTokensDetails: [{ modality: "AUDIO", tokenCount: 30 }]
    }
    const { usage } = lifted(response([{ text: "Hi" }], "STOP", { usageMetadata }))
    const { audioInput, cachedInput, input, output, reasoning } = usage!
    assert.deepStrictEqual(
      { audioInput, cachedInput, input, output, reasoning },
      {
        audioInput: 30,
        cachedInput: 60,
        input: 50,
        output: 10,
        reasoning: 10
      }
    )
  })
})

describe("audio in a cache", () => {
  it("is counted apart from audio that was read anew, and from cached text", () => {
    const usageMetadata = {
      promptTokenCount: 100,
      cachedContentTokenCount: 60,
      candidatesTokenCount: 5,
      totalTokenCount: 105,
      promptTokensDetails: [{ modality: "AUDIO", tokenCount: 30 }],
      cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 20 }]
    }
    const { body, usage } = lifted(response([{ text: "Hi" }], "STOP", { usageMetadata }))
    const { audioInput, cachedAudioInput, cachedInput, input } = usage!
    assert.deepStrictEqual([input, cachedInput, audioInput, cachedAudioInput], [30, 40, 10, 20])
    assert.strictEqual((body as Sent)["usage"].prompt_tokens_details.cached_tokens, 60)
  })
})

describe("schemas", () => {
  it("go as JSON schemas, with every keyword that the older form refuses", () => {
    const parameters = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      additionalProperties: false,
      definitions: { day: { type: "string", format: "date", pattern: "^2" } },
      properties: {
        days: { type: "array", uniqueItems: true, items: { $ref: "#/definitions/day" } },
        kind: { const: "trip" },
        size: { type: ["integer", "null"], exclusiveMinimum: 0 },
        const: { type: "string" }
      }
    }
    const tool = { type: "function", function: { name: "plan", parameters } }
    const { functionDeclarations: declared } = sent({ messages: [{ role: "user", content: "Go" }], tools: [tool] })[
      "tools"
    ][0]
    assert.notProperty(declared[0], "parameters")
    assert.deepStrictEqual(declared[0].parametersJsonSchema, {
      type: "object",
      additionalProperties: false,
      $defs: { day: { type: "string", format: "date", pattern: "^2" } },
      properties: {
        days: { type: "array", uniqueItems: true, items: { $ref: "#/$defs/day" } },
        kind: { enum: ["trip"] },
        size: { type: ["integer", "null"], exclusiveMinimum: 0 },
        const: { type: "string" }
      }
    })
  })

  it("that are deeper than anything can be written are refused, not followed", () => {
    let schema: Record<string, unknown> = { type: "string" }
    for (let depth = 0; depth < 20_000; depth++) schema = { type: "object", properties: { a: schema } }
    const tool = { type: "function", function: { name: "deep", parameters: schema } }
    assert.throws(() => sent({ messages: [{ role: "user", content: "Go" }], tools: [tool] }), /nested too deeply/)
  })
})

describe("files by address", () => {
  const part = (of: object) => sent({ messages: [{ role: "user", content: [of] }] })["contents"][0].parts[0] as unknown

  it("of Google's storage are kept, as images and as files", () => {
    const fileData = { fileUri: "gs://bucket/cat.png", mimeType: "image/png" }
    assert.deepStrictEqual(part({ type: "image_url", image_url: { url: "gs://bucket/cat.png" } }), { fileData })
    assert.deepStrictEqual(part({ type: "file", file: { file_id: "gs://bucket/a.pdf" } }), {
      fileData: { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" }
    })
  })

  it("of YouTube and of Google's Files API are kept", () => {
    for (const url of ["https://youtu.be/abc", "https://generativelanguage.googleapis.com/v1beta/files/x1"]) {
      assert.deepStrictEqual(part({ type: "video_url", video_url: { url } }), { fileData: { fileUri: url } })
      const file = { file_id: url, format: "video/mp4" }
      assert.deepStrictEqual(part({ type: "file", file }), { fileData: { fileUri: url, mimeType: "video/mp4" } })
    }
  })
})
