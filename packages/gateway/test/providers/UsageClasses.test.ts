/** Usage in classes that do not overlap: whatever a provider says, they add up to its total, and no class is below zero. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../src/core/domain/Json.ts"
import { inputTokens, isWhole, outputTokens, totalTokens } from "../../src/core/domain/Usage.ts"
import { AnthropicChat } from "../../src/providers/protocols/anthropic/AnthropicProtocol.ts"
import { OpenAiChat } from "../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { callOf as anthropicCall } from "./protocols/anthropic/Support.ts"
import { callOf, seeded } from "./protocols/openai/Support.ts"

const RUNS = 300

/** So many counts a time, often zero. */
const draws = (length: number): ReadonlyArray<ReadonlyArray<number>> => {
  const random = seeded(14)
  const count = () => (random() < 0.2 ? 0 : Math.floor(random() * 1_000_000))
  return Array.from({ length: RUNS }, () => Array.from({ length }, count))
}

const asked = { model: "m", messages: [{ role: "user", content: "Hi" }] }

const completion = (usage: JsonObject) =>
  JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      { index: 0, message: { role: "assistant", content: "Hi", refusal: null }, finish_reason: "stop", logprobs: null }
    ],
    usage
  })

const message = (usage: JsonObject) =>
  JSON.stringify({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    usage
  })

describe("classes of usage", () => {
  it("add up to what OpenAI counts, parts inside their wholes", () => {
    for (const [text = 0, cached = 0, audioIn = 0, output = 0, reasoning = 0, audioOut = 0] of draws(6)) {
      const prompt = text + cached + audioIn
      const completed = output + reasoning + audioOut
      const given = {
        prompt_tokens: prompt,
        completion_tokens: completed,
        total_tokens: prompt + completed,
        prompt_tokens_details: { cached_tokens: cached, audio_tokens: audioIn },
        completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: audioOut }
      }
      for (const vendor of ["openai", "openai-compatible"]) {
        const { usage } = Result.getOrThrow(OpenAiChat.lift(completion(given), callOf(asked, { vendor })))
        if (prompt + completed === 0) continue
        assert.isTrue(isWhole(usage!))
        assert.deepStrictEqual(
          [inputTokens(usage!), outputTokens(usage!), totalTokens(usage!)],
          [prompt, completed, prompt + completed]
        )
        assert.deepStrictEqual(
          [usage!.input, usage!.cachedInput, usage!.audioInput, usage!.output, usage!.reasoning, usage!.audioOutput],
          [text, cached, audioIn, output, reasoning, audioOut]
        )
      }
    }
  })

  it("are never below zero and never less than the total where a server's parts are larger than their wholes", () => {
    for (const [prompt = 0, completed = 0, cached = 0, reasoning = 0] of draws(4)) {
      const given = {
        prompt_tokens: prompt,
        completion_tokens: completed,
        total_tokens: prompt + completed,
        prompt_tokens_details: { cached_tokens: cached },
        completion_tokens_details: { reasoning_tokens: reasoning }
      }
      const lifted = OpenAiChat.lift(completion(given), callOf(asked, { vendor: "openai-compatible" }))
      const { usage } = Result.getOrThrow(lifted)
      if (usage === undefined) continue
      assert.isTrue(isWhole(usage))
      assert.isAtLeast(inputTokens(usage), prompt)
      assert.isAtLeast(outputTokens(usage), completed)
    }
  })

  it("add up at Anthropic, whose input leaves out what the cache held or took", () => {
    for (const [input = 0, read = 0, short = 0, long = 0, answer = 0, thoughts = 0] of draws(6)) {
      const output = answer + thoughts
      const { body, usage } = Result.getOrThrow(
        AnthropicChat.lift(
          message({
            input_tokens: input,
            cache_read_input_tokens: read,
            cache_creation_input_tokens: short + long,
            cache_creation: { ephemeral_5m_input_tokens: short, ephemeral_1h_input_tokens: long },
            output_tokens: output,
            output_tokens_details: { thinking_tokens: thoughts }
          }),
          anthropicCall(asked)
        )
      )
      if (usage === undefined) continue
      assert.isTrue(isWhole(usage))
      assert.deepStrictEqual(
        [usage.input, usage.cachedInput, usage.cacheWrite, usage.cacheWrite1h, usage.output, usage.reasoning],
        [input, read, short, long, output - thoughts, thoughts]
      )
      const told = body["usage"] as JsonObject
      assert.deepStrictEqual(
        [told["prompt_tokens"], told["completion_tokens"], told["total_tokens"]],
        [input + read + short + long, output, totalTokens(usage)]
      )
    }
  })
})
