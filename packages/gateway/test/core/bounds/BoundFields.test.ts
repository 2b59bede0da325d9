/** Which fields of a request are known, by operation and vendor: what is documented and what was recorded passes unchanged. */
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { knownFields } from "../../../src/core/bounds/BoundFields.ts"
import type { JsonObject } from "../../../src/core/domain/Json.ts"
import type { CallRequest } from "../../../src/core/operations/CallRequest.ts"
import { dataFolder, families, hasData, loadFamily, sayWhenMissing } from "../../support/Transcripts.ts"

sayWhenMissing("known fields against recorded requests")

const removed = (body: JsonObject, operation: string, vendor: string) =>
  knownFields({ body } as CallRequest, operation, vendor).removed

/** The recorded families whose requests callers can send in the same words. */
const recorded: ReadonlyArray<readonly [family: string, operation: string]> = [
  ...families("openai.chat", "azure.chat", "groq.chat", "xai.chat", "deepseek.chat", "openrouter.chat").map(
    (family) => [family, "chat"] as const
  ),
  ...families("huggingface.chat", "cerebras.chat", "crusoe.chat", "together.chat", "zai.chat", "snowflake.chat").map(
    (family) => [family, "chat"] as const
  ),
  ...families("openai.responses", "azure.responses", "deepseek.responses", "openrouter.v1_responses").map(
    (family) => [family, "responses"] as const
  ),
  ...families("anthropic.messages").map((family) => [family, "messages"] as const),
  ...families("openai.completions", "together.v1_completions").map((family) => [family, "completions"] as const),
  ...families("openai.embeddings", "azure.embeddings").map((family) => [family, "embeddings"] as const),
  ...families("openai.images").map((family) => [family, "images"] as const),
  ...families("openai.moderations").map((family) => [family, "moderations"] as const)
]

/** Places where documented fields are removed on purpose: nothing says what they cost, or they are served elsewhere. */
const UNBOUNDED = /^(?:thread|__raw__)\b/

describe.skipIf(!hasData)("requests that were recorded", () => {
  for (const [family, operation] of recorded) {
    it(`passes ${family} unchanged`, () => {
      const vendor = family.slice(0, family.indexOf("."))
      const lost = loadFamily(family).flatMap(({ name, request: { body } }) =>
        body === undefined
          ? []
          : removed(body, operation, vendor)
              .filter((field) => !UNBOUNDED.test(field))
              .map((field) => `${name}: ${field}`)
      )
      assert.deepStrictEqual(lost, [])
    })
  }
})

interface Schema {
  readonly $ref?: string
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly [combined: string]: unknown
}

describe.skipIf(!hasData)("OpenAI's API description", () => {
  const schemas = hasData
    ? (
        JSON.parse(readFileSync(join(dataFolder, "openai-openapi.json"), "utf8")) as {
          readonly components: { readonly schemas: { readonly [name: string]: Schema } }
        }
      ).components.schemas
    : {}

  /** The names of all fields that a request may have there. */
  const fieldsOf = (schema: Schema): ReadonlyArray<string> => {
    if (schema.$ref !== undefined) return fieldsOf(schemas[schema.$ref.split("/").at(-1)!]!)
    const combined = ["allOf", "anyOf", "oneOf"].flatMap((name) => (schema[name] ?? []) as ReadonlyArray<Schema>)
    return [...Object.keys(schema.properties ?? {}), ...combined.flatMap(fieldsOf)]
  }

  for (const [name, operation] of [
    ["CreateChatCompletionRequest", "chat"],
    ["CreateResponse", "responses"],
    ["CreateCompletionRequest", "completions"],
    ["CreateEmbeddingRequest", "embeddings"],
    ["CreateImageRequest", "images"],
    ["CreateImageEditRequest", "image_edits"],
    ["CreateTranscriptionRequest", "transcriptions"],
    ["CreateSpeechRequest", "speech"],
    ["CreateModerationRequest", "moderations"]
  ] as const) {
    it(`has no field for ${operation} that is not known`, () => {
      const body = Object.fromEntries(fieldsOf(schemas[name]!).map((field) => [field, {}]))
      assert.deepStrictEqual(removed(body, operation, "openai"), [])
    })
  }
})

describe("fields that are not known", () => {
  it("are removed wherever they stand, and everything else stays as it is", () => {
    const tool = { type: "function", function: { name: "f", parameters: { colour: 1 }, colour: 1 }, colour: 1 }
    const part = { type: "text", text: "Hi", colour: 1, cache_control: { type: "ephemeral", ttl: "24h" } }
    const body = {
      model: "m",
      colour: { a: 1 },
      nothing: null,
      metadata: { colour: 1 },
      messages: [
        { role: "user", content: [part, part], colour: 1 },
        { role: "user", content: "Hi" }
      ],
      tools: [tool]
    }
    const known = knownFields({ body } as unknown as CallRequest, "chat", "openai")
    assert.deepStrictEqual(known.removed, [
      "colour",
      "messages[].content[].colour",
      "messages[].content[].cache_control.ttl",
      "messages[].colour",
      "tools[].function.colour",
      "tools[].colour"
    ])
    const kept = { type: "text", text: "Hi", cache_control: { type: "ephemeral" } }
    assert.deepStrictEqual(known.request.body, {
      model: "m",
      nothing: null,
      metadata: { colour: 1 },
      messages: [
        { role: "user", content: [kept, kept] },
        { role: "user", content: "Hi" }
      ],
      tools: [{ type: "function", function: { name: "f", parameters: { colour: 1 } } }]
    })
    assert.strictEqual((known.request.body["messages"] as ReadonlyArray<unknown>)[1], body.messages[1])
  })

  it("belong to a vendor: routing is OpenRouter's alone", () => {
    const body = { provider: { only: ["a"], colour: 1 }, models: ["b"] }
    assert.deepStrictEqual(removed(body, "chat", "openrouter"), ["provider.colour"])
    assert.deepStrictEqual(removed(body, "chat", "together"), ["provider"])
  })

  it("are named at most 32 at once, so that a caller can't fill the headers of its answer", () => {
    const body = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`${"x".repeat(500)}${index}`, 1]))
    const names = removed(
      { ...body, ...Object.fromEntries([...Array(100).keys()].map((n) => [`f${n}`, 1])) },
      "chat",
      "openai"
    )
    assert.isAtMost(names.length, 32)
    assert.isTrue(names.every((name) => name.length <= 128))
  })

  it("has values, too: a speed or a place that nobody knows is removed", () => {
    const messages = (body: JsonObject) => removed(body, "messages", "anthropic")
    assert.deepStrictEqual(messages({ speed: "fast", inference_geo: "us" }), [])
    assert.deepStrictEqual(messages({ speed: "turbo", inference_geo: "eu" }), ["speed", "inference_geo"])
    assert.deepStrictEqual(messages({ speed: ["fast"] }), ["speed"])
  })

  it("don't matter for an operation that an embedder adds", () => {
    const request = { body: { colour: 1 } } as unknown as CallRequest
    assert.strictEqual(knownFields(request, "echo", "openai").request, request)
  })
})
