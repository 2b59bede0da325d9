/** Every recorded embeddings exchange, and answers that are hard to read. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { JsonObject } from "../../../../../src/core/domain/Json.ts"
import { embeddings } from "../../../../../src/core/operations/embeddings/Embeddings.ts"
import type { CallRequest } from "../../../../../src/core/operations/CallRequest.ts"
import type { LiftedAnswer } from "../../../../../src/core/operations/LiftedAnswer.ts"
import type { UpstreamCall } from "../../../../../src/core/pool/Protocol.ts"
import { OpenAiEmbeddings } from "../../../../../src/providers/protocols/openai/embeddings/OpenAiEmbeddings.ts"
import { problemWith } from "../../../../support/OpenAiSchema.ts"
import { type Exchange, hasData, loadFamily, sayWhenMissing } from "../../../../support/Transcripts.ts"
import { callOf } from "../Support.ts"

sayWhenMissing("replay of embeddings recordings")

const native = loadFamily("openai.embeddings")
const others = [...loadFamily("azure.embeddings"), ...loadFamily("mistral.v1_embeddings")]

const requestOf = (value: JsonObject): CallRequest =>
  Result.getOrThrow(embeddings.read({ kind: "json", value, bytes: JSON.stringify(value).length }))

const callFor = (body: JsonObject, vendor: string): UpstreamCall => ({
  ...callOf(body, { vendor, model: String(body["model"]) }),
  operation: "embeddings",
  request: requestOf(body),
  maxOutput: 0
})

const liftRaw = OpenAiEmbeddings.liftRaw ?? assert.fail("vectors are lifted from bytes")

const lifted = (bytes: Uint8Array, call: UpstreamCall) => liftRaw({ contentType: "application/json", bytes }, call)

/** The whole answer as the caller's JSON parser reads it. */
const shown = ({ body, raw }: LiftedAnswer): JsonObject => ({
  ...body,
  data: JSON.parse(Buffer.from(raw?.bytes ?? []).toString())
})

const bodyOf = ({ request }: Exchange): JsonObject => request.body ?? {}
const jsonOf = ({ response }: Exchange): JsonObject => JSON.parse(Buffer.from(response.bytes).toString())

const floats = (vector: unknown): ReadonlyArray<number> => {
  if (typeof vector !== "string") return vector as ReadonlyArray<number>
  const bytes = Buffer.from(vector, "base64")
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}

describe.skipIf(!hasData)("recorded embeddings", () => {
  it("are there", () => {
    assert.deepStrictEqual([native.length, others.length], [12, 6])
  })

  it("requests to OpenAI leave as they came; those to others without `encoding_format`", () => {
    for (const exchange of [...native, ...others]) {
      const body = bodyOf(exchange)
      const sent = (vendor: string) => JSON.parse(Result.getOrThrow(OpenAiEmbeddings.lower(callFor(body, vendor))).body)
      assert.deepStrictEqual(sent("openai"), body, exchange.name)
      const { encoding_format: _, ...rest } = body
      assert.deepStrictEqual(sent("openai-compatible"), rest, exchange.name)
    }
  })

  it("answers of OpenAI come out as they are, and valid", () => {
    for (const exchange of native) {
      const answer = Result.getOrThrow(lifted(exchange.response.bytes, callFor(bodyOf(exchange), "openai")))
      const whole = jsonOf(exchange)
      assert.deepStrictEqual(shown(answer), whole, exchange.name)
      assert.isUndefined(problemWith("CreateEmbeddingResponse", shown(answer)), exchange.name)
      assert.strictEqual(answer.usage?.input, (whole["usage"] as { readonly prompt_tokens: number }).prompt_tokens)
    }
  })

  it("answers of others come out valid, in either format, with the same vectors", () => {
    let answered = 0
    for (const exchange of others) {
      for (const encoding_format of ["float", "base64"]) {
        const call = callFor({ ...bodyOf(exchange), encoding_format }, "openai-compatible")
        const result = lifted(exchange.response.bytes, call)
        if (exchange.response.status !== 200) {
          assert.isTrue(Result.isFailure(result))
          continue
        }
        const answer = shown(Result.getOrThrow(result))
        answered++
        assert.isUndefined(problemWith("CreateEmbeddingResponse", answer), exchange.name)
        const items = answer["data"] as ReadonlyArray<{ readonly embedding: unknown }>
        const told = jsonOf(exchange)["data"] as ReadonlyArray<{ readonly embedding: unknown }>
        for (const [at, { embedding }] of items.entries()) {
          assert.strictEqual(typeof embedding, encoding_format === "base64" ? "string" : "object")
          assert.deepStrictEqual(floats(embedding).map(Math.fround), floats(told[at]?.embedding).map(Math.fround))
        }
      }
    }
    assert.strictEqual(answered, 10)
  })

  it("an answer that was cut anywhere is none", () => {
    for (const exchange of [...native, ...others].filter(({ response }) => response.bytes.length < 60_000)) {
      const bytes = Buffer.from(exchange.response.bytes.toString().trimEnd() && exchange.response.bytes)
      const end = bytes.lastIndexOf("}")
      for (let at = 0; at < end; at += 997) {
        const result = lifted(bytes.subarray(0, at), callFor(bodyOf(exchange), "openai"))
        assert.isTrue(Result.isFailure(result), `${exchange.name} at ${at}`)
      }
    }
  })
})

describe("vectors in an answer", () => {
  const call = callFor({ model: "m", input: "Hi" }, "openai-compatible")
  const lift = (text: string) => Result.map(lifted(Buffer.from(text), call), shown)
  const ok = (text: string) => Result.getOrThrow(lift(text))["data"]

  it("are found wherever the key stands, and only there", () => {
    const item = { object: "embedding", index: 0, embedding: [1] }
    assert.deepStrictEqual(ok('{"data":[{"embedding" : [1] }]}'), [item])
    assert.deepStrictEqual(ok('{"x":"\\"embedding\\":[9]","data":[{"embedding":[1],"y":"embedding"}]}'), [
      { ...item, y: "embedding" }
    ])
    assert.deepStrictEqual(ok('{"data":[{"embedding":[1],"z":{"embedding":[2]}}]}'), [{ ...item, z: { embedding: 1 } }])
    assert.deepStrictEqual(ok('{"data":[{"index":1,"embedding":[-1.5e-3, 2]},{"index":0,"embedding":[]}]}'), [
      { object: "embedding", index: 1, embedding: [-0.0015, 2] },
      { object: "embedding", index: 0, embedding: [] }
    ])
  })

  it("escaped slashes of base64 are read", () => {
    const packed = Buffer.from(Float32Array.of(-1.9999, 1e-30).buffer).toString("base64")
    const escaped = JSON.stringify({ data: [{ embedding: packed }] }).replaceAll("/", "\\/")
    assert.deepStrictEqual(ok(escaped), [
      { object: "embedding", index: 0, embedding: [Math.fround(-1.9999), Math.fround(1e-30)] }
    ])
  })

  it("what is none is a failure", () => {
    for (const text of [
      "",
      "[]",
      "<html>",
      "{}",
      '{"data":[]}',
      '{"data":{}}',
      '{"data":[1]}',
      '{"data":[{}]}',
      '{"data":[{"embedding":0}]}',
      '{"data":[{"embedding":[0]},{"embedding":0}]}',
      '{"data":[{"embedding":[[1]]}]}',
      '{"data":[{"embedding":["a"]}]}',
      '{"data":[{"embedding":[null]}]}',
      '{"data":[{"embedding":"no base64"}]}',
      '{"data":[{"embedding":"AAAA"}]}',
      '{"data":[{"embedding":"AADAfw=="}]}',
      '{"error":{"message":"no"}}'
    ]) {
      assert.isTrue(Result.isFailure(lift(text)), text)
    }
  })

  it("a usage that can't be is none", () => {
    const usage = (told: unknown) =>
      Result.getOrThrow(lifted(Buffer.from(JSON.stringify({ data: [{ embedding: [1] }], usage: told })), call)).usage
    assert.strictEqual(usage({ prompt_tokens: 3, total_tokens: 5 })?.input, 5)
    assert.strictEqual(usage({ total_tokens: 5 })?.input, 5)
    for (const told of [null, {}, [], { prompt_tokens: 0 }, { prompt_tokens: -1 }, { prompt_tokens: "5" }]) {
      assert.isUndefined(usage(told))
    }
  })
})
