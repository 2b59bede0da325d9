/** What the vendors' files say of images, by the examples of the vendors' own pages. */
import { assert, describe, it } from "@effect/vitest"
import { factsOf } from "../support/CatalogueFacts.ts"
import { anthropicBounds } from "../../src/providers/vendors/AnthropicBounds.ts"
import { compatibleBounds } from "../../src/providers/vendors/CompatibleBounds.ts"
import { openAiBounds as boundsOf } from "../../src/providers/vendors/OpenAiBounds.ts"

const openAiBounds = (model: string) => boundsOf(model, factsOf("openai", model))
const size = (width: number, height: number) => ({ width, height })

/** At a server of which nothing is known. */
const elsewhere = (model: string) => compatibleBounds(model, factsOf("openai-compatible", model))

describe("openAiBounds", () => {
  it("counts tiles and patches as the guide does", () => {
    const tokens = (model: string, width: number, height: number, detail?: string) =>
      openAiBounds(model).image?.(size(width, height), detail)
    // https://developers.openai.com/api/docs/guides/images-vision
    assert.strictEqual(tokens("gpt-4o", 1024, 1024), 765)
    assert.strictEqual(tokens("gpt-4o", 2048, 4096), 1105)
    assert.strictEqual(tokens("gpt-4o", 4096, 8192, "low"), 85)
    assert.strictEqual(tokens("gpt-4o-mini", 1024, 1024), 25_501)
    assert.strictEqual(tokens("gpt-5", 1024, 1024), 70 + 4 * 140)
    assert.strictEqual(tokens("o3", 1024, 1024), 75 + 4 * 150)
    assert.strictEqual(tokens("o4-mini", 1024, 1024), Math.ceil(1024 * 1.72))
    assert.strictEqual(tokens("gpt-4.1-nano-2025-04-14", 1024, 1024), Math.ceil(1024 * 2.46))
    assert.strictEqual(tokens("ft:gpt-4o:org", 1024, 1024), 765)
    // The example has 1,452 patches: never fewer here.
    assert.isAtLeast(tokens("gpt-4.1-mini", 1800, 2400)!, Math.ceil(1452 * 1.62))
    assert.strictEqual(tokens("gpt-5.4", 3840, 2160, "original"), Math.ceil(120 * 68 * 1.2))
    assert.strictEqual(tokens("gpt-5.4", 3840, 2160), 3_000)
    assert.strictEqual(tokens("gpt-5.6", 3840, 2160), Math.ceil(120 * 68 * 1.2))
    assert.strictEqual(tokens("gpt-5.6-mini", 320, 320), 246)
  })

  it("knows the most that an image of any size can cost, where there is a most", () => {
    assert.strictEqual(openAiBounds("gpt-4o-mini").image?.(undefined, undefined), 2833 + 8 * 5667)
    assert.strictEqual(openAiBounds("gpt-5.6").image?.(undefined, "high"), 3_000)
    assert.isUndefined(openAiBounds("gpt-5.6").image?.(undefined, undefined))
    assert.isUndefined(openAiBounds("gpt-image-9").image)
    assert.isUndefined(openAiBounds("o3-mini").image)
  })

  it("knows how many tokens an image is written in, and the most where size or quality is open", () => {
    const written = (model: string, of?: string, quality?: string) => {
      const [width = 0, height = 0] = of?.split("x").map(Number) ?? []
      return openAiBounds(model).drawing?.image(of === undefined ? undefined : size(width, height), quality)
    }
    // https://developers.openai.com/api/docs/guides/image-generation, "Cost and latency"
    assert.strictEqual(written("gpt-image-1", "1024x1024", "low"), 272)
    assert.strictEqual(written("gpt-image-1", "1024x1536", "medium"), 1_584)
    assert.strictEqual(written("gpt-image-1", "1536x1024", "high"), 6_208)
    assert.strictEqual(written("gpt-image-1", "1536x1024"), 6_208)
    for (const quality of ["auto", "best"]) assert.strictEqual(written("gpt-image-1", undefined, quality), 6_240)
    // Published prices of one image, USD, rounded and with a short prompt, at the price of its tokens.
    for (const [model, usd, of, quality, perMillion] of [
      ["gpt-image-1", 0.167, "1024x1024", "high", 40],
      ["gpt-image-1-mini", 0.006, "1024x1536", "low", 8],
      ["gpt-image-1-mini", 0.052, "1536x1024", "high", 8],
      ["gpt-image-1.5", 0.133, "1024x1024", "high", 32],
      ["gpt-image-2", 0.211, "1024x1024", "high", 30]
    ] as const) {
      assert.isAtLeast(written(model, of, quality)! * perMillion, (usd - 0.001) * 1e6, `${model} ${quality}`)
    }
    // https://community.openai.com/t/1379464 read these off the vendor's calculator; the words come on top.
    for (const [of, tokens] of [
      ["1024x1024", 7_024],
      ["1536x1024", 5_488],
      ["1792x1024", 5_063],
      ["3584x2048", 12_329]
    ] as const) {
      assert.isAtLeast(written("gpt-image-2", of, "high")! - 2_000, tokens, of)
      assert.isBelow(written("gpt-image-2", of, "high")! - 2_000, tokens * 1.03, of)
      assert.isAtMost(written("gpt-image-2", of, "high")!, written("gpt-image-2")!)
    }
    assert.isUndefined(openAiBounds("gpt-image-9").drawing)
    assert.isUndefined(openAiBounds("dall-e-3").drawing)
    assert.strictEqual(elsewhere("openai/gpt-image-1").drawing?.image(undefined, undefined), 6_240)
  })

  it("is never below the sizes in between", () => {
    for (let width = 1; width < 5_000; width += 97) {
      for (let height = 1; height < 5_000; height += 89) {
        const scale = Math.min(1, 2048 / Math.max(width, height))
        const [w, h] = [width * scale, height * scale]
        const short = Math.min(1, 768 / Math.min(w, h))
        const billed = 85 + 170 * Math.ceil((w * short) / 512 - 1e-9) * Math.ceil((h * short) / 512 - 1e-9)
        assert.isAtLeast(openAiBounds("gpt-4o").image!(size(width, height), "high")!, billed, `${width} by ${height}`)
      }
    }
  })
})

describe("anthropicBounds", () => {
  it("counts blocks, and no more than the model sees", () => {
    const tokens = (model: string, width: number, height: number) =>
      anthropicBounds(factsOf("anthropic", model)).image?.(size(width, height), undefined)
    // https://platform.claude.com/docs/en/build-with-claude/vision
    assert.isAtLeast(tokens("claude-sonnet-4-5", 1092, 1092)!, 1_590)
    assert.strictEqual(tokens("claude-sonnet-4-5", 8000, 8000), 1_600)
    assert.isAtLeast(tokens("claude-opus-4-7", 1920, 1080)!, 2_691)
    assert.strictEqual(tokens("claude-opus-4-7", 3840, 2160), 4_784)
    assert.strictEqual(tokens("claude-sonnet-5", 3840, 2160), 4_784)
    for (const model of ["claude-3-haiku-20240307", "claude-opus-4-20250514", "claude-opus-4-1", "claude-sonnet-4-0"]) {
      assert.strictEqual(tokens(model, 8000, 8000), 1_600, model)
    }
    // Scaled down to its longest side first.
    assert.strictEqual(tokens("claude-opus-4-7", 8000, 200), 92 * 3)
    assert.strictEqual(tokens("claude-sonnet-4-5", 8000, 1), 56)
    // Newer than this list.
    assert.strictEqual(tokens("claude-novel-9", 8000, 8000), 4_784)
  })
})

describe("compatibleBounds", () => {
  it("knows families by their names, wherever they are served", () => {
    assert.strictEqual(elsewhere("google/gemini-3-pro-preview").image?.(size(9, 9), undefined), 2_240)
    assert.strictEqual(elsewhere("gemini-2.5-flash").image?.(size(960, 540), undefined), 7 * 258)
    assert.strictEqual(elsewhere("meta-llama/Llama-3.3-70B-Instruct").reasoning, "inside")
    for (const model of ["m", "deepseek-r1-distill-llama-70b", "qwen3-32b", "grok-4", "gpt-oss-120b"]) {
      assert.isUndefined(elsewhere(model).reasoning, model)
    }
    assert.strictEqual(factsOf("openai-compatible", "deepseek-chat").limits?.assumedOutput, 8_192)
    assert.isUndefined(factsOf("openai-compatible", "m").limits)
  })
})
