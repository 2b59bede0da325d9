/** Several keys of one provider: those that do not work are set aside, the others answer, and the caller notices nothing. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import {
  type Asked,
  completion,
  completionEvents,
  event,
  type Reply,
  upstream,
  vendorError
} from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const keys = ["sk-first-0123456789", "sk-second-0123456789", "sk-third-0123456789", "sk-fourth-0123456789"]
const keyOf = ({ headers }: Asked) => keys.indexOf(String(headers["authorization"]).slice("Bearer ".length))

const revoked: Reply = {
  status: 401,
  body: vendorError("Incorrect API key", "invalid_request_error", "invalid_api_key")
}
const limited: Reply = {
  status: 429,
  headers: { "retry-after": "60" },
  body: vendorError("slow", "requests", "rate_limit_exceeded")
}
const broke: Reply = { status: 429, body: vendorError("used up", "insufficient_quota", "insufficient_quota") }
const fine = ({ body }: Asked): Reply => ({
  body: body.stream === true ? completionEvents("fine") : completion("fine")
})

/** Models `a` and `b` of one provider, and `spare/s` at another; `both` is `a`, then the spare one. */
const pooled = Effect.fnUntraced(function* (count: number, reply: (key: number, asked: Asked) => Reply | undefined) {
  const up = yield* upstream((asked) => reply(keyOf(asked), asked) ?? fine(asked))
  const spare = yield* upstream(fine)
  const gateway = yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: [${keys.slice(0, count).join(", ")}] }
  spare: { protocol: openai-chat, base_url: "${spare.baseUrl}", api_key: none }
deployments:
  - { provider: up, model: a, price: { input: 1, output: 2 } }
  - { provider: up, model: b, price: { input: 1, output: 2 } }
  - { provider: spare, model: s, price: { input: 1, output: 2 } }
models: { both: [up/a, spare/s] }
failover: { attempts: 2, base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model: "up/a", messages, ...fields }
    })
  const shown = Effect.map(gateway.admin("GET", "/admin/deployments"), ({ json, text }) => ({
    text,
    of: (id: string) => json.data.find((one: { readonly id: string }) => one.id === id)
  }))
  const askedWith = (key: number) => up.asked.filter((one) => keyOf(one) === key)
  return { ...gateway, up, spare, chat, shown, askedWith }
})

describe("a provider's list of keys", () => {
  for (const [what, refusal, state] of [
    ["revoked", revoked, "refused"],
    ["out of credit", broke, "out_of_credit"],
    ["rate limited", limited, "rate_limited"]
  ] as const) {
    for (const stream of [false, true]) {
      it.live(
        `one of two ${what}: every call is answered, and it is asked once, ${stream ? "streamed" : "plain"}`,
        () =>
          Effect.gen(function* () {
            const { askedWith, chat, shown, spare } = yield* pooled(2, (key) => (key === 0 ? refusal : undefined))
            const retries: Array<string | ReadonlyArray<string> | undefined> = []
            for (let n = 0; n < 10; n++) {
              const { headers, status, text } = yield* chat({ model: "both", stream })
              assert.strictEqual(status, 200, text)
              assert.strictEqual(headers["x-gateway-decision"], "up/a")
              retries.push(headers["x-gateway-retries"])
            }
            assert.deepStrictEqual(retries, ["1", ...Array.from({ length: 9 }, () => "0")])
            assert.lengthOf(askedWith(0), 1)
            assert.lengthOf(spare.asked, 0)
            const { health, keys: told } = (yield* shown).of("up/a")
            assert.deepInclude(health, { circuit: "closed", consecutive_failures: 0 })
            assert.deepStrictEqual(
              told.map((one: { index: number; state: string }) => [one.index, one.state]),
              [
                [0, state],
                [1, "ready"]
              ]
            )
            assert.match(told[0].until, /^\d{4}-\d\d-\d\dT/)
            assert.isNull(told[1].until)
          })
      )
    }
  }

  it.live("one of two that fails in the stream, before its first content: the other one answers", () =>
    Effect.gen(function* () {
      for (const [code, state] of [
        ["invalid_api_key", "refused"],
        ["insufficient_quota", "out_of_credit"]
      ]) {
        const begun = [...completionEvents("never").slice(0, 1), event(vendorError("no", "error", code))]
        const { askedWith, chat, shown, spare } = yield* pooled(2, (key) => (key === 0 ? { body: begun } : undefined))
        for (let n = 0; n < 4; n++) {
          const { headers, status, text } = yield* chat({ model: "both", stream: true })
          assert.deepStrictEqual([status, headers["x-gateway-decision"]], [200, "up/a"])
          assert.include(text, "fine")
          assert.notInclude(text, "never")
        }
        assert.lengthOf(spare.asked, 0)
        assert.lengthOf(askedWith(0), 1)
        assert.strictEqual((yield* shown).of("up/a").keys[0].state, state)
      }
    })
  )

  it.live("one of two revoked, and many calls at once: all are answered", () =>
    Effect.gen(function* () {
      const { askedWith, chat, spare } = yield* pooled(2, (key) => (key === 0 ? revoked : undefined))
      const answers = yield* Effect.all(
        Array.from({ length: 32 }, (_, n) => chat({ model: "both", stream: n % 2 === 0 })),
        { concurrency: "unbounded" }
      )
      for (const { headers, status } of answers) {
        assert.deepStrictEqual([status, headers["x-gateway-decision"]], [200, "up/a"])
      }
      assert.lengthOf(spare.asked, 0)
      assert.isAtMost(askedWith(0).length, 16)
    })
  )

  it.live("a key that was revoked is so for all models of the provider; a rate limit is the model's", () =>
    Effect.gen(function* () {
      const { askedWith, chat, shown } = yield* pooled(3, (key, { body }) =>
        key === 0 ? revoked : key === 1 && body.model === "a" ? limited : undefined
      )
      for (let n = 0; n < 3; n++) assert.strictEqual((yield* chat()).status, 200)
      for (let n = 0; n < 6; n++) assert.strictEqual((yield* chat({ model: "up/b" })).status, 200)
      assert.lengthOf(askedWith(0), 1)
      assert.lengthOf(
        askedWith(1).filter(({ body }) => body.model === "b"),
        3
      )
      const { of } = yield* shown
      const states = (id: string) => of(id).keys.map(({ state }: { readonly state: string }) => state)
      assert.deepStrictEqual(states("up/a"), ["refused", "rate_limited", "ready"])
      assert.deepStrictEqual(states("up/b"), ["refused", "ready", "ready"])
      assert.deepStrictEqual(states("spare/s"), [])
    })
  )

  it.live("all keys are tried before another deployment, however few attempts are allowed", () =>
    Effect.gen(function* () {
      const { chat, ledger, spare } = yield* pooled(4, (key) => (key < 3 ? revoked : undefined))
      const { headers, status } = yield* chat({ model: "both" })
      assert.deepStrictEqual([status, headers["x-gateway-retries"]], [200, "3"])
      assert.lengthOf(spare.asked, 0)
      const rows = yield* ledger
      assert.deepStrictEqual(
        rows.map(({ attempt, status }) => [attempt, status]),
        [
          [0, "void"],
          [1, "void"],
          [2, "void"],
          [3, "settled"]
        ]
      )
    })
  )

  it.live("another key is no fallback: a caller that wants none gets it too", () =>
    Effect.gen(function* () {
      const { chat } = yield* pooled(2, (key) => (key === 0 ? revoked : undefined))
      const { headers, status } = yield* chat({ model: "both" }, { "x-gateway-no-fallback": "1" })
      assert.deepStrictEqual([status, headers["x-gateway-decision"]], [200, "up/a"])
    })
  )

  it.live("every attempt stands in the receipt", () =>
    Effect.gen(function* () {
      const { admin, chat } = yield* pooled(2, (key) => (key === 0 ? revoked : undefined))
      const { headers } = yield* chat()
      const { json } = yield* admin("GET", `/admin/requests/${headers["x-gateway-receipt-id"]}`)
      assert.deepStrictEqual(
        json.attempts.map((one: { deployment: string; outcome: string; http_status: number; cost_usd: number }) => [
          one.deployment,
          one.outcome,
          one.http_status,
          one.cost_usd > 0
        ]),
        [
          ["up/a", "auth", 401, false],
          ["up/a", "ok", 200, true]
        ]
      )
    })
  )

  it.live("no key left: the circuits of all its deployments are open, others answer, and alone it is 502", () =>
    Effect.gen(function* () {
      const { chat, shown, spare, up } = yield* pooled(2, () => revoked)
      const alone = yield* chat()
      assert.deepStrictEqual([alone.status, alone.json.error.code], [502, "upstream_auth"])
      assert.lengthOf(up.asked, 2)
      const { of, text } = yield* shown
      assert.deepStrictEqual([of("up/a").health.circuit, of("up/b").health.circuit], ["open", "open"])
      for (const key of keys) assert.notInclude(text, key.slice(3, 12))
      const { headers, status } = yield* chat({ model: "both" })
      assert.deepStrictEqual(
        [status, headers["x-gateway-decision"], headers["x-gateway-retries"]],
        [200, "spare/s", "0"]
      )
      assert.lengthOf(spare.asked, 1)
      assert.lengthOf(up.asked, 2)
    })
  )

  it.live("one refused, the other rate limited: 429 with its wait", () =>
    Effect.gen(function* () {
      for (const first of [0, 1]) {
        const { chat } = yield* pooled(2, (key) => (key === first ? revoked : limited))
        const { headers, json, status } = yield* chat()
        assert.deepStrictEqual([status, json.error.code], [429, "upstream_rate_limited"])
        assert.strictEqual(headers["retry-after"], "60")
      }
    })
  )

  it.live("a server error is the server's: no other key is tried for it", () =>
    Effect.gen(function* () {
      const { chat, up } = yield* pooled(3, () => ({ status: 500, body: vendorError("down", "server_error") }))
      const { status, headers } = yield* chat({ model: "both" })
      assert.deepStrictEqual([status, headers["x-gateway-decision"]], [200, "spare/s"])
      assert.lengthOf(up.asked, 1)
    })
  )
})
