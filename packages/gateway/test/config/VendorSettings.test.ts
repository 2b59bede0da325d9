import { assert, describe, it } from "@effect/vitest"
import { Redacted, Result } from "effect"
import { describeSettings } from "../../../model-gateway/src/configuration/Describe.ts"
import { parseSettings } from "../../src/config/ParseSettings.ts"
import { knownVendors } from "../../src/providers/vendors/Vendors.ts"
import { masterKey } from "./Support.ts"

const read = (provider: string, deployment = "it/m") =>
  parseSettings(`master_key: ${masterKey}\nproviders: { it: { ${provider} } }\ndeployments: [${deployment}]\n`, {
    file: "gateway.yaml",
    vendors: knownVendors,
    environment: { CLOUDFLARE_ACCOUNT_ID: "acc-1" },
    readFile: () => Result.fail("there are no files")
  })

const problems = (provider: string): ReadonlyArray<string> => {
  const result = read(provider)
  return Result.isFailure(result) ? result.failure.problems.map(({ message, path }) => `${path}: ${message}`) : []
}

const settingsOf = (provider: string, deployment?: string) => Result.getOrThrow(read(provider, deployment))

describe("a setting that one vendor has", () => {
  it("is read, also from the environment", () => {
    const [provider] = settingsOf("vendor: cloudflare, api_key: k, account_id: '${CLOUDFLARE_ACCOUNT_ID}'").providers
    assert.deepStrictEqual(provider?.options?.shown, { account_id: "acc-1" })
  })

  it("is required where the vendor's address names it, unless the address is given", () => {
    assert.deepStrictEqual(problems("vendor: cloudflare, api_key: k"), [
      'providers.it.account_id: "account_id" is required: the id of the account, such as account_id: "${CLOUDFLARE_ACCOUNT_ID}"; or write the whole address as base_url'
    ])
    assert.deepStrictEqual(problems("vendor: cloudflare, api_key: k, base_url: 'https://x.example/v1'"), [])
  })

  it("is refused at a vendor that has none", () => {
    assert.deepStrictEqual(problems("vendor: groq, api_key: k, account_id: a"), [
      "providers.it.account_id: only the vendor cloudflare has this field"
    ])
  })

  it.each(["../../x", "a b", "a?b=c", "https://x/#y", "{account}"])(
    "may not be %j: it becomes a part of an address",
    (value) => {
      const [first] = problems(`vendor: cloudflare, api_key: k, account_id: ${JSON.stringify(value)}`)
      assert.include(first, "is not the id of the account")
    }
  )
})

describe("a credential that takes the place of a key", () => {
  const client = "tenant_id: t, client_id: c, client_secret: s3cret-of-the-client"

  it("needs no key, and is never shown", () => {
    const settings = settingsOf(`vendor: azure, resource: r, ${client}`)
    const [provider] = settings.providers
    assert.deepStrictEqual(provider?.apiKeys, [])
    assert.strictEqual(Redacted.value(provider!.options!.secret["client_secret"]!), "s3cret-of-the-client")
    const told = describeSettings(settings)
    assert.include(told, "tenant id t")
    assert.notInclude(told, "s3cret-of-the-client")
    assert.notInclude(JSON.stringify(settings), "s3cret-of-the-client")
  })

  it("needs what belongs to it", () => {
    assert.deepStrictEqual(problems("vendor: azure, resource: r, client_secret: s, tenant_id: t"), [
      'providers.it.client_id: "client_id" is required beside client_secret: the id of the application (client), such as client_id: "${AZURE_CLIENT_ID}"'
    ])
  })

  it("is named where there is neither", () => {
    const [first] = problems("vendor: azure, resource: r")
    assert.include(first, "AZURE_OPENAI_API_KEY")
  })
})

describe("base_model", () => {
  it("says what a deployment is", () => {
    const settings = settingsOf(
      "vendor: azure, resource: r, api_key: k",
      "{ provider: it, model: ours, base_model: gpt-5-mini }"
    )
    assert.strictEqual(settings.deployments[0]?.baseModel, "gpt-5-mini")
    assert.include(describeSettings(settings), "base model gpt-5-mini")
  })
})

describe("Google's settings", () => {
  const file = "credentials: /etc/google.json"

  it("are a project and a location, which are both asked for", () => {
    const said = problems(`vendor: vertex, ${file}`)
    assert.lengthOf(said, 2)
    assert.include(said[0], 'project: "project" is required: the id of the Google Cloud project')
    assert.include(said[1], 'location: "location" is required: a location: global, eu, us, or a region')
    assert.deepStrictEqual(problems(`vendor: vertex, project: p, location: global`), [])
  })

  it("take credentials as a file or as JSON, which are never shown", () => {
    const json = JSON.stringify({ type: "service_account", private_key: "-----BEGIN s3cret-----\n" })
    for (const written of ["/etc/google.json", json]) {
      const settings = settingsOf(
        `vendor: vertex, project: p, location: global, credentials: ${JSON.stringify(written)}`,
        "it/gemini-2.5-flash"
      )
      const [provider] = settings.providers
      assert.strictEqual(Redacted.value(provider!.options!.secret["credentials"]!), written)
      assert.notInclude(describeSettings(settings), written)
    }
    const [wrong] = problems(`vendor: vertex, project: p, location: global, credentials: '{"private_key": "s3cret'`)
    assert.include(wrong, "begins like JSON and is none")
    assert.notInclude(wrong, "s3cret")
  })

  it("are those of a vendor by any of its names", () => {
    assert.strictEqual(settingsOf("vendor: gemini, api_key: k").providers[0]?.vendor, "google-ai-studio")
    assert.strictEqual(settingsOf("vendor: vertex-ai, project: p, location: eu").providers[0]?.vendor, "vertex")
  })
})
