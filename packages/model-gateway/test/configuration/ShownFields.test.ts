import { assert, describe, it } from "@effect/vitest"
import { shownFields } from "../../src/configuration/ShownFields.ts"

const text = `master_key: p2Y3Y96tNPjhr8M+ZB/oguEYIrwPxX2sQDfgVoQ5OfZl
server:
  port: 4100
  trusted_proxies: [10.0.0.0/8]
providers:
  openai:
    api_key: \${OPENAI_API_KEY:-sk-fallback-fallback-fallback}
  other:
    vendor: openai
    api_key: [sk-literal-1, sk-literal-2]
    base_url: https://user:pass@example.com/v1
    credentials: { client_email: a@example.com, private: abc }
  near: { base_url: "http://gpu.internal:8000/v1" }
  far: { base_url: "https://example.com/v1?api_key=abc" }
models:
  fast: sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaa
store:
  sqlite: ./gateway.db
`

describe("the fields of a file", () => {
  it("are told with their places, and nothing of a secret", () => {
    const fields = shownFields(text, "gateway.yaml")
    const shown = fields.map(({ line, path, value }) => [line, path, value])
    assert.deepStrictEqual(shown, [
      [1, "master_key", null],
      [3, "server.port", 4100],
      [4, "server.trusted_proxies[0]", "10.0.0.0/8"],
      [7, "providers.openai.api_key", "${OPENAI_API_KEY}"],
      [9, "providers.other.vendor", "openai"],
      [10, "providers.other.api_key[0]", null],
      [10, "providers.other.api_key[1]", null],
      [11, "providers.other.base_url", null],
      [12, "providers.other.credentials.client_email", null],
      [12, "providers.other.credentials.private", null],
      [13, "providers.near.base_url", "http://gpu.internal:8000/v1"],
      [14, "providers.far.base_url", null],
      [16, "models.fast", null],
      [18, "store.sqlite", "./gateway.db"]
    ])
    assert.isTrue(fields.filter(({ value }) => value === null).every(({ isSecret }) => isSecret))
    assert.notMatch(JSON.stringify(fields), /sk-|pass|p2Y3|abc/)
  })

  it("tell no secret that stands in a name, or is a number", () => {
    const slips = `master_key: 314159265358979
server: { auth_failures_per_minute: 20, max_output_tokens: 1000000 }
providers:
  openai: { api_key:sk-proj-slipped-into-a-name }
  other: { sk-proj-aaaaaaaaaaaaaaaa: 1, note:p2Y3Y96tNPjhr8MZBoguEYIrwPxX2sQDfgVoQ5 }
models:
  llama3:8b: demo/mini
  us.anthropic.claude-3-5-sonnet-20241022-v2: demo/large
`
    const fields = shownFields(slips, "gateway.yaml")
    assert.deepStrictEqual(
      fields.map(({ path, value }) => [path, value]),
      [
        ["master_key", null],
        ["server.auth_failures_per_minute", 20],
        ["server.max_output_tokens", 1_000_000],
        ['providers.openai["api_key…"]', null],
        ['providers.other["sk-…"]', 1],
        ['providers.other["note…"]', null],
        ['models["llama3:8b"]', "demo/mini"],
        ['models["us.anthropic.claude-3-5-sonnet-20241022-v2"]', "demo/large"]
      ]
    )
    assert.notMatch(JSON.stringify(fields), /slipped|aaaa|p2Y3|3141/)
  })

  it("of a text that is none are none", () => {
    assert.deepStrictEqual(shownFields("a: [", "gateway.yaml"), [])
    assert.deepStrictEqual(shownFields("", "gateway.yaml"), [])
  })
})
