import { assert, describe, it } from "@effect/vitest"
import type { ProviderOptions } from "../../../src/core/domain/ProviderOptions.ts"
import { resolved } from "./Resolved.ts"

const RESOURCE = "https://my-resource.openai.azure.com"

const at = (model: string, given: Record<string, string> = {}, baseModel?: string) =>
  resolved("azure", model, {
    options: { shown: { resource: "my-resource", ...given }, secret: {} } satisfies ProviderOptions,
    deployment: baseModel === undefined ? {} : { baseModel }
  })

describe("Azure", () => {
  it("is called at its v1 API, or at a dated one with the deployment in the path", () => {
    assert.deepInclude(at("ours"), { baseUrl: `${RESOURCE}/openai/v1` })
    assert.isUndefined(at("ours").query)
    assert.deepInclude(at("our model", { api_version: "2024-10-21" }), {
      baseUrl: `${RESOURCE}/openai/deployments/our%20model`,
      query: "api-version=2024-10-21"
    })
  })

  it.each(["", "/", "/openai", "/openai/v1", "/openai/v1/"])("takes an endpoint with %j at its end", (end) => {
    assert.strictEqual(resolved("azure", "m", { baseUrl: `${RESOURCE}${end}` }).baseUrl, `${RESOURCE}/openai/v1`)
  })

  it("knows a model by its base model where the deployment's name hides it", () => {
    const hidden = at("production")
    assert.strictEqual(hidden.quirks?.outputLimit, "max_tokens")
    assert.isUndefined(hidden.price)
    const known = at("production", {}, "gpt-5-mini")
    assert.strictEqual(known.model, "production")
    assert.strictEqual(known.quirks?.outputLimit, "max_completion_tokens")
    assert.deepStrictEqual(known.quirks?.ranges?.["temperature"], [1, 1])
    assert.strictEqual(known.maxOutputTokens, 128_000)
    assert.strictEqual(known.price?.source, "catalogue")
    assert.strictEqual(known.bounds?.tokenizer, "o200k")
    // A deployment that is called as its model needs none.
    assert.strictEqual(at("gpt-5-mini").quirks?.outputLimit, "max_completion_tokens")
    assert.deepStrictEqual([...(at("vectors", {}, "text-embedding-3-small").operations ?? [])], ["embeddings"])
  })

  it("knows no prices of OpenAI's other tiers", () => {
    assert.isDefined(resolved("openai", "gpt-5").price?.serviceTiers)
    assert.isUndefined(at("gpt-5").price?.serviceTiers)
  })

  it("has Responses in v1 alone", () => {
    assert.isTrue(at("gpt-5").operations?.has("responses"))
    assert.isFalse(at("gpt-5", { api_version: "2024-10-21" }).operations?.has("responses"))
  })

  it("is not asked for the usage of a stream before it could tell", () => {
    assert.isTrue(at("gpt-4o", { api_version: "2024-02-01" }).quirks?.tellsNoStreamUsage)
    assert.isUndefined(at("gpt-4o", { api_version: "2024-10-21" }).quirks?.tellsNoStreamUsage)
    assert.isUndefined(at("gpt-4o").quirks?.tellsNoStreamUsage)
  })
})
