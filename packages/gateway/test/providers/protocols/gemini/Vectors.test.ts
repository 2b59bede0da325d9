import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../src/core/domain/Json.ts"
import { GeminiEmbeddings } from "../../../../src/providers/protocols/gemini/embeddings/GeminiEmbeddings.ts"
import { callOf, type CallChanges } from "./Support.ts"

const call = (body: JsonObject, aim: CallChanges = {}) => callOf(body, { model: "gemini-embedding-001", ...aim })
const wire = (body: JsonObject, aim?: CallChanges) => {
  const { body: text, path } = Result.getOrThrow(GeminiEmbeddings.lower(call(body, aim)))
  return [path, JSON.parse(text) as unknown] as const
}
const refused = (body: JsonObject, aim?: CallChanges) =>
  Result.getOrThrow(Result.flip(GeminiEmbeddings.lower(call(body, aim))))
const lift = (answer: unknown, body: JsonObject) => GeminiEmbeddings.lift(JSON.stringify(answer), call(body))

describe("vectors", () => {
  it("are asked for in a batch, as predictions, or one at a time", () => {
    assert.deepStrictEqual(wire({ input: ["a", "b"], dimensions: 64 }), [
      "/models/gemini-embedding-001:batchEmbedContents",
      {
        requests: ["a", "b"].map((text) => ({
          model: "models/gemini-embedding-001",
          content: { parts: [{ text }] },
          outputDimensionality: 64
        }))
      }
    ])
    assert.deepStrictEqual(wire({ input: "a", dimensions: 64 }, { quirks: { embeds: "predict" } }), [
      "/models/gemini-embedding-001:predict",
      { instances: [{ content: "a" }], parameters: { outputDimensionality: 64 } }
    ])
    assert.deepStrictEqual(wire({ input: "a" }, { quirks: { embeds: "one" } }), [
      "/models/gemini-embedding-001:embedContent",
      { content: { parts: [{ text: "a" }] } }
    ])
  })

  it("of tokens, or of more texts than go into a request, are refused", () => {
    assert.include(refused({ input: [1, 2] }).message, "not tokens")
    assert.include(refused({ input: Array.from({ length: 101 }, () => "a") }).message, "at most 100")
    assert.include(refused({ input: ["a", "b"] }, { quirks: { embeds: "one" } }).message, "at most 1 text")
    assert.strictEqual(refused({ input: "a", novel: 1 }, { strict: true }).param, "novel")
  })

  it("come as numbers or packed, with the tokens that Google tells", () => {
    const answer = { embeddings: [{ values: [0.5, -1] }, { values: [1, 2] }], usageMetadata: { promptTokenCount: 7 } }
    const { body, raw, usage } = Result.getOrThrow(lift(answer, { input: ["a", "b"] }))
    assert.strictEqual(usage?.input, 7)
    assert.deepStrictEqual(body["usage"], { prompt_tokens: 7, total_tokens: 7 })
    assert.deepStrictEqual(JSON.parse(Buffer.from(raw!.bytes).toString()), [
      { object: "embedding", index: 0, embedding: [0.5, -1] },
      { object: "embedding", index: 1, embedding: [1, 2] }
    ])
    const predicted = {
      predictions: [{ embeddings: { values: [0.5, -1], statistics: { token_count: 3, truncated: false } } }]
    }
    const packed = Result.getOrThrow(lift(predicted, { input: "a", encoding_format: "base64" }))
    assert.strictEqual(packed.usage?.input, 3)
    const [{ embedding }] = JSON.parse(Buffer.from(packed.raw!.bytes).toString()) as [{ embedding: string }]
    const bytes = Buffer.from(embedding, "base64")
    assert.deepStrictEqual([bytes.readFloatLE(0), bytes.readFloatLE(4)], [0.5, -1])
    assert.isTrue(Result.isSuccess(lift({ embedding: { values: [1] } }, { input: "a" })))
  })

  it("that are too few, or none, are a failure", () => {
    for (const answer of [
      {},
      { embeddings: [] },
      { embeddings: [{ values: [1] }] },
      { embeddings: [{ values: "x" }, { values: [1] }] },
      { error: { code: 503, status: "UNAVAILABLE", message: "no" } }
    ]) {
      assert.isTrue(Result.isFailure(lift(answer, { input: ["a", "b"] })))
    }
  })
})
