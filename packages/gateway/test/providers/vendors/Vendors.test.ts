import { assert, describe, it } from "@effect/vitest"
import { filledIn } from "../../../src/providers/catalogue/ResolveDeployments.ts"
import type { ProviderOptions } from "../../../src/core/domain/ProviderOptions.ts"
import { registryOf } from "../../../src/providers/catalogue/ProviderRegistry.ts"
import { vendorRow } from "../../../../model-gateway/src/catalogue/VendorTable.ts"
import { writtenVendors } from "../../../src/providers/vendors/CompatibleVendors.ts"
import { knownVendors } from "../../../src/providers/vendors/Vendors.ts"
import { recordedFamilies } from "../../conformance/Families.ts"
import { resolved } from "./Resolved.ts"

const shown = (given: Record<string, string>): ProviderOptions => ({ shown: given, secret: {} })

describe("every vendor", () => {
  it.each(knownVendors.map((vendor) => [vendor.name, vendor] as const))("%s says what it is", (name, vendor) => {
    assert.match(name, /^[a-z][a-z0-9-]*$/)
    for (const { read, url } of vendor.sources ?? []) {
      assert.match(read, /^20\d\d-\d\d-\d\d$/)
      assert.strictEqual(new URL(url).protocol, "https:")
    }
    if (vendor.standing !== undefined && name !== "demo") assert.isNotEmpty(vendor.sources, "where was that read?")
    // What its address names can be configured.
    for (const [, setting] of vendor.baseUrl.matchAll(/\{(\w+)\}/g)) {
      assert.include(
        (vendor.settings ?? []).map((one) => one.name),
        setting
      )
    }
    const values = Object.fromEntries((vendor.settings ?? []).map((setting) => [setting.name, "x"]))
    const address = filledIn(vendor, shown(values))
    if (address !== "") assert.isNotNull(URL.parse(address), address)
    assert.notInclude(address, "{")
    assert.isNotEmpty(vendorRow(vendor, registryOf()).native)
  })

  it("has only facts that the gateway reads", () => {
    const read = new Set(
      (
        "about title baseUrl apiKeyVariable isSelfHosted settings standing read sources notes serves usual messages " +
        "billsAfterDisconnect quirks refusesOthers lacks bounds assumedRate modelList why"
      ).split(" ")
    )
    for (const [name, facts] of Object.entries(writtenVendors)) {
      const unread = [...Object.keys(facts), ...Object.keys(facts.why ?? {})].filter((fact) => !read.has(fact))
      assert.deepStrictEqual(unread, [], name)
    }
  })

  it("is called recorded only where its traffic is replayed", () => {
    const replayed = new Set(recordedFamilies.map(({ vendor }) => vendor))
    // Ollama's is replayed as that of any compatible server.
    const others = knownVendors.filter(({ name, standing }) => standing === "recorded" && name !== "ollama")
    assert.deepStrictEqual(
      others.flatMap(({ name }) => (replayed.has(name) ? [] : [name])),
      []
    )
  })

  it("has one meaning for a setting that others have too", () => {
    const meanings = new Map<string, boolean>()
    for (const { name, isSecret = false } of knownVendors.flatMap(({ settings = [] }) => settings)) {
      assert.strictEqual(meanings.get(name) ?? isSecret, isSecret, name)
      meanings.set(name, isSecret)
    }
  })
})

describe("what a vendor serves", () => {
  it("depends on the kind of model, and on what the vendor has", () => {
    const operations = (vendor: string, model: string) => [...(resolved(vendor, model).operations ?? [])]
    assert.deepStrictEqual(operations("groq", "openai/gpt-oss-120b"), ["chat"])
    assert.deepStrictEqual(operations("groq", "whisper-large-v3"), ["transcriptions", "translations"])
    assert.deepStrictEqual(operations("groq", "nomic-embed-text"), [])
    assert.deepStrictEqual(operations("together", "meta-llama/Llama-3.3-70B"), ["chat", "completions"])
    assert.deepStrictEqual(operations("together", "black-forest-labs/FLUX.1"), ["images"])
    assert.deepStrictEqual(operations("perplexity", "openai/gpt-5.5"), ["responses"])
    assert.deepStrictEqual(operations("vllm", "BAAI/bge-m3"), ["embeddings"])
  })
})

describe("images", () => {
  it("are refused by nobody but who is known not to see: not by old vision models, nor by models of which nothing is known", () => {
    for (const [vendor, model, sees = true] of [
      ["openai", "gpt-4-vision-preview"],
      ["openai", "gpt-4-turbo-2024-04-09"],
      ["azure", "gpt-4-vision-preview"],
      ["groq", "llama-3.2-11b-vision-preview"],
      ["xai", "grok-2-vision-1212"],
      ["together", "meta-llama/Llama-3.2-90B-Vision-Instruct-Turbo"],
      ["openrouter", "somebody/something-new"],
      ["vllm", "ours"],
      ["deepseek", "deepseek-chat", false],
      ["openai", "gpt-3.5-turbo", false]
    ] as const) {
      assert.strictEqual(resolved(vendor, model).supports.has("images"), sees, `${vendor}/${model}`)
    }
  })
})

describe("an address with settings in it", () => {
  it("is filled in, and gives way to a configured one", () => {
    assert.strictEqual(
      resolved("cloudflare", "@cf/meta/llama", { options: shown({ account_id: "abc123" }) }).baseUrl,
      "https://api.cloudflare.com/client/v4/accounts/abc123/ai/v1"
    )
    assert.strictEqual(
      resolved("snowflake", "claude-sonnet-4-6", { options: shown({ account: "org-acc" }) }).baseUrl,
      "https://org-acc.snowflakecomputing.com/api/v2/cortex/v1"
    )
    assert.strictEqual(resolved("cloudflare", "m", { baseUrl: "http://10.0.0.1/v1" }).baseUrl, "http://10.0.0.1/v1")
  })
})
