/** A session goes on where it was answered last, so that the provider's prompt cache is worth something. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream, vendorError } from "../support/Upstream.ts"

/** Three providers of the model `m` that share its requests out; `down` are those that fail. */
const threeProviders = Effect.fnUntraced(function* (failover = "base_delay: 1ms") {
  const down = new Set<string>()
  const one = yield* upstream(({ body, path }) => {
    const name = path.split("/")[1]!
    if (down.has(name)) return { status: 500, body: vendorError("down", "server_error") }
    return { body: body.stream === true ? completionEvents(name) : completion(name) }
  })
  const base = one.baseUrl.replace(/\/v1$/, "")
  const gateway = yield* startGateway({
    yaml: `
providers:
  a: { protocol: openai-chat, base_url: "${base}/a", api_key: none }
  b: { protocol: openai-chat, base_url: "${base}/b", api_key: none }
  c: { protocol: openai-chat, base_url: "${base}/c", api_key: none }
deployments:
  - { provider: a, model: m, price: { input: 1, output: 2 } }
  - { provider: b, model: m, price: { input: 1, output: 2 } }
  - { provider: c, model: m, price: { input: 1, output: 2 } }
failover: { ${failover} }
`
  })
  const { secret } = yield* gateway.createKey()
  let number = 0
  /** Each with a prompt of its own, unless one is given. */
  const ask = (headers: Readonly<Record<string, string>>, fields: object = {}, key = secret) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key,
      headers,
      body: { model: "m", messages: [{ role: "user", content: `Prompt ${number++}` }], ...fields }
    })
  /** Which providers answered so many of the same requests. */
  const wentTo = Effect.fnUntraced(function* (times: number, ...given: Parameters<typeof ask>) {
    const went = new Set<string>()
    for (let i = 0; i < times; i++) {
      const { headers, status } = yield* ask(...given)
      assert.strictEqual(status, 200)
      went.add(String(headers["x-gateway-deployment"]))
    }
    return [...went]
  })
  return { ...gateway, ask, asked: one.asked, down, wentTo }
})

describe("X-Gateway-Session-Id", () => {
  it.live("keeps its requests together, plain and streamed; others are shared out", () =>
    Effect.gen(function* () {
      const { wentTo } = yield* threeProviders()
      const session = { "X-Gateway-Session-Id": "conversation-1" }
      const [home, ...elsewhere] = yield* wentTo(20, session)
      assert.deepStrictEqual(elsewhere, [])
      assert.deepStrictEqual(yield* wentTo(5, session, { stream: true }), [home])
      assert.lengthOf(yield* wentTo(60, {}), 3)
    })
  )

  it.live("is 1 to 128 visible ASCII characters, else 400", () =>
    Effect.gen(function* () {
      const { ask } = yield* threeProviders()
      for (const id of ["", "two words", "x".repeat(129), "caf\u00e9", "tab\tbed"]) {
        const { json, status } = yield* ask({ "X-Gateway-Session-Id": id })
        assert.strictEqual(status, 400, JSON.stringify(id))
        assert.deepInclude(json.error, { code: "invalid_field", param: "x-gateway-session-id" })
      }
      assert.strictEqual((yield* ask({ "X-Gateway-Session-Id": "~".repeat(128) })).status, 200)
    })
  )
})

describe("sessions of coding agents", () => {
  it.live("are read from their own headers, each agent of a session by itself", () =>
    Effect.gen(function* () {
      const { wentTo } = yield* threeProviders()
      for (const headers of [
        { "x-claude-code-session-id": "3f2b-main" },
        { "x-claude-code-session-id": "3f2b-main", "x-claude-code-agent-id": "agent-1" },
        { "session-id": "codex-1", "thread-id": "thread-1" },
        { session_id: "codex-older" },
        { "x-session-affinity": "ses_1" },
        { "x-session-id": "openrouter-1" }
      ]) {
        assert.lengthOf(yield* wentTo(12, headers), 1, JSON.stringify(headers))
      }
      assert.lengthOf(yield* wentTo(12, {}, { session_id: "of-the-body" }), 1)
      const user_id = "user_0a_account__session_0d9c6f1e-77aa-4a53-9d5c-0c9f1e2d3c4b"
      assert.lengthOf(yield* wentTo(12, {}, { metadata: { user_id } }), 1)
      // A person is no session, and neither is a bad value.
      assert.isAbove((yield* wentTo(30, {}, { metadata: { user_id: "ann" } })).length, 1)
      assert.isAbove((yield* wentTo(30, { "x-claude-code-session-id": "a b" })).length, 1)
    })
  )

  it.live("spread the agents of one session, though they share a cache key", () =>
    Effect.gen(function* () {
      const { wentTo } = yield* threeProviders()
      const homes = new Set<string>()
      for (let thread = 0; thread < 12; thread++) {
        const headers = { "session-id": "one", "thread-id": `t${thread}` }
        const [home, ...elsewhere] = yield* wentTo(3, headers, { prompt_cache_key: "one" })
        assert.deepStrictEqual(elsewhere, [])
        homes.add(home!)
      }
      assert.isAbove(homes.size, 1)
    })
  )

  it.live("are named in receipts, and no provider is sent `session_id`", () =>
    Effect.gen(function* () {
      const { ask, asked, url } = yield* threeProviders()
      const { headers } = yield* ask({ "session-id": "codex-1", "thread-id": "t" }, { session_id: "of-the-body" })
      const path = `/admin/requests/${String(headers["x-gateway-receipt-id"])}`
      const { json } = yield* call(url, { method: "GET", path, key: masterKey })
      assert.strictEqual(json.session_id, "codex-1")
      assert.notProperty(asked[0]?.body, "session_id")
    })
  )
})
