import { assert, describe, it } from "@effect/vitest"
import { shownFields } from "../../src/config/ShownFields.ts"

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
      [14, "models.fast", null],
      [16, "store.sqlite", "./gateway.db"]
    ])
    assert.isTrue(fields.filter(({ value }) => value === null).every(({ isSecret }) => isSecret))
    assert.notMatch(JSON.stringify(fields), /sk-|pass|p2Y3|abc/)
  })

  it("of a text that is none are none", () => {
    assert.deepStrictEqual(shownFields("a: [", "gateway.yaml"), [])
    assert.deepStrictEqual(shownFields("", "gateway.yaml"), [])
  })
})
