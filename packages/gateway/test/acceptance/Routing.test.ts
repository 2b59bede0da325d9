/** Which deployment answers: by name, by the router, after a failure, and never one that is out of rotation or not allowed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completion, completionEvents, type Reply, upstream, vendorError } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** Two providers that serve `m`, the first of which can be made to fail; 1 and 2 USD per million tokens. */
const twoProviders = Effect.fnUntraced(function* (first: (stream: boolean) => Reply, store?: string) {
  const answer = (stream: boolean) => ({ body: stream ? completionEvents("one") : completion("one") })
  const one = yield* upstream(({ body }) => first(body.stream === true))
  const two = yield* upstream(({ body }) => answer(body.stream === true))
  const gateway = yield* startGateway({
    yaml: `
providers:
  one: { protocol: openai-chat, base_url: "${one.baseUrl}", api_key: none }
  two: { protocol: openai-chat, base_url: "${two.baseUrl}", api_key: none }
deployments:
  - { id: first, provider: one, model: m, price: { input: 1, output: 2 }, weight: 1000000 }
  - { id: second, provider: two, model: m, price: { input: 1, output: 2 }, weight: 0.000001 }
models: { both: [first, second] }
failover: { base_delay: 1ms }
`,
    ...(store === undefined ? {} : { store })
  })
  const ask = (secret: string, fields: object, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model: "both", messages, ...fields }
    })
  return { ...gateway, one, two, ask }
})

const down = (): Reply => ({ status: 500, body: vendorError("down", "server_error") })
const up = (stream: boolean): Reply => ({ body: stream ? completionEvents("one") : completion("one") })

describe("the model of a request", () => {
  it.live("may be auto, an alias, a deployment's id, <provider>/<model> or a bare name", () =>
    Effect.gen(function* () {
      const { ask, createKey } = yield* twoProviders(up)
      const { secret } = yield* createKey()
      for (const [model, deployment, bucket] of [
        ["auto", "first", "standard"],
        ["both", "first", "none"],
        ["second", "second", "none"],
        ["two/m", "second", "none"],
        ["m", "first", "none"]
      ]) {
        const { headers, status } = yield* ask(secret, { model })
        assert.strictEqual(status, 200, model)
        assert.strictEqual(headers["x-gateway-deployment"], deployment, model)
        assert.strictEqual(headers["x-gateway-decision"], deployment === "first" ? "one/m" : "two/m", model)
        assert.strictEqual(headers["x-gateway-route-bucket"], bucket, model)
      }
    })
  )

  it.live("that the key may not use is a 403, whatever it is called, and failover does not go there either", () =>
    Effect.gen(function* () {
      const { ask, createKey, two } = yield* twoProviders(down)
      const { id, secret } = yield* createKey({ models: ["first"] })
      for (const model of ["second", "two/m"]) {
        const { json, status } = yield* ask(secret, { model })
        assert.strictEqual(status, 403, model)
        assert.deepInclude(json.error, { type: "permission_error", code: "model_not_allowed", param: "model" })
        assert.include(json.error.message, id)
      }
      for (const model of ["both", "auto", "m", "first"])
        assert.strictEqual((yield* ask(secret, { model })).status, 502, model)
      assert.lengthOf(two.asked, 0)
    })
  )

  it.live("is not listed for a key that may not use it", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* twoProviders(up)
      const { secret } = yield* createKey({ models: ["second"] })
      const list = yield* call(url, { method: "GET", path: "/v1/models", key: secret })
      assert.deepStrictEqual(
        list.json.data.map(({ id }: { readonly id: string }) => id),
        ["auto", "both", "second"]
      )
      const one = yield* call(url, { method: "GET", path: "/v1/models/first", key: secret })
      assert.strictEqual(one.status, 404)
      assert.strictEqual(one.json.error.code, "model_not_found")
    })
  )
})

describe("failover", () => {
  it.live("a deployment that answers 500 is stepped over: 200, and X-Gateway-Retries says 1", () =>
    Effect.gen(function* () {
      const { ask, createKey, ledger, one, two } = yield* twoProviders(down)
      const { secret } = yield* createKey()
      for (const stream of [false, true]) {
        const { headers, status, text } = yield* ask(secret, { stream })
        assert.strictEqual(status, 200)
        assert.strictEqual(headers["x-gateway-retries"], "1")
        assert.strictEqual(headers["x-gateway-decision"], "two/m")
        assert.include(text, '"retries":1')
      }
      assert.lengthOf(one.asked, 2)
      assert.lengthOf(two.asked, 2)
      // The failed attempts are void: the provider answered with an error and bills nothing.
      assert.deepStrictEqual(
        (yield* ledger).map(({ attempt, cost, status }) => [attempt, status, cost > 0]),
        [
          [0, "void", false],
          [1, "settled", true],
          [0, "void", false],
          [1, "settled", true]
        ]
      )
    })
  )
})

describe("a disabled deployment", () => {
  it.live("is never called, also after a restart, until it is enabled again", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const before = Effect.gen(function* () {
        const { admin, ask, createKey, one } = yield* twoProviders(up, store)
        const { secret } = yield* createKey()
        assert.strictEqual((yield* ask(secret, {})).headers["x-gateway-decision"], "one/m")
        const { json, status } = yield* admin("POST", "/admin/deployments/disable", { deployment: "first" })
        assert.strictEqual(status, 200)
        assert.include(JSON.stringify(json), '"out_of_rotation"')
        for (const model of ["both", "auto", "m"]) {
          const { headers, status } = yield* ask(secret, { model })
          assert.deepStrictEqual([status, headers["x-gateway-decision"]], [200, "two/m"], model)
        }
        const named = yield* ask(secret, { model: "first" })
        assert.strictEqual(named.status, 503)
        assert.deepInclude(named.json.error, { type: "upstream_error", code: "upstream_unavailable" })
        assert.lengthOf(one.asked, 1)
        return secret
      })
      const secret = yield* Effect.scoped(before)
      const { admin, ask, one } = yield* twoProviders(up, store)
      assert.strictEqual((yield* ask(secret, {})).headers["x-gateway-decision"], "two/m")
      assert.lengthOf(one.asked, 0)
      assert.strictEqual((yield* admin("POST", "/admin/deployments/enable", { deployment: "first" })).status, 200)
      assert.strictEqual((yield* ask(secret, {})).headers["x-gateway-decision"], "one/m")
    })
  )

  it.live("ends the calls it has", () =>
    Effect.gen(function* () {
      let finish = () => {}
      const { admin, createKey, one, url } = yield* twoProviders(() => ({
        body: completionEvents("one"),
        gate: new Promise<void>((resolve) => (finish = resolve))
      }))
      const { secret } = yield* createKey()
      const body = { model: "first", messages, stream: true }
      const fiber = yield* Effect.forkChild(call(url, { path: "/v1/chat/completions", key: secret, body }))
      yield* until(() => one.asked.length === 1)
      assert.strictEqual((yield* admin("POST", "/admin/deployments/disable", { deployment: "first" })).status, 200)
      finish()
      const { status, text } = yield* Fiber.join(fiber)
      assert.strictEqual(status, 200)
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
    })
  )
})
