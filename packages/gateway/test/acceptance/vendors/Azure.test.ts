/** Azure OpenAI through the real port: its two APIs, and the token of a client in place of a key. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { both } from "../Facing.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, completionEvents, type Reply, upstream } from "../../support/Upstream.ts"

const SECRET = "s3cret~of.the-client"
const messages = [{ role: "user", content: "Hi" }]

const answer = (stream: boolean): Reply => ({ body: stream ? completionEvents("Hello") : completion("Hello") })

/** The resource and who gives out tokens, on one server. `token`: what is answered to the nth request for one. */
const azure = (token: (number: number) => Reply) => {
  let tokens = 0
  return upstream(({ body, path }) => (path.includes("/oauth2/") ? token(tokens++) : answer(body.stream === true)))
}

const gatewayAt = Effect.fnUntraced(function* (provider: string, deployment = "model: ours, base_model: gpt-5-mini") {
  const gateway = yield* startGateway({
    yaml: `
providers: { azure: { ${provider} } }
deployments: [{ provider: azure, ${deployment} }]
failover: { attempts: 1, base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  return (fields: object = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model: "azure/ours", messages, max_tokens: 50, temperature: 0.2, ...fields }
    })
})

const resourceOf = (baseUrl: string): string => baseUrl.replace(/\/v1$/, "")

describe("Azure", () => {
  it.live.each(both)("has its key in a header of its own, and the model's own parameters: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* azure(() => ({}))
      const ask = yield* gatewayAt(`base_url: "${resourceOf(baseUrl)}", api_key: k3y`)
      const { headers, status, text } = yield* ask({ stream })
      assert.strictEqual(status, 200, text)
      const [one] = asked
      assert.strictEqual(one?.path, "/openai/v1/chat/completions")
      assert.strictEqual(one?.headers["api-key"], "k3y")
      assert.isUndefined(one?.headers["authorization"])
      assert.deepInclude(one?.body, { model: "ours", max_completion_tokens: 50 })
      for (const name of ["max_tokens", "temperature"]) assert.notProperty(one?.body, name)
      assert.strictEqual(headers["x-gateway-dropped-params"], "temperature")
    }).pipe(Effect.scoped)
  )

  it.live.each(both)("has the deployment in the path of a dated version: %j", ({ stream }) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* azure(() => ({}))
      const ask = yield* gatewayAt(`base_url: "${resourceOf(baseUrl)}", api_key: k3y, api_version: "2024-02-01"`)
      const { status, text } = yield* ask({ stream })
      assert.strictEqual(status, 200, text)
      assert.strictEqual(asked[0]?.path, "/openai/deployments/ours/chat/completions?api-version=2024-02-01")
      assert.notProperty(asked[0]?.body, "stream_options")
    }).pipe(Effect.scoped)
  )

  it.live("gets one token for all requests of a client, and shows its secret to nobody", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* azure(() => ({
        body: { token_type: "Bearer", expires_in: 3599, access_token: "t0ken" },
        delay: 50
      }))
      const resource = resourceOf(baseUrl)
      const ask = yield* gatewayAt(
        `base_url: "${resource}", tenant_id: our-tenant, client_id: our-client, client_secret: "${SECRET}", authority: "${resource}"`
      )
      const answers = yield* Effect.all([ask(), ask(), ask()], { concurrency: 3 })
      for (const { status, text } of answers) assert.strictEqual(status, 200, text)
      const tokens = asked.filter(({ path }) => path.includes("/oauth2/"))
      assert.lengthOf(tokens, 1)
      assert.strictEqual(tokens[0]?.path, "/our-tenant/oauth2/v2.0/token")
      const form = new URLSearchParams(Buffer.from(tokens[0]?.body).toString())
      assert.deepStrictEqual(Object.fromEntries(form), {
        grant_type: "client_credentials",
        client_id: "our-client",
        client_secret: SECRET,
        scope: "https://cognitiveservices.azure.com/.default"
      })
      const calls = asked.filter(({ path }) => path.includes("/chat/"))
      assert.lengthOf(calls, 3)
      for (const { headers } of calls) {
        assert.strictEqual(headers["authorization"], "Bearer t0ken")
        assert.isUndefined(headers["api-key"])
      }
    }).pipe(Effect.scoped)
  )

  it.live.each([
    ["a refusal", { status: 401, body: { error: "invalid_client", error_description: `AADSTS7000215: ${SECRET}` } }],
    ["garbage", { body: "<html>" }],
    ["no token", { body: { access_token: "" } }],
    ["a broken connection", { body: "{", ending: "reset" }]
  ] as const)("that gets no token (%s) is a provider whose authentication failed", ([, reply]) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* azure(() => reply)
      const resource = resourceOf(baseUrl)
      const ask = yield* gatewayAt(
        `base_url: "${resource}", tenant_id: t, client_id: c, client_secret: "${SECRET}", authority: "${resource}"`
      )
      const { json, status, text } = yield* ask()
      assert.deepStrictEqual([status, json.error.code], [502, "upstream_auth"])
      assert.notInclude(text, SECRET)
      assert.isEmpty(asked.filter(({ path }) => path.includes("/chat/")))
    }).pipe(Effect.scoped)
  )
})
