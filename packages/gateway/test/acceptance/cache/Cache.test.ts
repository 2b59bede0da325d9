/** The response cache through the port: an equal request gets the earlier response, at cost 0, and it is counted as such. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { type Answered, eventsOf } from "../../support/RawHttp.ts"
import { completion, completionEvents, event, type Reply, vendorError } from "../../support/Upstream.ts"
import { eventually, until } from "../../support/Patience.ts"
import { cachingGateway } from "./CacheRun.ts"

const statusOf = ({ headers }: Answered) => String(headers["cache-status"])

/** A response without what is its own: ids, cost and the gateway's data. */
const sameOf = (text: string): string =>
  text
    .replaceAll(/"id":"[^"]+"/g, "")
    .replaceAll(/"gateway":\{[^}]*\}/g, "")
    .replaceAll(/"cost":[\d.e-]+/g, "")

describe("an equal request", () => {
  for (const stream of [false, true]) {
    it.live(`gets the earlier response under another id, at cost 0${stream ? ", as a stream" : ""}`, () =>
      Effect.gen(function* () {
        const { admin, asked, chat, ledger } = yield* cachingGateway()
        const fields = { stream, stream_options: { include_usage: true } }
        const first = yield* chat(fields)
        assert.strictEqual(statusOf(first), `model-gateway; fwd=uri-miss${stream ? "" : "; stored"}`)
        assert.strictEqual(first.headers["x-gateway-cache"], "miss")
        const second = yield* chat(fields)
        assert.match(statusOf(second), /^model-gateway; hit; ttl=3[56]\d\d$/)
        assert.strictEqual(second.headers["x-gateway-cache"], "hit")
        assert.match(second.headers["age"]!, /^\d$/)
        assert.strictEqual(stream ? second.trailers["x-gateway-cost-usd"] : second.headers["x-gateway-cost-usd"], "0")
        for (const name of ["decision", "route-bucket", "route-score", "retries", "receipt-id"]) {
          assert.isDefined(second.headers[`x-gateway-${name}`])
        }
        assert.strictEqual(sameOf(second.text), sameOf(first.text))
        const bodies = [first, second].map(({ json, text }) => (stream ? eventsOf(text).slice(0, -1) : [json]))
        const [old, fresh] = bodies.map((all) => new Set(all.map(({ id }) => id)))
        assert.strictEqual(old!.size, 1)
        assert.strictEqual(fresh!.size, 1)
        assert.notDeepEqual(old, fresh)
        assert.deepInclude(bodies[1]!.at(-1).gateway, { cache: "hit", cost_usd: 0, retries: 0 })
        assert.strictEqual(bodies[1]!.at(-1).usage.cost, 0)
        assert.lengthOf(asked, 1)
        const receipt = second.headers["x-gateway-receipt-id"]!
        const { json } = yield* admin("GET", `/admin/requests/${receipt}`)
        assert.deepStrictEqual(json.attempts, [])
        assert.deepInclude(json, { cost_usd: 0, status: "ok" })
        assert.deepInclude(json.cache, {
          result: "hit",
          saved_usd: 0.00002,
          from_receipt: first.headers["x-gateway-receipt-id"]
        })
        // No caller waits for the row of a hit.
        const spend = yield* eventually(admin("GET", "/admin/spend"), ({ json }) => json.total.requests === 2)
        assert.deepInclude(spend.json.total, {
          requests: 2,
          cost_usd: 0.00002,
          cache_hits: 1,
          cache_saved_usd: 0.00002
        })
        assert.lengthOf(yield* ledger, 2)
      })
    )
  }

  it.live("of another key gets a response of its own, and one of the same team shares it where the team says so", () =>
    Effect.gen(function* () {
      const { admin, asked, chat, createKey } = yield* cachingGateway()
      const other = yield* createKey()
      yield* chat()
      assert.strictEqual((yield* chat({}, {}, other.secret)).headers["x-gateway-cache"], "miss")
      const put = yield* admin("PUT", "/admin/teams/t", { cache: { namespace: "team" } })
      assert.deepStrictEqual(put.json.cache, { namespace: "team" })
      const [a, b] = [yield* createKey({ team: "t" }), yield* createKey({ team: "t" })]
      assert.strictEqual((yield* chat({}, {}, a.secret)).headers["x-gateway-cache"], "miss")
      assert.strictEqual((yield* chat({}, {}, b.secret)).headers["x-gateway-cache"], "hit")
      assert.lengthOf(asked, 3)
    })
  )

  it.live("waits for the first one, so that 20 at once make one call", () =>
    Effect.gen(function* () {
      let finish = () => {}
      const gate = new Promise<void>((resolve) => (finish = resolve))
      const { asked, chat } = yield* cachingGateway({
        reply: (_, number) => (number === 0 ? { gate, body: completion("slow") } : undefined)
      })
      const all = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 20 }, () => chat()),
          { concurrency: 20 }
        )
      )
      yield* until(() => asked.length === 1)
      finish()
      const collapsed = (yield* Fiber.join(all)).filter((one) => statusOf(one).endsWith("; collapsed"))
      assert.lengthOf(asked, 1)
      assert.isAbove(collapsed.length, 0)
    })
  )
})

/** Whether a later request gets the response to `fields`, and how many calls the two made. */
const repeated = Effect.fnUntraced(function* (options: Parameters<typeof cachingGateway>[0], fields: object = {}) {
  const { asked, chat } = yield* cachingGateway(options)
  yield* chat(fields)
  const second = yield* chat(fields)
  return [second.headers["x-gateway-cache"] ?? null, asked.length, statusOf(second)] as const
})

describe("a response that is not ordinary and complete", () => {
  const stopped = (finish_reason: string) => ({
    body: completion("x", {
      choices: [{ index: 0, message: { role: "assistant", content: "x" }, finish_reason, logprobs: null }]
    })
  })
  const streamed = (...events: ReadonlyArray<string>) => ({
    body: completionEvents("a", "b").slice(0, 3).concat(events)
  })
  const tools = [{ type: "function", function: { name: "f", parameters: {} } }]
  const called = {
    body: completion("", {
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: null,
            tool_calls: [{ id: "call_123456", type: "function", function: { name: "f", arguments: "{}" } }]
          },
          finish_reason: "stop"
        }
      ]
    })
  }
  const cases: ReadonlyArray<readonly [string, Reply, object]> = [
    ["filtered", stopped("content_filter"), {}],
    ["ended by the provider's own limit", stopped("length"), {}],
    ["a call of the client's function", called, { tools }],
    ["failed", { status: 400, body: vendorError("no") }, {}],
    ["a stream that is cut", { ...streamed(), ending: "reset" }, { stream: true }],
    ["a stream without an end", streamed(), { stream: true }],
    ["without a reason for its end", stopped(""), {}],
    ["ended by a reason that nobody knows", stopped("weird"), {}],
    [
      "a stream without a reason for its end",
      { body: completionEvents("a").filter((one) => !one.includes('"stop"')) },
      { stream: true }
    ],
    ["a stream with an error", streamed(event(vendorError("broke"))), { stream: true }],
    [
      "a filtered stream",
      { body: completionEvents("a").map((one) => one.replace('"stop"', '"content_filter"')) },
      { stream: true }
    ]
  ]
  for (const [name, reply, fields] of cases) {
    it.live(`is not stored: ${name}`, () =>
      Effect.gen(function* () {
        const [cache, calls] = yield* repeated({ reply: () => reply, more: "failover: { attempts: 1 }" }, fields)
        assert.notStrictEqual(cache, "hit")
        assert.strictEqual(calls, 2)
      })
    )
  }

  it.live("is stored where the caller set the limit, or the configuration allows calls of functions", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* repeated({ reply: () => stopped("length") }, { max_tokens: 5 }))[0], "hit")
      const allowed = { cache: "{ mode: on, tool_calls: true }", reply: () => called }
      assert.strictEqual((yield* repeated(allowed, { tools }))[0], "hit")
    })
  )

  it.live("is not stored where a guardrail changed or flagged the response", () =>
    Effect.gen(function* () {
      for (const action of ["mask", "flag"]) {
        const more = `guardrails: { checks: { c: { kind: pii, action: ${action} } }, policies: { p: { response: [c] } }, always: [p] }`
        const reply = () => ({ body: completion("write to anna@example.com") })
        assert.deepStrictEqual((yield* repeated({ more, reply })).slice(0, 2), ["miss", 2])
        assert.deepStrictEqual((yield* repeated({ more })).slice(0, 2), ["hit", 1])
      }
    })
  )

  it.live("is not looked for where it depends on more than the request", () =>
    Effect.gen(function* () {
      const image = (url: string) => ({
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }]
      })
      for (const [detail, fields] of [
        ["n", { n: 5 }],
        ["remote", image("https://example.com/a.png")],
        ["size", { messages: [{ role: "user", content: "x".repeat(1_100_000) }] }]
      ] as const) {
        const found = yield* repeated({}, fields)
        assert.deepStrictEqual(found, ["bypass", 2, `model-gateway; fwd=bypass; detail=${detail}`])
      }
    })
  )
})

describe("the caller's headers", () => {
  it.live("opt in, call the provider again, keep nothing, or accept only young entries", () =>
    Effect.gen(function* () {
      const { asked, chat } = yield* cachingGateway({ cache: "{ mode: on_request }" })
      const on = { "x-gateway-cache": "on" }
      assert.isUndefined((yield* chat()).headers["cache-status"])
      assert.strictEqual((yield* chat({}, { ...on, "cache-control": "no-store" })).headers["x-gateway-cache"], "bypass")
      assert.strictEqual((yield* chat({}, on)).json.choices[0].message.content, "number 2")
      assert.strictEqual((yield* chat({}, on)).json.choices[0].message.content, "number 2")
      const again = yield* chat({}, { ...on, "cache-control": "max-age=60, No-Cache" })
      assert.strictEqual(statusOf(again), "model-gateway; fwd=request; stored")
      assert.strictEqual((yield* chat({}, on)).json.choices[0].message.content, "number 3")
      assert.strictEqual((yield* chat({}, { ...on, "cache-control": "max-age=60" })).headers["x-gateway-cache"], "hit")
      assert.lengthOf(asked, 4)
      for (const [name, value] of [
        ["x-gateway-cache", "yes"],
        ["cache-control", "max-age=soon"]
      ] as const) {
        const { json, status } = yield* chat({}, { [name]: value })
        assert.deepStrictEqual([status, json.error.code, json.error.param], [400, "invalid_field", name])
      }
    })
  )

  it.effect("and the key's lifetime end an entry", () =>
    Effect.gen(function* () {
      const { admin, asked, chat, id } = yield* cachingGateway()
      yield* chat()
      yield* TestClock.adjust("10 minutes")
      const stale = yield* chat({}, { "cache-control": "max-age=599" })
      assert.strictEqual(statusOf(stale), "model-gateway; fwd=stale; stored")
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* chat()).headers["age"], "600")
      yield* admin("PATCH", `/admin/keys/${id}`, { cache: { ttl_seconds: 599 } })
      assert.strictEqual(statusOf(yield* chat()), "model-gateway; fwd=stale; stored")
      yield* admin("PATCH", `/admin/keys/${id}`, { cache: null })
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual((yield* chat()).headers["x-gateway-cache"], "miss")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual((yield* chat()).headers["x-gateway-cache"], "hit")
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* chat()).headers["x-gateway-cache"], "miss")
      assert.lengthOf(asked, 5)
      yield* TestClock.adjust("1 minute")
      const { text } = yield* eventually(admin("GET", "/metrics"), (one) => /cache_entries [^0]/.test(one.text))
      assert.match(text, /^gateway_cache_entries 1$/m)
      assert.match(text, /^gateway_cache_bytes [1-9]\d+$/m)
      assert.match(text, /^gateway_cache_evictions_total\{reason="expired"\} \d$/m)
      assert.match(text, /^gateway_cache_requests_total\{endpoint="\/v1\/chat\/completions",result="hit"\} 2$/m)
    })
  )
})

describe("an erasure", () => {
  it.live("by revoking a key, deleting a team or purging leaves nothing to find", () =>
    Effect.gen(function* () {
      const gateway = yield* cachingGateway({ cache: "{ mode: on, namespace: team }" })
      const { admin, chat, createKey, id } = gateway
      yield* admin("PUT", "/admin/teams/t", {})
      const a = yield* createKey({ team: "t" })
      const b = yield* createKey({ team: "t" })
      yield* chat()
      yield* chat({}, {}, a.secret)
      const held = Effect.map(admin("GET", "/admin/cache"), ({ json }) => json.data)
      assert.deepStrictEqual(
        (yield* held).map(({ entries, owner }: { entries: number; owner: string }) => [owner, entries]).sort(),
        [
          [`key:${id}`, 1],
          ["team:t", 1]
        ].sort()
      )
      assert.strictEqual((yield* chat({}, {}, b.secret)).headers["x-gateway-cache"], "hit")
      yield* admin("DELETE", `/admin/keys/${a.id}`)
      assert.strictEqual((yield* chat({}, {}, b.secret)).headers["x-gateway-cache"], "miss")
      yield* admin("DELETE", "/admin/teams/t?force=true")
      assert.strictEqual((yield* chat({}, {}, b.secret)).headers["x-gateway-cache"], "miss")
      assert.strictEqual((yield* admin("DELETE", "/admin/cache?model=up/*")).status, 200)
      assert.deepStrictEqual(yield* held, [])
      yield* chat()
      const { json, status } = yield* admin("DELETE", "/admin/cache")
      assert.deepStrictEqual([status, json.error.code], [400, "invalid_field"])
      yield* admin("DELETE", `/admin/cache?key=${id}`)
      assert.deepStrictEqual(yield* held, [])
      const audit = yield* admin("GET", "/admin/audit?action=cache.purge")
      assert.lengthOf(audit.json.data, 2)
    })
  )

  it.live("forbids to store the response of a request that began before it", () =>
    Effect.gen(function* () {
      let finish = () => {}
      const gate = new Promise<void>((resolve) => (finish = resolve))
      const { admin, asked, chat, id } = yield* cachingGateway({
        reply: (_, number) => (number === 0 ? { gate, body: completion("slow") } : undefined)
      })
      const first = yield* Effect.forkChild(chat())
      yield* until(() => asked.length === 1)
      yield* admin("DELETE", `/admin/cache?key=${id}`)
      finish()
      yield* Fiber.join(first)
      assert.strictEqual((yield* chat()).headers["x-gateway-cache"], "miss")
    })
  )
})
