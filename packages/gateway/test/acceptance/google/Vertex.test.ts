/** Vertex behind the gateway: Gemini and Claude at Google's addresses, with tokens that a workload identity gets. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../../support/RunningGateway.ts"
import { call } from "../../support/RawHttp.ts"
import { type Asked, type Reply, upstream } from "../../support/Upstream.ts"
import { resolved } from "../Promised.ts"
import { generated, token, workloadIdentity } from "./Google.ts"

const messages = [{ role: "user" as const, content: "Hi" }]
const claude = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-4-5",
  content: [{ type: "text", text: "Hi from Claude" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 100, output_tokens: 20 }
}

const before = Effect.fnUntraced(function* (
  credentials: string,
  reply: (asked: Asked) => Reply = ({ path }) => ({
    body: path.includes("anthropic") ? claude : generated([{ text: "Hi" }], "STOP")
  })
) {
  const { asked, baseUrl } = yield* upstream(reply)
  const gateway = yield* startGateway({
    yaml: `
providers:
  vertex:
    project: my-project
    location: global
    base_url: "${baseUrl}/projects/my-project/locations/global"
    ${credentials}
deployments: [vertex/gemini-2.5-flash, vertex/claude-sonnet-4-5@20250929, vertex/gemini-embedding-001]
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, asked, secret, client: gateway.client(secret) }
})

const at = (publisher: string) => `/v1/projects/my-project/locations/global/publishers/${publisher}/models`

describe("Vertex", () => {
  it.live("is called with a token that is fetched once for all who wait, and kept", () =>
    Effect.gen(function* () {
      const identity = yield* workloadIdentity(token)
      const { asked, client } = yield* before(`credentials: "${identity.file}"`)
      const ask = () => client.chat.completions.create({ model: "vertex/gemini-2.5-flash", messages })
      yield* Effect.all(
        Array.from({ length: 8 }, () => resolved(ask)),
        { concurrency: 8 }
      )
      assert.strictEqual(identity.issued(), 1)
      assert.deepStrictEqual(new Set(asked.map(({ headers }) => headers["authorization"])), new Set(["Bearer token-1"]))
      assert.strictEqual(asked[0]?.path, `${at("google")}/gemini-2.5-flash:generateContent`)
    })
  )

  it.live("serves Claude: the model in the address, the version in the body, in its own words and in chat's", () =>
    Effect.gen(function* () {
      const identity = yield* workloadIdentity(token)
      const { asked, client, ledger, secret, url } = yield* before(`credentials: "${identity.file}"`)
      const model = "vertex/claude-sonnet-4-5@20250929"
      const chat = yield* resolved(() => client.chat.completions.create({ model, messages, max_tokens: 50 }))
      assert.strictEqual(chat.choices[0]?.message.content, "Hi from Claude")
      const own = yield* call(url, { path: "/v1/messages", key: secret, body: { model, messages, max_tokens: 50 } })
      assert.strictEqual(own.json.content[0].text, "Hi from Claude")
      for (const { body, headers, path } of asked) {
        assert.strictEqual(path, `${at("anthropic")}/claude-sonnet-4-5%4020250929:rawPredict`)
        assert.strictEqual(body.anthropic_version, "vertex-2023-10-16")
        assert.notProperty(body, "model")
        assert.strictEqual(headers["authorization"], "Bearer token-1")
      }
      // USD per million: 3 in, 15 out.
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost }) => cost),
        [600_000, 600_000]
      )
    })
  )

  it.live("counts Claude's tokens, and streams it, at addresses of their own", () =>
    Effect.gen(function* () {
      const { asked, secret, url } = yield* before(`api_key: "AIza-key"`, ({ path }) => ({
        body: path.includes("count") ? { input_tokens: 7 } : []
      }))
      const body = { model: "vertex/claude-sonnet-4-5@20250929", messages }
      const { json } = yield* call(url, { path: "/v1/messages/count_tokens", key: secret, body })
      assert.strictEqual(json.input_tokens, 7)
      assert.strictEqual(asked[0]?.path, `${at("anthropic")}/count-tokens:rawPredict`)
      assert.strictEqual(asked[0]?.body.model, "claude-sonnet-4-5@20250929")
      yield* call(url, { path: "/v1/messages", key: secret, body: { ...body, max_tokens: 9, stream: true } })
      assert.strictEqual(asked.at(-1)?.path, `${at("anthropic")}/claude-sonnet-4-5%4020250929:streamRawPredict`)
    })
  )

  it.live("takes an API key in place of credentials, and gives vectors as predictions", () =>
    Effect.gen(function* () {
      const { asked, client } = yield* before(`api_key: "AIza-key"`, () => ({
        body: { predictions: [{ embeddings: { values: [0.5], statistics: { token_count: 3 } } }] }
      }))
      const vectors = yield* resolved(() =>
        client.embeddings.create({ model: "vertex/gemini-embedding-001", input: "a" })
      )
      assert.deepStrictEqual(vectors.data[0]?.embedding, [0.5])
      assert.strictEqual(asked[0]?.path, `${at("google")}/gemini-embedding-001:predict`)
      assert.strictEqual(asked[0]?.headers["x-goog-api-key"], "AIza-key")
      assert.isUndefined(asked[0]?.headers["authorization"])
    })
  )

  it.live("without a token is the deployment's failure, and nothing of the credentials is told", () =>
    Effect.gen(function* () {
      const identity = yield* workloadIdentity(() => ({
        status: 400,
        body: { error: "invalid_grant", error_description: "a-subject-token is not yours" }
      }))
      for (const credentials of [
        identity.file,
        "/no/such/credentials.json",
        JSON.stringify({ type: "service_account", client_email: "a@b.c", private_key: "s3cr3t-private-key" })
      ]) {
        const { asked, secret, url } = yield* before(`credentials: ${JSON.stringify(credentials)}`)
        const body = { model: "vertex/gemini-2.5-flash", messages }
        const { status, text } = yield* call(url, { path: "/v1/chat/completions", key: secret, body })
        assert.strictEqual(status, 502, credentials)
        assert.lengthOf(asked, 0)
        for (const hidden of ["s3cr3t", "a-subject-token", "no/such"]) assert.notInclude(text, hidden)
      }
    })
  )
})
