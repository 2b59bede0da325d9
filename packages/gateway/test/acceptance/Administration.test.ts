/** Keys and spend from birth to death, through the port alone: what the administrator does, the caller feels at once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"

const started = Effect.gen(function* () {
  const gateway = yield* startGateway()
  const newKey = (fields: object) =>
    Effect.map(gateway.admin("POST", "/admin/keys", fields), ({ json, status }) => {
      assert.strictEqual(status, 201)
      return { id: String(json.id), secret: String(json.key) }
    })
  const chat = (key: string, fields: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key,
      headers,
      body: { model: "demo/mini", messages: [{ role: "user", content: "Hi" }], ...fields }
    })
  return { ...gateway, newKey, chat }
})

describe("a virtual key", () => {
  it.live("works from the moment it is made and is refused from the moment it is deleted", () =>
    Effect.gen(function* () {
      const { admin, chat, newKey } = yield* started
      const { id, secret } = yield* newKey({ name: "app" })
      assert.strictEqual((yield* chat(secret)).status, 200)
      const shown = yield* admin("GET", `/admin/keys/${id}`)
      assert.strictEqual(shown.json.status, "active")
      assert.notInclude(shown.text, secret.slice(-40))
      assert.notInclude((yield* admin("GET", "/admin/keys")).text, secret.slice(-40))
      const deleted = yield* admin("DELETE", `/admin/keys/${id}`)
      assert.deepStrictEqual([deleted.status, deleted.json.status], [200, "revoked"])
      const refused = yield* chat(secret)
      assert.deepStrictEqual([refused.status, refused.json.error.code], [401, "revoked_api_key"])
      assert.strictEqual((yield* admin("DELETE", `/admin/keys/${id}`)).status, 200)
      assert.strictEqual((yield* admin("DELETE", "/admin/keys/key_ofNobody00")).status, 404)
    })
  )

  it.live("has the limits, models and budget of its last PATCH", () =>
    Effect.gen(function* () {
      const { admin, chat, newKey } = yield* started
      const { id, secret } = yield* newKey({})
      const patch = (fields: object) =>
        Effect.map(admin("PATCH", `/admin/keys/${id}`, fields), ({ status, text }) =>
          assert.strictEqual(status, 200, text)
        )
      const outcome = Effect.map(chat(secret), ({ json, status }) => [status, json.error?.code])
      assert.deepStrictEqual(yield* outcome, [200, undefined])
      yield* patch({ limits: { rpm: 1 } })
      // The one before the limit was there does not count against it.
      assert.deepStrictEqual(yield* outcome, [200, undefined])
      assert.deepStrictEqual(yield* outcome, [429, "rate_limit_exceeded"])
      yield* patch({ limits: { rpm: null }, models: ["demo/large"] })
      assert.deepStrictEqual(yield* outcome, [403, "model_not_allowed"])
      yield* patch({ models: [], budgets: [{ usd: 0.000001, window: "day" }] })
      assert.deepStrictEqual(yield* outcome, [429, "insufficient_quota"])
      yield* patch({ budgets: [], disabled: true })
      assert.deepStrictEqual(yield* outcome, [401, "disabled_api_key"])
      yield* patch({ disabled: false })
      assert.deepStrictEqual(yield* outcome, [200, undefined])
    })
  )

  it.live("does not open /admin, however the path is spelled", () =>
    Effect.gen(function* () {
      const { newKey, url } = yield* started
      const { secret } = yield* newKey({})
      for (const path of [
        "/admin/keys",
        "//admin/keys",
        "/ADMIN/keys",
        "/%61dmin/keys",
        "/admin/keys/",
        "/admin/spend",
        `${url}/admin/keys`
      ]) {
        for (const [headers, status] of [
          [{ authorization: `Bearer ${secret}` }, 403],
          [{ "x-api-key": secret }, 403],
          [{}, 401]
        ] as const) {
          const answer = yield* call(url, { method: "GET", path, headers })
          assert.include([status, 404], answer.status, `${path}: ${answer.text}`)
          assert.isDefined(answer.json.error)
        }
      }
      assert.strictEqual((yield* call(url, { method: "GET", path: "/admin/keys", key: secret })).status, 403)
    })
  )
})

describe("spend", () => {
  it.live("sums up by key, team and model to what the answers said they cost", () =>
    Effect.gen(function* () {
      const { admin, chat, newKey } = yield* started
      const red = yield* newKey({ name: "red app", team: "red" })
      const blue = yield* newKey({ name: "blue app", team: "blue" })
      const cost = { red: 0, blue: 0 }
      for (const [who, key, fields] of [
        ["red", red, {}],
        ["red", red, { model: "demo/large", stream: true }],
        ["blue", blue, { model: "failover" }]
      ] as const) {
        const { headers, status, trailers } = yield* chat(key.secret, fields)
        assert.strictEqual(status, 200)
        cost[who] += Math.round(Number(trailers["x-gateway-cost-usd"] ?? headers["x-gateway-cost-usd"]) * 1e9)
      }
      const { json, status } = yield* admin("GET", "/admin/spend")
      assert.strictEqual(status, 200)
      const nano = (row: { readonly cost_usd: number } | undefined) => Math.round((row?.cost_usd ?? Number.NaN) * 1e9)
      assert.strictEqual(nano(json.total), cost.red + cost.blue)
      assert.strictEqual(json.total.requests, 3)
      assert.strictEqual(json.total.failed_requests, 0)
      const of = (rows: ReadonlyArray<object>, name: string) =>
        rows.find((row) => Object.values(row).includes(name)) as { readonly cost_usd: number } | undefined
      assert.strictEqual(nano(of(json.by_team, "red")), cost.red)
      assert.strictEqual(nano(of(json.by_team, "blue")), cost.blue)
      assert.strictEqual(nano(of(json.by_key, red.id)), cost.red)
      assert.strictEqual(nano(of(json.by_key, blue.id)), cost.blue)
      const byModel = json.by_model.reduce((sum: number, row: { readonly cost_usd: number }) => sum + nano(row), 0)
      assert.strictEqual(byModel, cost.red + cost.blue)
    })
  )

  it.live("is told by tag, of the key and of the request", () =>
    Effect.gen(function* () {
      const { admin, chat, newKey } = yield* started
      const { secret } = yield* newKey({ tags: ["prod"] })
      yield* chat(secret, {}, { "x-gateway-tags": "nightly, batch" })
      yield* chat(secret)
      const { json } = yield* admin("GET", "/admin/spend?group_by=tag")
      const requests = Object.fromEntries(
        json.rows.map((row: { readonly tag: string; readonly requests: number }) => [row.tag, row.requests])
      )
      assert.deepStrictEqual(requests, { prod: 2, nightly: 1, batch: 1 })
    })
  )
})
