/** What must not get through: to a provider, things of the caller's; to the caller, things of a provider's. And who hangs up is not billed blindly. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { eventually, quickest, until } from "../support/Patience.ts"
import { call, open } from "../support/RawHttp.ts"
import { startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completion, completionEvents, type Reply, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const PROVIDER_KEY = "sk-operators-own-0123456789abcdef"

const facing = Effect.fnUntraced(function* (reply: (stream: boolean) => Reply) {
  const store = yield* temporaryStore
  const up = yield* upstream(({ body }) => reply(body.stream === true))
  const gateway = yield* startGateway({
    store,
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: "${PROVIDER_KEY}" } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
failover: { base_delay: 1ms, finish_abandoned: 0s }
`
  })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, up, store, secret }
})

const answering = (stream: boolean): Reply => ({ body: stream ? completionEvents("one") : completion("one") })

describe("a provider", () => {
  it.live("sees nothing of the caller's headers, and of the query nothing", () =>
    Effect.gen(function* () {
      const { secret, up, url } = yield* facing(answering)
      for (const stream of [false, true]) {
        const { status } = yield* call(url, {
          path: "/v1/chat/completions?api_key=sk-in-the-query",
          key: secret,
          headers: {
            "x-api-key": secret,
            "api-key": secret,
            "x-goog-api-key": secret,
            cookie: "session=private",
            "x-gateway-tags": "project-x",
            "x-gateway-session-id": "s1",
            "x-forwarded-for": "10.1.2.3",
            "x-private": "private",
            "openai-organization": "org-of-the-caller",
            "user-agent": "private/1.0",
            referer: "https://intranet.example.com/private"
          },
          body: { model: "up/m", messages, stream }
        })
        assert.strictEqual(status, 200)
      }
      for (const { body, headers, path } of up.asked) {
        assert.strictEqual(path, "/v1/chat/completions")
        assert.strictEqual(headers["authorization"], `Bearer ${PROVIDER_KEY}`)
        const seen = JSON.stringify([headers, body])
        assert.notInclude(seen, secret)
        assert.notMatch(seen, /private|project-x|x-gateway|x-api-key|cookie|10\.1\.2\.3|org-of-the-caller|s1"/)
      }
    })
  )

  it.live("is where the configuration says, whatever the body says", () =>
    Effect.gen(function* () {
      const elsewhere = yield* upstream(() => answering(false))
      const { secret, up, url } = yield* facing(answering)
      const fields = {
        base_url: elsewhere.baseUrl,
        api_base: elsewhere.baseUrl,
        baseURL: elsewhere.baseUrl,
        api_key: "sk-of-the-caller",
        apiKey: "sk-of-the-caller",
        extra_headers: { authorization: "Bearer sk-of-the-caller" },
        headers: { authorization: "Bearer sk-of-the-caller" }
      }
      const { status } = yield* call(url, {
        path: "/v1/chat/completions",
        key: secret,
        body: { model: "up/m", messages, ...fields }
      })
      assert.strictEqual(status, 200)
      assert.lengthOf(elsewhere.asked, 0)
      assert.lengthOf(up.asked, 1)
      assert.strictEqual(up.asked[0]!.headers["authorization"], `Bearer ${PROVIDER_KEY}`)
      for (const name of ["base_url", "api_base", "api_key"]) assert.notProperty(up.asked[0]!.body, name)
    })
  )

  it.live("gets the fields that the gateway does not know as they came, and its own name of the model", () =>
    Effect.gen(function* () {
      const { secret, up, url } = yield* facing(answering)
      const unknown = { unheard_of: { "deeply 🜁": [1.5, "é"] }, seed: 7, user: "u" }
      yield* call(url, { path: "/v1/chat/completions", key: secret, body: { model: "up/m", messages, ...unknown } })
      const { model, ...body } = up.asked[0]!.body
      assert.strictEqual(model, "m")
      assert.deepInclude(body, { messages, ...unknown })
    })
  )

  it.live("is asked for usage when the caller did not ask for it", () =>
    Effect.gen(function* () {
      const { secret, up, url } = yield* facing(answering)
      yield* call(url, { path: "/v1/chat/completions", key: secret, body: { model: "up/m", messages, stream: true } })
      assert.strictEqual(up.asked[0]!.body.stream_options.include_usage, true)
    })
  )

  it.live("has no say in the headers of the answer", () =>
    Effect.gen(function* () {
      const headers = { "set-cookie": "tracker=1", "x-gateway-cost-usd": "0", server: "nginx", "x-upstream": "1" }
      const { secret, url } = yield* facing((stream) => ({ ...answering(stream), headers }))
      const body = { model: "up/m", messages }
      const answer = yield* call(url, { path: "/v1/chat/completions", key: secret, body })
      assert.strictEqual(answer.headers["x-gateway-cost-usd"], "0.00002")
      for (const name of ["set-cookie", "server", "x-upstream"]) assert.isUndefined(answer.headers[name], name)
    })
  )
})

describe("a caller that hangs up", () => {
  it.live("in the middle of a stream closes the upstream within 100 ms, and pays for what was produced", () =>
    Effect.gen(function* () {
      const { ledger, secret, up, url } = yield* facing(() => ({
        body: completionEvents("one ", "two ", "three").slice(0, 4),
        ending: "silence"
      }))
      const hangingUp = Effect.fnUntraced(function* (number: number) {
        const body = { model: "up/m", messages, stream: true }
        const { hangUp } = yield* open(url, { path: "/v1/chat/completions", key: secret, body })
        const at = performance.now()
        hangUp()
        return (yield* Effect.promise(() => up.asked[number]!.closed)) - at
      })
      assert.isBelow(yield* quickest(100, hangingUp), 100)
      yield* settled(ledger)
      for (const row of yield* ledger) {
        assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
        assert.isAbove(row.input, 0)
        assert.isAtLeast(row.output, 1)
        assert.isBelow(row.cost, row.reserved)
      }
    })
  )

  it.live("before anything came closes the upstream too, and what was sent is booked", () =>
    Effect.gen(function* () {
      const { ledger, secret, up, url } = yield* facing(() => ({ delay: 60_000 }))
      for (const stream of [false, true]) {
        const body = { model: "up/m", messages, stream }
        const fiber = yield* Effect.forkChild(call(url, { path: "/v1/chat/completions", key: secret, body }))
        yield* until(() => up.asked.length === (stream ? 2 : 1))
        fiber.interruptUnsafe()
        yield* Effect.promise(() => up.asked.at(-1)!.closed)
      }
      yield* settled(ledger, 2)
      const rows = yield* ledger
      for (const row of rows) {
        assert.deepInclude({ ...row }, { status: "settled", estimated: 1 })
        assert.isAbove(row.input, 0)
      }
      // Of a plain answer nobody has seen what was written by then.
      assert.deepStrictEqual(
        rows.map(({ output }) => output > 0),
        [true, false]
      )
    })
  )

  it.live("says nothing against the deployment", () =>
    Effect.gen(function* () {
      const { pool, secret, up, url } = yield* facing(() => ({
        body: completionEvents("one").slice(0, 2),
        ending: "silence"
      }))
      for (let number = 0; number < 6; number++) {
        const body = { model: "up/m", messages, stream: true }
        const { hangUp } = yield* open(url, { path: "/v1/chat/completions", key: secret, body })
        hangUp()
        yield* Effect.promise(() => up.asked[number]!.closed)
      }
      const [status] = yield* pool.status
      assert.deepInclude({ ...status?.health }, { circuit: "closed", consecutiveFailures: 0, errorRate: 0 })
      yield* until(() => pool.inFlight("up/m") === 0)
    })
  )
})

describe("the gateway itself", () => {
  it.live("refuses with 503 while its store can't be written, never with 401, and recovers by itself", () =>
    Effect.gen(function* () {
      const { secret, store, up, url } = yield* facing(answering)
      const chat = call(url, { path: "/v1/chat/completions", key: secret, body: { model: "up/m", messages } })
      assert.strictEqual((yield* chat).status, 200)
      const intruder = new DatabaseSync(store)
      intruder.exec("BEGIN IMMEDIATE")
      const { headers, json, status } = yield* chat
      intruder.exec("ROLLBACK")
      intruder.close()
      assert.strictEqual(status, 503)
      assert.deepInclude(json.error, { type: "server_error", code: "store_unavailable", param: null })
      assert.match(String(headers["retry-after"]), /^[1-9]\d*$/)
      assert.notInclude(json.error.message, store)
      yield* eventually(chat, ({ status }) => status === 200)
      assert.isAtLeast(up.asked.length, 2)
    })
  )
})

/** `least`: rows that must be there. A reservation is written behind the request. */
const settled = (ledger: Effect.Effect<ReadonlyArray<{ readonly status: string }>>, least = 1) =>
  eventually(ledger, (rows) => rows.length >= least && rows.every(({ status }) => status !== "reserved"))
