import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { GeminiImages } from "../../../../src/providers/protocols/gemini/images/GeminiImages.ts"
import { factsOf } from "../../../support/CatalogueFacts.ts"
import { googleBounds } from "../../../../src/providers/vendors/google/GoogleBounds.ts"
import { callOf, lifted, response, streamed, type CallChanges, deltasOf, type Sent } from "./Support.ts"

const model = "gemini-3.1-flash-image"
const call = (body: JsonObject, aim: CallChanges = {}) =>
  callOf({ prompt: "a cat", ...body }, { model, bounds: googleBounds(factsOf("google-ai-studio", model)), ...aim })
const wire = (body: JsonObject = {}, aim?: CallChanges) => Result.getOrThrow(GeminiImages.lower(call(body, aim)))
const config = (body: JsonObject, aim?: CallChanges) =>
  (JSON.parse(wire(body, aim).body) as Sent)["generationConfig"] as Sent
const refused = (body: JsonObject, aim?: CallChanges) =>
  Result.getOrThrow(Result.flip(GeminiImages.lower(call(body, aim))))
const png = { inlineData: { mimeType: "image/png", data: "iVBOR" } }

describe("an image", () => {
  it("is asked for with its shape and resolution, and written in no more tokens than are held", () => {
    assert.strictEqual(wire().path, `/models/${model}:generateContent`)
    assert.strictEqual(wire({ stream: true }).path, `/models/${model}:generateContent`)
    assert.deepStrictEqual(config({ size: "2048x1152" })["imageConfig"], { aspectRatio: "16:9", imageSize: "2K" })
    assert.deepStrictEqual(config({ size: "1024x1024" }, { model: "gemini-2.5-flash-image" })["imageConfig"], {
      aspectRatio: "1:1"
    })
    assert.notProperty(config({}), "imageConfig")
    const held = googleBounds(factsOf("google-ai-studio", model)).drawing!
    assert.strictEqual(config({})["maxOutputTokens"], held.image(undefined, undefined))
    assert.strictEqual(
      config({ size: "4096x4096" })["maxOutputTokens"],
      held.image({ width: 4096, height: 4096 }, undefined)
    )
  })

  it("of a shape that there is not is the nearest, and said to be", () => {
    assert.deepStrictEqual(wire({ size: "1024x1792" }).dropped, ["size"])
    assert.deepStrictEqual(config({ size: "1024x1792" })["imageConfig"].aspectRatio, "9:16")
    assert.deepStrictEqual(wire({ quality: "hd", background: "auto" }).dropped, ["quality"])
    assert.strictEqual(refused({ size: "large" }).param, "size")
    assert.strictEqual(refused({ size: "1024x1792" }, { strict: true }).param, "size")
    assert.strictEqual(refused({ n: 2 }).param, "n")
    assert.strictEqual(refused({}, { model: "gemini-2.5-flash" }).param, "model")
  })

  it("comes as base64 or as a data URL, with its tokens", () => {
    const usageMetadata = {
      promptTokenCount: 10,
      candidatesTokenCount: 1_120,
      thoughtsTokenCount: 300,
      totalTokenCount: 1_430,
      candidatesTokensDetails: [{ modality: "IMAGE", tokenCount: 1_120 }]
    }
    const draft = { ...png, thought: true }
    const text = JSON.stringify(response([draft, png], "STOP", { usageMetadata }))
    const { body, usage } = Result.getOrThrow(GeminiImages.lift(text, call({})))
    assert.deepStrictEqual(body["data"], [{ b64_json: "iVBOR" }])
    assert.deepStrictEqual([usage!.imageOutput, usage!.reasoning], [1_120, 300])
    const other = Result.getOrThrow(GeminiImages.lift(text, call({ response_format: "url" })))
    assert.deepStrictEqual(other.body["data"], [{ url: "data:image/png;base64,iVBOR" }])
  })

  it("that was not made is a failure: the request's where a rule forbids it", () => {
    const why = (reason: string) =>
      Result.getOrThrow(Result.flip(GeminiImages.lift(JSON.stringify(response([], reason)), call({})))).class
    assert.strictEqual(why("IMAGE_SAFETY"), "content_filter")
    assert.strictEqual(why("NO_IMAGE"), "truncated")
    assert.strictEqual(why("STOP"), "truncated")
  })
})

describe("an image in a chat", () => {
  it("is in `images` of the message and of a delta", () => {
    const image = { type: "image_url", index: 0, image_url: { url: "data:image/png;base64,iVBOR" } }
    const parts = [{ text: "Here:" }, png]
    const { body } = lifted(response(parts, "STOP"))
    assert.deepStrictEqual((body as Sent)["choices"][0].message.images, [image])
    assert.deepInclude(deltasOf(streamed([response(parts, "STOP")])), { images: [image] })
  })
})
