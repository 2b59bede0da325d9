/** The scripted provider's rules against the examples that vendors publish with them. */
import { assert, describe, it } from "@effect/vitest"
import { claude4, claude47 } from "./AnthropicRules.ts"
import { billOf, nothing } from "./Bill.ts"
import { patchTokens, tiled, tileTokens } from "./OpenAiRules.ts"
import { gemini } from "./OtherRules.ts"
import { type Plan, secondsOf, usedBy } from "./Plan.ts"
import { readingOf } from "./Reading.ts"
import { tokensByFactor, tokensIn } from "./Tokens.ts"

describe("OpenAI", () => {
  it("counts images in tiles", () => {
    const gpt4o = { base: 85, tile: 170 }
    assert.strictEqual(tileTokens(gpt4o, 1024, 1024, "high"), 765)
    assert.strictEqual(tileTokens(gpt4o, 2048, 4096, "high"), 1105)
    assert.strictEqual(tileTokens(gpt4o, 4096, 8192, "low"), 85)
    assert.strictEqual(tileTokens({ base: 2833, tile: 5667 }, 1024, 1024, "auto"), 25_501)
  })

  it("counts images in patches", () => {
    assert.strictEqual(patchTokens(1, 1024, 1024), 1024)
    assert.strictEqual(patchTokens(1, 1800, 2400), 1452)
    // What the vendor's own calculator says: https://community.openai.com/t/1281361.
    assert.strictEqual(patchTokens(1.62, 4000, 1474), 2348)
  })

  it("counts a conversation with what frames it, and a tool as text", () => {
    const text = "Hello there"
    const { input } = readingOf({ messages: [{ role: "user", content: text }] }, tiled(85, 170), new Map())
    assert.strictEqual(input, tokensIn(text) + 3 + 3)
    const tools = [{ type: "function", function: { name: "f" } }]
    const more = readingOf({ messages: [{ role: "user", content: text }], tools }, tiled(85, 170), new Map())
    assert.strictEqual(more.input - input, tokensIn(JSON.stringify(tools)))
  })
})

describe("Anthropic", () => {
  it("counts images in patches of 28 pixels, scaled down to what the model sees", () => {
    assert.strictEqual(claude4.image(1000, 1000, "auto"), 1334)
    assert.strictEqual(claude4.image(200, 200, "auto"), 64)
    assert.isAtMost(claude4.image(8000, 8000, "auto"), 1600)
    assert.strictEqual(claude47.image(8000, 8000, "auto"), 4784)
  })

  it("never counts more tokens than bytes", () => {
    assert.strictEqual(tokensByFactor("𒀭", 9), Buffer.byteLength("𒀭"))
  })
})

describe("Gemini", () => {
  it("counts images in tiles of 768, sound and pictures by the second", () => {
    assert.strictEqual(gemini.image(384, 384, "auto"), 258)
    assert.strictEqual(gemini.image(960, 540, "auto"), 6 * 258)
    assert.strictEqual(gemini.audio?.(60), 1920)
    assert.strictEqual(gemini.video?.(10), 2950)
  })
})

describe("A bill", () => {
  it("adds classes up and rounds once", () => {
    const used = { ...nothing, input: 3, cachedInput: 1, output: 2, searches: 1 }
    assert.strictEqual(billOf(used, { input: 0.25, cachedInput: 0.025, output: 2, search: 0.01 }), 10_004_775)
    assert.strictEqual(billOf({ ...nothing, cachedInput: 1 }, { input: 1, cachedInput: 0.0125, output: 1 }), 13)
  })

  it("of a stream that was cut holds what was thought and said by then", () => {
    const used = { ...nothing, input: 10, output: 300, reasoning: 100 }
    const plan: Plan = {
      tier: "default",
      used,
      thought: 100,
      said: 200,
      choices: 1,
      silent: 1,
      perSecond: 100,
      finish: "stop"
    }
    assert.strictEqual(secondsOf(plan), 4)
    assert.deepStrictEqual(usedBy(plan, 0.5), { ...used, output: 0, reasoning: 0 })
    assert.deepStrictEqual(usedBy(plan, 1.5), { ...used, output: 50, reasoning: 50 })
    assert.deepStrictEqual(usedBy(plan, 2.6), { ...used, output: 150, reasoning: 100 })
    assert.deepStrictEqual(usedBy(plan, 4), used)
  })
})
