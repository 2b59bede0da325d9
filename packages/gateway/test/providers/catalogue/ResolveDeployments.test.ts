import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { costOf } from "../../../src/core/domain/pricing/Pricing.ts"
import type { ConfiguredTimeouts, DeploymentSettings, ProviderSettings } from "../../../src/core/domain/Settings.ts"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import { modelNotes } from "../../../../model-gateway/src/catalogue/Notes.ts"
import { startersOf } from "../../../../model-gateway/src/catalogue/Starters.ts"
import { shippedCatalogue } from "../../../src/providers/catalogue/facts/Shipped.ts"
import { resolveDeployments } from "../../../src/providers/catalogue/ResolveDeployments.ts"
import { registryOf } from "../../../src/providers/catalogue/ProviderRegistry.ts"
import { knownVendors } from "../../../src/providers/vendors/Vendors.ts"

const provider = (name: string, changes: Partial<ProviderSettings> = {}): ProviderSettings => ({
  name,
  vendor: name,
  protocol: "openai-chat",
  baseUrl: undefined,
  apiKeys: [],
  maxConnections: 4096,
  latencyMs: undefined,
  tokensPerSecond: undefined,
  ...changes
})

const deployment = (name: string, model: string, changes: Partial<DeploymentSettings> = {}): DeploymentSettings => ({
  id: `${name}/${model}`,
  provider: name,
  model,
  price: undefined,
  contextWindow: undefined,
  maxOutputTokens: undefined,
  weight: 1,
  priority: 0,
  maxInFlight: undefined,
  timeouts: { connect: 1, firstToken: 2, response: 3, idle: 3, total: 4 },
  supports: undefined,
  ...changes
})

const resolve = (settings: ProviderSettings, model: string, changes: Partial<DeploymentSettings> = {}) => {
  const all = resolveDeployments({ providers: [settings], deployments: [deployment(settings.name, model, changes)] })
  assert.strictEqual(all.length, 1)
  return all[0]!
}

const vendorNamed = (name: string) => registryOf().vendors.get(name)

const authOf = (name: string) => {
  const auth = vendorNamed(name)?.auth
  return auth?.kind === "static" ? auth.headers("k") : undefined
}

const million = { ...noUsage, input: 1_000_000, output: 1_000_000 }

describe("resolveDeployments", () => {
  it("fills a known vendor's endpoint, price, window and abilities", () => {
    const keys = [Redacted.make("k")]
    const it = resolve(provider("openai", { apiKeys: keys }), "gpt-5-mini")
    assert.strictEqual(it.vendor, "openai")
    assert.strictEqual(it.baseUrl, "https://api.openai.com/v1")
    assert.strictEqual(it.apiKeys, keys)
    assert.strictEqual(it.contextWindow, 400_000)
    assert.strictEqual(it.maxOutputTokens, 128_000)
    assert.strictEqual(costOf(it.price!, million, 0), 2_250_000_000)
    assert.sameMembers([...it.supports], ["chat", "stream", "tools", "json_schema", "images", "files", "reasoning"])
  })

  it("gives models that think in silence 300 s for the first token, others 60 s, unless it is configured", () => {
    const firstToken = (name: string, model: string, given?: number) =>
      resolve(provider(name), model, {
        timeouts: { connect: 1, firstToken: given, response: undefined, idle: 3, total: 900_000 }
      }).timeouts.firstToken
    for (const model of [
      "o3",
      "o4-mini",
      "gpt-5",
      "gpt-5-mini",
      "gpt-6",
      "deepseek/deepseek-r1",
      "qwq-32b",
      "kimi-k2-thinking"
    ]) {
      assert.strictEqual(firstToken("openai", model), 300_000, model)
    }
    for (const model of [
      "gpt-4o",
      "gpt-4.1-mini",
      "gpt-5-chat-latest",
      "claude-sonnet-4-5",
      "phi-3",
      "command-r1x",
      "llama-4-8b"
    ]) {
      assert.strictEqual(firstToken("openai", model), 60_000, model)
    }
    assert.strictEqual(firstToken("openai", "o3", 5_000), 5_000)
  })

  it("gives whole answers 120 s at least, those that may be thought about for longer as long, and none more than all of a call", () => {
    const response = (model: string, given: Partial<ConfiguredTimeouts> = {}) => {
      const timeouts = { connect: 1, firstToken: undefined, response: undefined, idle: 3, total: 900_000, ...given }
      return resolve(provider("openai"), model, { timeouts }).timeouts.response
    }
    assert.strictEqual(response("gpt-4o"), 120_000)
    assert.strictEqual(response("o3"), 300_000)
    assert.strictEqual(response("o3", { firstToken: 5_000 }), 120_000)
    assert.strictEqual(response("o3", { response: 7_000 }), 7_000)
    assert.strictEqual(response("o3", { total: 60_000 }), 60_000)
  })

  it("lets the configuration win", () => {
    const it = resolve(
      provider("spare", { vendor: "anthropic", protocol: "anthropic-messages", baseUrl: "https://eu.x/v1/" }),
      "claude-opus-5",
      {
        price: { input: 1, cachedInput: undefined, cacheWrite: undefined, output: 2, reasoning: undefined },
        contextWindow: 5,
        maxOutputTokens: 6,
        supports: ["chat"],
        weight: 3,
        priority: 2,
        maxInFlight: 9
      }
    )
    assert.strictEqual(it.vendor, "anthropic")
    assert.strictEqual(it.provider, "spare")
    assert.strictEqual(it.protocol, "anthropic-messages")
    assert.strictEqual(it.baseUrl, "https://eu.x/v1")
    assert.strictEqual(it.price?.source, "configuration")
    assert.strictEqual(costOf(it.price!, million, 0), 3_000_000_000)
    assert.deepStrictEqual(
      [it.contextWindow, it.maxOutputTokens, it.weight, it.priority, it.maxInFlight],
      [5, 6, 3, 2, 9]
    )
    assert.deepStrictEqual([...it.supports], ["chat"])
    assert.deepStrictEqual(it.timeouts, { connect: 1, firstToken: 2, response: 3, idle: 3, total: 4 })
  })

  it("assumes nothing of a server it does not know, but that it may do anything", () => {
    const it = resolve(provider("vllm", { vendor: undefined, baseUrl: "http://127.0.0.1:8000/v1" }), "gpt-4o")
    assert.strictEqual(it.vendor, "openai-compatible")
    assert.isUndefined(it.price)
    assert.isUndefined(it.contextWindow)
    assert.isUndefined(it.maxOutputTokens)
    assert.isTrue(it.supports.has("tools"))
    const other = resolve(
      provider("x", { vendor: undefined, protocol: "anthropic-messages", baseUrl: "http://x" }),
      "m"
    )
    assert.deepInclude(authOf(other.vendor), { "x-api-key": "k" })
  })

  it("prices every demo model, the faulty ones like the smallest", () => {
    const usd = (model: string) => costOf(resolve(provider("demo"), model).price!, million, 0) / 1e9
    assert.deepStrictEqual(["mini", "standard", "large", "reasoner", "flaky-2"].map(usd), [0.75, 2.5, 12.5, 25, 0.75])
    const it = resolve(provider("demo"), "mini")
    assert.deepStrictEqual([it.baseUrl, it.contextWindow, it.maxOutputTokens], ["demo:demo", 1_000_000, 16_384])
  })

  it("knows output limits by family, and says nothing of others", () => {
    const limit = (vendor: string, model: string) => resolve(provider(vendor), model).maxOutputTokens
    const expected: ReadonlyArray<readonly [string, string, number | undefined]> = [
      ["openai", "gpt-4o-mini", 16_384],
      ["openai", "gpt-4.1-nano", 32_768],
      ["openai", "o3", 100_000],
      ["openai", "gpt-5-chat-latest", 16_384],
      ["openai", "gpt-99", undefined],
      ["anthropic", "claude-haiku-4-5", 64_000],
      ["anthropic", "claude-opus-4-1", 32_000],
      ["anthropic", "claude-opus-4-6", 128_000],
      ["anthropic", "claude-sonnet-5", 128_000],
      ["anthropic", "claude-9", undefined]
    ]
    for (const [vendor, model, tokens] of expected) assert.strictEqual(limit(vendor, model), tokens, model)
  })

  it("sends no chat to models that have none, no images to models without eyes", () => {
    const supports = (model: string) => resolve(provider("openai"), model).supports
    assert.deepStrictEqual([...supports("text-embedding-3-small")], ["embeddings"])
    assert.deepStrictEqual([...supports("gpt-image-1")], ["stream"])
    for (const model of ["whisper-1", "omni-moderation-latest", "dall-e-3"]) {
      assert.strictEqual(supports(model).size, 0, model)
    }
    assert.isFalse(supports("gpt-3.5-turbo").has("images"))
    assert.isFalse(supports("gpt-4o").has("reasoning"))
    assert.isTrue(supports("gpt-4o-audio-preview").has("audio"))
    assert.isFalse(supports("gpt-4o").has("audio"))
  })
})

describe("a model for vectors", () => {
  const up = provider("up", { vendor: undefined })
  const seen = (model: string, changes: Partial<DeploymentSettings> = {}) => {
    const { operations, supports } = resolve(up, model, changes)
    return [[...(operations ?? [])], supports.has("embeddings"), supports.has("chat")]
  }

  it("is known by its name, or as the operator says: by its operations or by what it supports", () => {
    assert.deepStrictEqual(seen("bge-m3"), [["embeddings"], true, false])
    assert.deepStrictEqual(seen("clip-7"), [["chat"], false, true])
    assert.deepStrictEqual(seen("clip-7", { operations: ["embeddings"] }), [["embeddings"], true, true])
    assert.deepStrictEqual(seen("clip-7", { supports: ["embeddings"] }), [["embeddings"], true, false])
    assert.deepStrictEqual(seen("clip-7", { supports: ["chat", "embeddings"] }), [["chat", "embeddings"], true, true])
  })
})

describe("knownVendors", () => {
  it("can be found by name, and their starter models have prices", () => {
    for (const vendor of knownVendors) {
      assert.strictEqual(vendorNamed(vendor.name), vendor)
      // Of a vendor with none nobody here knows what it has to offer, or what that costs.
      const starters = startersOf(vendor.name)
      assert.isAtMost(starters.length, 4)
      for (const model of starters) {
        const found = resolve(provider(vendor.name, { protocol: vendor.protocol }), model)
        assert.isDefined(found.price, model)
        const notes = modelNotes([found], Date.parse(shippedCatalogue().made))
        assert.deepStrictEqual(
          notes.filter((note) => /shut|answered/.test(note)),
          [],
          model
        )
      }
    }
    const known = new Set(knownVendors.map(({ name }) => name))
    assert.deepStrictEqual(
      Object.keys(shippedCatalogue().file.starters ?? {}).filter((name) => !known.has(name)),
      []
    )
    assert.deepStrictEqual(startersOf("demo"), ["mini", "standard", "large", "reasoner"])
    assert.isUndefined(vendorNamed("nobody"))
  })

  it("authenticate as each wants it", () => {
    assert.deepStrictEqual(authOf("openai"), { authorization: "Bearer k" })
    assert.deepStrictEqual(authOf("anthropic"), { "x-api-key": "k" })
    assert.deepStrictEqual(authOf("demo"), {})
  })
})
