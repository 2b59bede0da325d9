import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { starterConfig } from "../../src/configuration/Starter.ts"
import { masterKey, parse, vendors } from "../../../gateway/test/config/Support.ts"

const started = (environment: Readonly<Record<string, string>>, key = masterKey, known = vendors) => {
  const text = starterConfig({ masterKey: key, vendors: known, environment })
  return { text, settings: Result.getOrThrowWith(parse(text, { environment }), (invalid) => invalid) }
}

const ids = (environment: Readonly<Record<string, string>>) =>
  started(environment).settings.deployments.map((one) => one.id)

describe("starterConfig", () => {
  it("has a provider and deployments for every vendor whose key is there, and not the key", () => {
    const { settings, text } = started({ OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2", OTHER: "x" })
    assert.deepStrictEqual(
      settings.providers.map((one) => one.name),
      ["openai", "anthropic"]
    )
    assert.deepStrictEqual(
      settings.deployments.map((one) => one.id),
      [
        "openai/gpt-5-nano",
        "openai/gpt-5-mini",
        "openai/gpt-5",
        "anthropic/claude-haiku-4-5",
        "anthropic/claude-sonnet-4-5"
      ]
    )
    assert.notInclude(text, "sk-1")
    assert.strictEqual(Redacted.value(settings.masterKey), masterKey)
  })

  it("fills the four buckets from each vendor's models, the last one going on upwards", () => {
    const { router } = started({ OPENAI_API_KEY: "sk-1", ANTHROPIC_API_KEY: "sk-2" }).settings
    assert.deepStrictEqual(router, {
      buckets: [
        { name: "simple", deployments: ["openai/gpt-5-nano", "anthropic/claude-haiku-4-5"] },
        { name: "standard", deployments: ["openai/gpt-5-mini", "anthropic/claude-sonnet-4-5"] },
        { name: "complex", deployments: ["openai/gpt-5", "anthropic/claude-sonnet-4-5"] },
        { name: "reasoning", deployments: ["openai/gpt-5", "anthropic/claude-sonnet-4-5"] }
      ],
      cutPoints: [0.35, 0.65, 0.85],
      preferShift: 0.15,
      model: undefined,
      shadow: false
    })
  })

  it("falls back to the demo vendor where no key is there, or only an empty one", () => {
    const demo = ["demo/mini", "demo/standard", "demo/large", "demo/reasoner"]
    assert.deepStrictEqual(ids({}), demo)
    assert.deepStrictEqual(ids({ OPENAI_API_KEY: "" }), demo)
  })

  it("works with the key of any one vendor", () => {
    for (const vendor of vendors) {
      if (vendor.apiKeyVariable === undefined) continue
      assert.isTrue(ids({ [vendor.apiKeyVariable]: "sk-1" }).every((id) => id.startsWith(`${vendor.name}/`)))
    }
  })

  it("quotes model names and master keys that YAML would read as something else", () => {
    const known = vendors.map((vendor) => ({ ...vendor, starterModels: ["llama3:8b", "a, b", "x #1"] }))
    const key = `${masterKey}\${NAME}"\\`
    const { settings } = started({}, key, known)
    assert.deepStrictEqual(
      settings.deployments.map((one) => one.model),
      ["llama3:8b", "a, b", "x #1"]
    )
    assert.strictEqual(Redacted.value(settings.masterKey), key)
  })

  it("shows settings to switch on that work and are the defaults", () => {
    const { settings, text } = started({})
    const switchedOn = text.replace(/^#(?! )/gm, "")
    assert.notStrictEqual(switchedOn, text)
    const all = Result.getOrThrowWith(parse(switchedOn, { environment: {} }), (invalid) => invalid)
    assert.deepStrictEqual(all.server, settings.server)
    assert.deepStrictEqual(all.store, settings.store)
    assert.deepStrictEqual({ ...all.failover, order: undefined }, settings.failover)
  })
})
