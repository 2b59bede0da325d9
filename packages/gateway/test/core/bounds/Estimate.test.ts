import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { countInput, estimateUsage } from "../../../src/core/bounds/Estimate.ts"
import { wireUsage } from "../../../src/core/operations/chat/ChatAnswerText.ts"
import { ProducedText, textOfChoices } from "../../../src/core/operations/ProducedText.ts"
import { countTokens } from "../../../src/core/operations/Tokens.ts"
import { inputTokens, noUsage, outputTokens, totalTokens } from "../../../src/core/domain/Usage.ts"
import { chatRequest, deployment } from "../call/Support.ts"

const prose = "The quick brown fox jumps over the lazy dog, and nobody minds. "

const chunk = (delta: object, index = 0) => JSON.stringify({ choices: [{ index, delta }] })

describe("countTokens", () => {
  it.effect("counts as o200k does, and more for Anthropic", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* countTokens("", "openai-chat"), 0)
      assert.strictEqual(yield* countTokens("Hello, world!", "openai-chat"), 4)
      assert.strictEqual(yield* countTokens("Hello, world!", "anthropic-messages"), 5)
      assert.isAtLeast(yield* countTokens("<|endoftext|>", "openai-chat"), 3)
    })
  )

  it.effect("stays close to the truth for texts of any length and script", () =>
    Effect.gen(function* () {
      // 14 tokens a sentence.
      assert.closeTo(yield* countTokens(prose.repeat(3_000), "openai-chat"), 42_000, 14_000)
      // Every one of these signs is a token.
      assert.closeTo(yield* countTokens("中".repeat(50_000), "openai-chat"), 50_000, 5_000)
      assert.strictEqual(yield* countTokens("word ".repeat(1_000).trim(), "openai-chat"), 1_000)
    })
  )

  it.live("never holds up the event loop, whatever the text", () =>
    Effect.gen(function* () {
      yield* countTokens("warm", "openai-chat")
      for (const text of ["a", " ", "中", "\n", "😀", "é"]) {
        const start = yield* Clock.currentTimeMillis
        yield* countTokens(text.repeat(300_000), "openai-chat")
        // It was 60 s for the Chinese one. The bound leaves room for a machine that is busy.
        assert.isBelow((yield* Clock.currentTimeMillis) - start, 1_000, JSON.stringify(text))
      }
    })
  )
})

describe("estimateUsage", () => {
  it.effect("counts recordings as audio, not as text", () =>
    Effect.gen(function* () {
      const part = { type: "input_audio", input_audio: { data: "A".repeat(8_000), format: "wav" } }
      const spoken = chatRequest({ messages: [{ role: "user", content: [part] }] })
      const usage = yield* estimateUsage(spoken, deployment("x/y"), "")
      assert.strictEqual(usage.audioInput, 25)
      assert.isAbove(usage.input, 0)
      assert.strictEqual((yield* estimateUsage(chatRequest(), deployment("x/y"), "")).audioInput, 0)
    })
  )
})

describe("countInput", () => {
  it.effect("counts four tokens for the frame of each message, and nothing between the texts", () =>
    Effect.gen(function* () {
      const messages = Array.from({ length: 200 }, () => ({ role: "user", content: "a" }))
      const fields = yield* countInput(chatRequest({ messages: [{ role: "user", content: "a" }] }), deployment("x/y"))
      assert.isAtMost(yield* countInput(chatRequest({ messages }), deployment("x/y")), 200 * 5 + fields)
    })
  )

  it.effect("counts messages, tools and formats, and never more than the bound", () =>
    Effect.gen(function* () {
      const plain = yield* countInput(chatRequest(), deployment("x/y"))
      const description = prose.repeat(20)
      const needs = [
        { tools: [{ type: "function", function: { name: "f", description } }] },
        { functions: [{ name: "f", description }] },
        { response_format: { type: "json_schema", json_schema: { description } } },
        { messages: [{ role: "user", content: description }] },
        // Words that name media elsewhere are words here.
        { tools: [{ type: "function", function: { parameters: { properties: { data: { description } } } } }] },
        { tools: [{ type: "function", function: { parameters: { data: description, file_data: description } } }] }
      ]
      for (const fields of needs) {
        const request = chatRequest(fields)
        const counted = yield* countInput(request, deployment("x/y"))
        assert.isAbove(counted, plain + 200, Object.keys(fields).join())
        assert.isAtMost(counted, request.textBound)
      }
    })
  )

  it.effect("counts media by their kind, not by their characters", () =>
    Effect.gen(function* () {
      const data = `data:image/png;base64,${"QUJD".repeat(5_000)}`
      const parts = [
        { type: "image_url", image_url: { url: data } },
        { type: "image_url", image_url: data }
      ]
      for (const part of parts) {
        const request = chatRequest({ messages: [{ role: "user", content: [part] }] })
        assert.isBelow(yield* countInput(request, deployment("x/y")), 4_200)
      }
      const file = { type: "file", file: { file_data: `data:application/pdf;base64,${"QUJD".repeat(2_000)}` } }
      const audio = { type: "input_audio", input_audio: { data: "QUJD".repeat(2_000), format: "wav" } }
      for (const part of [file, audio]) {
        const request = chatRequest({ messages: [{ role: "user", content: [part] }] })
        assert.isBelow(yield* countInput(request, deployment("x/y")), 1_150)
      }
    })
  )

  it.effect("makes usage of a request and of what came of it", () =>
    Effect.gen(function* () {
      const usage = yield* estimateUsage(chatRequest(), deployment("x/y"), "Hello, world!")
      assert.strictEqual(usage.output, 4)
      assert.isAbove(usage.input, 5)
      assert.deepStrictEqual(wireUsage({ ...noUsage, input: 1, cachedInput: 2, output: 4, reasoning: 8 }), {
        prompt_tokens: 3,
        completion_tokens: 12,
        total_tokens: 15,
        prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 0, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 8, audio_tokens: 0 }
      })
      assert.strictEqual(inputTokens(usage) + outputTokens(usage), totalTokens(usage))
    })
  )
})

describe("ProducedText", () => {
  it("gathers text, reasoning, refusals and tool calls, in order", () => {
    const produced = new ProducedText()
    produced.add(chunk({ reasoning_content: "hm " }))
    produced.add(chunk({ content: "one " }))
    assert.strictEqual(produced.all().text, "hm one ")
    produced.add(chunk({ tool_calls: [{ index: 0, function: { name: "f", arguments: "{}" } }] }))
    produced.add(chunk({ refusal: "no", content: null }, 1))
    produced.add(JSON.stringify({ choices: [] }))
    assert.strictEqual(produced.all().text, "hm one f{}no")
  })

  it("keeps answers of any length without losing anything", () => {
    const produced = new ProducedText()
    for (let i = 0; i < 20_000; i++) produced.add(chunk({ content: "0123456789" }))
    assert.strictEqual(produced.all().text.length, 200_000)
  })

  it("reads whole answers, and nothing from what is none", () => {
    const message = {
      choices: [{ message: { content: "a" } }, { message: { content: [{ type: "text", text: "b" }] } }]
    }
    assert.include(textOfChoices(message, "message"), "a")
    assert.include(textOfChoices(message, "message"), "b")
    for (const garbage of [null, 5, {}, { choices: 5 }, { choices: [null, 5, { message: null }, { message: 5 }] }]) {
      assert.strictEqual(textOfChoices(garbage, "message"), "")
    }
  })
})
