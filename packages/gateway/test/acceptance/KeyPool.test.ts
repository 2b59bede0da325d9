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
})
