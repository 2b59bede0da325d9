/** Limits and budgets of end users, sessions and models: held from the first request on, and refused by name. */
import { assert, describe, it } from "@effect/vitest"
import type { SpendRow } from "@model-gateway/protocol"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"
import { verifiedLedger } from "../support/VerifiedLedger.ts"

const messages = [{ role: "user", content: "Hi" }]

const deployments = ["m", "n"]
  .map((model) => `{ provider: up, model: ${model}, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }`)
  .join(", ")

/** An upstream whose responses cost 20,000 nano-USD each and hold 405,000. `gate`: the responses wait for it. */
const world = Effect.fnUntraced(function* ({ gate }: { readonly gate?: Promise<void> } = {}) {
  const { asked, baseUrl } = yield* upstream(({ body }) => ({
    ...(gate === undefined ? {} : { gate }),
    body: body.stream === true ? completionEvents("one") : completion("one")
  }))
  const store = yield* temporaryStore
  const gateway = yield* startGateway({
    store,
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [${deployments}]
models: { both: [up/m, up/n] }
`
  })
  const createKey = Effect.fnUntraced(function* (fields: object) {
    const { json, status } = yield* gateway.admin("POST", "/admin/keys", fields)
    assert.strictEqual(status, 201, JSON.stringify(json))
    const { id, key } = json as { readonly id: string; readonly key: string }
    const chat = (headers: Record<string, string> = {}, body: object = {}) =>
      call(gateway.url, {
        path: "/v1/chat/completions",
        key,
        headers,
        body: { model: "up/m", messages, max_tokens: 100, ...body }
      })
    const as = (endUser: string, body: object = {}) => chat({ "x-gateway-end-user": endUser }, body)
    return { id, key, chat, as }
  })
  return { ...gateway, asked, store, createKey }
})

const errorOf = ({
  json,
  status
}: {
  readonly status: number
  readonly json: { readonly error?: { readonly code?: string } }
}) => [status, json.error?.code]

const perDay = (usd: number) => ({ budgets: [{ usd, window: "day" }] })

describe("a template for end users", () => {
  it.live("admits 3 of 100 concurrent first requests of an unknown end user, if 3 fit its budget", () =>
    Effect.gen(function* () {
      let open = () => {}
      const gate = new Promise<void>((resolve) => (open = resolve))
      const { createKey } = yield* world({ gate })
      const { as } = yield* createKey({ per_end_user: perDay(0.00125) })
      let refused = 0
      const one = Effect.tap(as("new"), ({ status }) =>
        Effect.sync(() => {
          if (status === 429 && ++refused === 97) open()
        })
      )
      const all = yield* Effect.all(
        Array.from({ length: 100 }, () => one),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(all.filter(({ status }) => status === 200).length, 3)
      const { error } = all.find(({ status }) => status === 429)!.json
      assert.deepInclude(error, { code: "budget_reserved", scope: "end_user", subject: "new" })
    })
  )

  it.live("holds for each end user by itself, and for those of a team across its keys", () =>
    Effect.gen(function* () {
      const { admin, createKey } = yield* world()
      yield* admin("PUT", "/admin/teams/red", { per_end_user: { limits: { rpm: 2 } } })
      const first = yield* createKey({ team: "red" })
      const second = yield* createKey({ team: "red" })
      assert.strictEqual((yield* first.as("ann")).status, 200)
      assert.strictEqual((yield* second.as("ann")).status, 200)
      const { json } = yield* second.as("ann")
      assert.deepInclude(json.error, { kind: "rpm", scope: "end_user", subject: "ann", limit: 2, used: 2 })
      assert.strictEqual((yield* second.as("bob")).status, 200)
      assert.strictEqual((yield* second.chat()).status, 200)
    })
  )

  it.live("is replaced by a record, field by field, until the record is deleted", () =>
    Effect.gen(function* () {
      const { admin, createKey } = yield* world()
      const { as, id } = yield* createKey({ per_end_user: { ...perDay(0.0001), limits: { rpm: 100 } } })
      const path = `/admin/end-users/key:${id}/ann%2F1`
      assert.deepStrictEqual(errorOf(yield* as("ann%2F1")), [429, "insufficient_quota"])
      assert.strictEqual((yield* admin("PUT", path, perDay(1))).status, 200)
      assert.strictEqual((yield* as("ann%2F1")).status, 200)
      const { json } = yield* admin("GET", path)
      assert.deepInclude(json, { object: "end_user", owner: `key:${id}`, id: "ann/1", limits: null, blocked: false })
      assert.strictEqual(json.budgets[0].spent_usd, 0.00002)
      assert.deepStrictEqual((yield* admin("GET", "/admin/end-users?q=ANN")).json.data, [json])
      assert.strictEqual((yield* admin("PUT", path, { blocked: true })).status, 200)
      assert.deepStrictEqual(errorOf(yield* as("ann%2F1")), [403, "end_user_blocked"])
      assert.strictEqual((yield* admin("DELETE", path)).status, 200)
      assert.deepStrictEqual(errorOf(yield* as("ann%2F1")), [429, "insufficient_quota"])
      assert.strictEqual((yield* admin("GET", path)).status, 404)
    })
  )
})

describe("the end user of a request", () => {
  it.live("comes from the header, from the body only where the key says so, or is fixed", () =>
    Effect.gen(function* () {
      const { createKey } = yield* world()
      const limited = { per_end_user: { limits: { rpm: 1 } } }
      const header = yield* createKey(limited)
      assert.strictEqual((yield* header.chat({}, { user: "ann" })).status, 200)
      assert.strictEqual((yield* header.chat({}, { user: "ann" })).status, 200)
      const field = yield* createKey({ ...limited, end_user: { from: ["field"], required: true } })
      assert.strictEqual((yield* field.chat({}, { user: "ann" })).status, 200)
      assert.strictEqual((yield* field.chat({}, { user: "ann" })).status, 429)
      assert.strictEqual((yield* field.chat({}, { user: "x", safety_identifier: "ann" })).status, 429)
      assert.strictEqual((yield* field.chat({}, { metadata: { user_id: "eve" } })).status, 200)
      const fixed = yield* createKey({ ...limited, end_user: { fixed: "ann" } })
      assert.strictEqual((yield* fixed.as("one")).status, 200)
      assert.strictEqual((yield* fixed.as("two")).json.error.subject, "ann")
    })
  )

  it.live("is refused with a sentence where it is missing or wrong", () =>
    Effect.gen(function* () {
      const { admin, asked, createKey } = yield* world()
      const { as, chat } = yield* createKey({ end_user: { from: ["header", "field"], required: true } })
      const missing = yield* chat()
      assert.deepStrictEqual(errorOf(missing), [400, "end_user_required"])
      assert.match(missing.json.error.message, /send the header X-Gateway-End-User .*, or `safety_identifier`/)
      const field = yield* (yield* createKey({ end_user: { from: ["field"], required: true } })).as("ann")
      assert.strictEqual(field.json.error.param, "safety_identifier")
      assert.notMatch(field.json.error.message, /header/)
      for (const wrong of ["%", "a b", "a, b", "%00", "%ff", "x".repeat(257)]) {
        const { json, status } = yield* as(wrong)
        assert.deepStrictEqual(
          [status, json.error.code, json.error.param],
          [400, "invalid_field", "x-gateway-end-user"]
        )
        assert.match(json.error.message, /1 to 256 bytes/)
      }
      for (const [param, body] of [
        ["user", { user: "" }],
        ["user", { user: 7 }],
        ["safety_identifier", { safety_identifier: "\u0007" }],
        ["metadata.user_id", { metadata: { user_id: "x".repeat(300) } }]
      ] as const) {
        const { json, status } = yield* chat({}, body)
        assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "invalid_field", param])
      }
      assert.lengthOf(asked, 0)
      for (const [param, body] of [
        ["model_rules[0].match", { model_rules: [{ match: [] }] }],
        ["model_rules", { model_rules: [{ match: ["a"] }, { match: ["a"] }] }],
        ["model_rules", { model_rules: Array.from({ length: 9 }, (_, n) => ({ match: [`m${n}`] })) }],
        ["end_user.fixed", { end_user: { fixed: "" } }],
        ["end_user.from", { end_user: { from: [] } }],
        ["per_end_user.budgets[0].usd", { per_end_user: perDay(-1) }]
      ] as const) {
        const { json, status } = yield* admin("POST", "/admin/keys", body)
        assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "invalid_field", param])
      }
      const owner = yield* admin("PUT", "/admin/end-users/red/ann", {})
      assert.deepStrictEqual(errorOf(owner), [400, "invalid_field"])
      const long = (bytes: number) =>
        `/admin/end-users/team:${"t".repeat(100)}/${encodeURIComponent("é".repeat(bytes / 2))}`
      assert.strictEqual((yield* admin("PUT", long(256), {})).status, 200)
      assert.strictEqual((yield* admin("POST", long(256), {})).status, 405)
      assert.deepStrictEqual(errorOf(yield* admin("PUT", long(258), {})), [400, "invalid_field"])
    })
  )

  it.live("is in the receipts of its requests, by which they are found", () =>
    Effect.gen(function* () {
      const { admin, createKey } = yield* world()
      const { as, chat } = yield* createKey({})
      yield* as("ann")
      yield* as("bob")
      yield* chat({ "x-gateway-session-id": "s1" })
      const ofAnn = Effect.map(admin("GET", "/admin/requests?end_user=ann"), ({ json }) => json.data)
      const [receipt, ...others] = yield* ofAnn
      assert.lengthOf(others, 0)
      assert.strictEqual(receipt.end_user, "ann")
      const ofSession = (yield* admin("GET", "/admin/requests?session=s1")).json.data
      assert.deepStrictEqual(
        ofSession.map((one: { session_id?: string }) => one.session_id),
        ["s1"]
      )
      const all = (yield* admin("GET", "/admin/requests")).json.data
      assert.deepStrictEqual(
        all.map((one: { end_user?: string }) => one.end_user),
        [undefined, "bob", "ann"]
      )
    })
  )

  it.live("is part of an Idempotency-Key: two end users never share a response", () =>
    Effect.gen(function* () {
      const { asked, createKey } = yield* world()
      const { chat } = yield* createKey({})
      const as = (endUser: string) => chat({ "x-gateway-end-user": endUser, "idempotency-key": "k" })
      assert.isUndefined((yield* as("ann")).headers["x-gateway-replayed"])
      assert.isUndefined((yield* as("bob")).headers["x-gateway-replayed"])
      assert.strictEqual((yield* as("ann")).headers["x-gateway-replayed"], "1")
      assert.lengthOf(asked, 2)
    })
  )
})

describe("a model rule", () => {
  const rules = (rule: object) => ({ model_rules: [{ match: ["up/m"], ...rule }] })

  it.live("steers a request to the next deployment, without a retry, and is named where none has room", () =>
    Effect.gen(function* () {
      const { asked, createKey } = yield* world()
      const { chat } = yield* createKey(rules({ budgets: [{ usd: 0.0001 }] }))
      const { headers, status } = yield* chat({}, { model: "both" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-retries"], "0")
      assert.deepStrictEqual(
        asked.map(({ body }) => body.model),
        ["n"]
      )
      const { json } = yield* chat()
      assert.deepInclude(json.error, { code: "insufficient_quota", scope: "key", models: ["up/m"] })
      assert.include(json.error.message, "for the models up/m")
      const none = yield* chat({ "x-gateway-no-fallback": "1" }, { model: "both" })
      assert.deepInclude(none.json.error, { code: "insufficient_quota", models: ["up/m"] })
    })
  )

  it.live("limits the requests per minute to its models, in keys, teams and templates", () =>
    Effect.gen(function* () {
      const { admin, asked, createKey } = yield* world()
      yield* admin("PUT", "/admin/teams/red", rules({ limits: { rpm: 3 } }))
      const { as, chat } = yield* createKey({ team: "red", per_end_user: rules({ limits: { rpm: 1 } }) })
      assert.strictEqual((yield* as("ann")).status, 200)
      assert.deepInclude((yield* as("ann")).json.error, {
        code: "rate_limit_exceeded",
        kind: "rpm",
        scope: "end_user",
        subject: "ann",
        models: ["up/m"]
      })
      assert.strictEqual((yield* as("ann", { model: "both" })).status, 200)
      assert.strictEqual(asked.at(-1)?.body.model, "n")
      assert.strictEqual((yield* chat()).status, 200)
      assert.strictEqual((yield* chat()).status, 200)
      assert.deepInclude((yield* chat()).json.error, { scope: "team", subject: "red", models: ["up/m"] })
    })
  )
})

describe("a session", () => {
  it.live("has the budget of its template, for its key alone, streamed or not", () =>
    Effect.gen(function* () {
      const { createKey, store } = yield* world()
      const { chat } = yield* createKey({ per_session: { budgets: [{ usd: 0.00044 }] } })
      const session = { "x-gateway-session-id": "s#1" }
      assert.strictEqual((yield* chat(session)).status, 200)
      assert.strictEqual((yield* chat(session, { stream: true })).status, 200)
      const { json } = yield* chat(session)
      assert.deepInclude(json.error, { code: "insufficient_quota", scope: "session", subject: "s#1", used: 0.00004 })
      assert.strictEqual((yield* chat({ "x-gateway-session-id": "s#2" })).status, 200)
      const verified = yield* verifiedLedger(["--store", store])
      assert.deepStrictEqual(verified, { rows: 3, open: 0, problems: [] })
    })
  )

  it.live("is named by the headers of coding agents too, whose spend is summed up by session and by client", () =>
    Effect.gen(function* () {
      const { admin, createKey } = yield* world()
      const { chat } = yield* createKey({ per_session: { budgets: [{ usd: 0.00042 }] } })
      const codex = { "session-id": "c#1", "thread-id": "t1" }
      assert.strictEqual((yield* chat(codex)).status, 200)
      assert.strictEqual((yield* chat({ "x-claude-code-session-id": "c#2" })).status, 200)
      assert.strictEqual((yield* chat({ "user-agent": "curl/8" })).status, 200)
      const { json } = yield* chat({ ...codex, "thread-id": "t2" })
      assert.deepInclude(json.error, { code: "insufficient_quota", scope: "session", subject: "c#1" })
      const spent = (query: string) =>
        Effect.map(admin("GET", `/admin/spend?${query}`), ({ json }) => json.rows ?? json.error.message)
      const rows = (yield* spent("group_by=client")) as ReadonlyArray<{ client: string; cost_usd: number }>
      assert.sameDeepMembers(
        rows.map(({ client, cost_usd }) => [client, cost_usd]),
        [
          ["codex", 0.00002],
          ["claude-code", 0.00002]
        ]
      )
      assert.deepInclude((yield* spent("group_by=model&client=codex"))[0], { requests: 1, cost_usd: 0.00002 })
      assert.lengthOf(yield* spent("group_by=session"), 2)
      assert.include(yield* spent("group_by=session,client"), "by `session` or by `client`, not by both")
    })
  )

  it.live("spends what was spent before a restart", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const { baseUrl } = yield* upstream(() => ({ body: completion("one") }))
      const yaml = `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [${deployments}]
`
      const secret = yield* Effect.scoped(
        Effect.gen(function* () {
          const { admin, url } = yield* startGateway({ store, yaml })
          const { json } = yield* admin("POST", "/admin/keys", { per_session: { budgets: [{ usd: 0.00041 }] } })
          assert.strictEqual((yield* ask(url, json.key)).status, 200)
          return json.key as string
        })
      )
      const { url } = yield* startGateway({ store, yaml })
      assert.deepInclude((yield* ask(url, secret)).json.error, { scope: "session", used: 0.00002 })
    })
  )

  const ask = (url: string, key: string) =>
    call(url, {
      path: "/v1/chat/completions",
      key,
      headers: { "x-gateway-session-id": "s" },
      body: { model: "up/m", messages, max_tokens: 100 }
    })
})

describe("a raise", () => {
  it.live("adds to a budget until it ends, and stays when the budget is set again without it", () =>
    Effect.gen(function* () {
      const { admin, createKey } = yield* world()
      const until = new Date(Date.now() + 600_000).toISOString()
      const { as, id } = yield* createKey({ budgets: [{ usd: 0.0001, window: "day", soft_usd: 0.00001 }] })
      assert.strictEqual((yield* as("ann")).status, 429)
      const raises = [{ add_usd: 1, until, reason: "launch" }]
      const patch = (budget: object) => admin("PATCH", `/admin/keys/${id}`, { budgets: [{ window: "day", ...budget }] })
      const { json } = yield* patch({ usd: 0.0001, soft_usd: 0.00001, raises })
      assert.deepInclude(json.budgets[0], { usd: 0.0001, raised_usd: 1, remaining_usd: 1.0001, raises })
      const { headers, status } = yield* as("ann")
      assert.strictEqual(status, 200)
      assert.strictEqual(headers["x-gateway-budget-soft-exceeded"], `key:${id}`)
      assert.deepStrictEqual((yield* patch({ usd: 0.0002 })).json.budgets[0].raises, raises)
      assert.notProperty((yield* patch({ usd: 0.0001, raises: [] })).json.budgets[0], "raised_usd")
      assert.strictEqual((yield* as("ann")).status, 429)
    })
  )

  it.live("is refused in the past, for no amount, and where it ends before it begins", () =>
    Effect.gen(function* () {
      const { admin } = yield* world()
      for (const [param, raise] of [
        ["budgets[0].raises[0].until", { add_usd: 1, until: "2020-01-01T00:00:00Z" }],
        ["budgets[0].raises[0].add_usd", { add_usd: 0, until: "2090-01-01T00:00:00Z" }],
        ["budgets[0].raises[0]", { add_usd: 1, from: "2090-01-02T00:00:00Z", until: "2090-01-01T00:00:00Z" }],
        ["budgets[0]", { add_usd: 9_000_000, until: "2090-01-01T00:00:00Z" }]
      ] as const) {
        const { json, status } = yield* admin("PUT", "/admin/teams/red", { budgets: [{ usd: 1, raises: [raise] }] })
        assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "invalid_field", param])
      }
    })
  )
})

describe("spend by end user", () => {
  it.live("is the cost of its requests, by model too, and one of two cuts", () =>
    Effect.gen(function* () {
      const { admin, createKey } = yield* world()
      const { as } = yield* createKey({})
      for (const [endUser, model] of [
        ["ann", "up/m"],
        ["ann", "up/n"],
        ["bob", "up/n"]
      ] as const)
        assert.strictEqual((yield* as(endUser, { model })).status, 200)
      const { json } = yield* admin("GET", "/admin/spend?group_by=end_user,model")
      assert.deepStrictEqual(
        json.rows.map((row: SpendRow) => [row.end_user, row.model, row.cost_usd, row.requests]),
        [
          ["ann", "m", 0.00002, 1],
          ["ann", "n", 0.00002, 1],
          ["bob", "n", 0.00002, 1]
        ]
      )
      assert.strictEqual((yield* admin("GET", "/admin/spend?end_user=ann")).json.total.cost_usd, 0.00004)
      const both = yield* admin("GET", "/admin/spend?group_by=end_user,session")
      assert.deepStrictEqual([...errorOf(both), both.json.error.param], [400, "invalid_field", "group_by"])
    })
  )
})

describe("model rules and templates of a team", () => {
  it.live("stay when only its limits are set, and go when they are null", () =>
    Effect.gen(function* () {
      const { admin } = yield* world()
      const rules = { model_rules: [{ match: ["up/*"] }], per_session: { limits: { rpm: 1 } } }
      yield* admin("PUT", "/admin/teams/red", rules)
      const { json } = yield* admin("PUT", "/admin/teams/red", { limits: { rpm: 5 } })
      assert.strictEqual(json.per_session.limits.rpm, 1)
      assert.deepStrictEqual(json.model_rules[0].match, ["up/*"])
      const without = yield* admin("PUT", "/admin/teams/red", { model_rules: null, per_session: null })
      assert.notProperty(without.json, "model_rules")
      assert.notProperty(without.json, "per_session")
    })
  )
})

describe("records of end users", () => {
  it.live("need the master key", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* world()
      const { key } = yield* createKey({})
      const path = "/admin/end-users"
      assert.strictEqual((yield* call(url, { method: "GET", path, key })).status, 403)
      assert.strictEqual((yield* call(url, { method: "GET", path, key: masterKey })).status, 200)
    })
  )
})
