import { assert, describe, it } from "@effect/vitest"
import { noUsage, totalTokens, type Usage } from "../../../../../src/core/domain/Usage.ts"
import { usageOf } from "../../../../../src/providers/protocols/openai/answer/OpenAiChatUsage.ts"
import { seeded } from "../Support.ts"

const expectUsage = (raw: unknown, expected: Partial<Usage>) =>
  assert.deepStrictEqual(usageOf(raw), { ...noUsage, ...expected })

describe("usageOf", () => {
  it("takes the parts out of the whole", () => {
    expectUsage(
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 60, audio_tokens: 10 },
        completion_tokens_details: { reasoning_tokens: 30, audio_tokens: 5, rejected_prediction_tokens: 3 }
      },
      { input: 30, cachedInput: 60, audioInput: 10, output: 15, reasoning: 30, audioOutput: 5 }
    )
  })

  it("knows how others spell cached input", () => {
    const base = { prompt_tokens: 10, completion_tokens: 1 }
    for (const variant of [
      { prompt_tokens_details: { cached_tokens: 4 } },
      { prompt_token_details: { cached_tokens: 4 } },
      { prompt_cache_hit_tokens: 4, prompt_cache_miss_tokens: 6 },
      { num_cached_tokens: 4 },
      { cached_tokens: 4, prompt_tokens_details: null }
    ]) {
      expectUsage({ ...base, ...variant }, { input: 6, cachedInput: 4, output: 1 })
    }
    expectUsage(
      { ...base, prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 5 } },
      { input: 1, cachedInput: 4, cacheWrite: 5, output: 1 }
    )
  })

  it("counts reasoning that comes on top of the completion", () => {
    expectUsage(
      {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        completion_tokens_details: { reasoning_tokens: 94 }
      },
      { input: 32, output: 9, reasoning: 94 }
    )
    expectUsage({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 40 }, { input: 10, output: 5, reasoning: 25 })
  })

  it("knows audio of the prompt that is counted beside it", () => {
    const details = { prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 } }
    const voxtral = { prompt_tokens: 9, completion_tokens: 248, total_tokens: 632, ...details }
    expectUsage(voxtral, { input: 9, audioInput: 375, output: 248 })
    expectUsage({ ...voxtral, total_tokens: 640 }, { input: 9, audioInput: 375, output: 248, reasoning: 8 })
    expectUsage({ ...voxtral, prompt_tokens: 384 }, { input: 9, audioInput: 375, output: 248 })
    expectUsage({ ...voxtral, prompt_tokens: 400, total_tokens: 1023 }, { input: 400, audioInput: 375, output: 248 })
  })

  it("tells writes to a cache for twelve hours from those for the usual lifetime", () => {
    const written = { cache_write_tokens: 8, cache_write_tokens_details: { ttl_12h_tokens: 5 } }
    const base = { prompt_tokens: 10, completion_tokens: 1 }
    expectUsage({ ...base, prompt_tokens_details: written }, { input: 2, cacheWrite: 3, cacheWrite12h: 5, output: 1 })
  })

  it("counts seconds of recordings beside the tokens of text", () => {
    expectUsage(
      { prompt_tokens: 10, completion_tokens: 1, prompt_audio_seconds: 7 },
      { input: 10, output: 1, audioSeconds: 7 }
    )
  })

  it("is unknown where only the input was told, unless there is no output", () => {
    assert.isUndefined(usageOf({ prompt_tokens: 10 }))
    assert.isUndefined(usageOf({ prompt_tokens: 10, completion_tokens: null }))
    assert.deepStrictEqual(usageOf({ prompt_tokens: 10 }, true), { ...noUsage, input: 10 })
    expectUsage({ prompt_tokens: 10, total_tokens: 10 }, { input: 10 })
  })

  it("is undefined where nothing was told", () => {
    for (const raw of [
      null,
      undefined,
      "x",
      [],
      {},
      { total_tokens: 0 },
      { prompt_tokens: "9" },
      { prompt_tokens: -1 },
      { prompt_tokens: 1e300, completion_tokens: 1 },
      { prompt_tokens: -1, completion_tokens: 1 },
      { prompt_tokens: 1, completion_tokens: "1000" }
    ]) {
      assert.isUndefined(usageOf(raw), JSON.stringify(raw))
    }
  })

  it("is never negative and always sums to the total, whatever the parts claim", () => {
    const random = seeded(3)
    const any = () => [0, 1, 7, 1000, -5, 2.5, Number.NaN, 1e300, null, "3"][Math.floor(random() * 10)]
    for (let round = 0; round < 5000; round++) {
      const prompt = Math.floor(random() * 50)
      const completion = 1 + Math.floor(random() * 50)
      const usage = usageOf({
        prompt_tokens: prompt,
        completion_tokens: completion,
        total_tokens: prompt + completion,
        prompt_tokens_details: { cached_tokens: any(), audio_tokens: any(), cache_write_tokens: any() },
        completion_tokens_details: { reasoning_tokens: any(), audio_tokens: any() }
      })!
      assert.strictEqual(totalTokens(usage), prompt + completion)
      assert.isTrue(Object.values(usage).every((tokens) => Number.isInteger(tokens) && tokens >= 0))
    }
  })
})
