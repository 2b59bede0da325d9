/** What every successful answer carries: the contract's five headers, the exact cost, and where the two come from. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, eventsOf, type Answered } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** A gateway before one upstream that answers "one two", priced at 1 USD in and 2 USD out per million tokens: 20,000 nano-USD. */
const priced = Effect.gen(function* () {
  const { baseUrl } = yield* upstream(({ body }) => ({
    body: body.stream === true ? completionEvents("one ", "two") : completion("one two")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 } }
  - { provider: up, model: "modèle 5%/π", price: { input: 1, output: 2 } }
  - { provider: up, model: unpriced }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object, headers: Readonly<Record<string, string>> = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model: "up/m", messages, ...fields }
    })
  return { ...gateway, chat }
})

/** 12 tokens in, 4 out. */
const COST = "0.00002"

const five = ({ headers }: Answered) => ({
  decision: headers["x-gateway-decision"],
  bucket: headers["x-gateway-route-bucket"],
  score: headers["x-gateway-route-score"],
  cost: headers["x-gateway-cost-usd"],
  retries: headers["x-gateway-retries"]
})

describe("a successful answer", () => {
  it.live("has the five headers, and the same in its body", () =>
    Effect.gen(function* () {
      const { chat } = yield* priced
      const answer = yield* chat({})
      assert.strictEqual(answer.status, 200)
      assert.deepStrictEqual(five(answer), { decision: "up/m", bucket: "none", score: "0", cost: COST, retries: "0" })
      const { receipt_id, ...gateway } = answer.json.gateway
      assert.deepStrictEqual(gateway, {
        decision: "up/m",
        deployment: "up/m",
        bucket: "none",
        score: 0,
        cost_usd: 0.00002,
        retries: 0
      })
      assert.strictEqual(receipt_id, answer.headers["x-gateway-receipt-id"])
      assert.strictEqual(answer.json.usage.cost, 0.00002)
      assert.strictEqual(answer.headers["x-gateway-deployment"], "up/m")
      assert.isUndefined(answer.headers["x-gateway-cost-final"])
    })
  )

  it.live("names the bucket and the score where the router chose", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway()
      const { secret } = yield* gateway.createKey()
      const content = "How do I boil an egg?"
      const body = { model: "auto", messages: [{ role: "user", content }] }
      const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
      const { bucket, decision, score } = five(answer)
      assert.deepStrictEqual([decision, bucket], ["demo/mini", "simple"])
      assert.isAbove(Number(score), 0)
      assert.isAtMost(Number(score), 0.35)
      assert.strictEqual(answer.json.gateway.score, Number(score))
    })
  )

  it.live("streams: an upper bound before, the exact cost in the last event and the trailer", () =>
    Effect.gen(function* () {
      const { chat, ledger } = yield* priced
      const answer = yield* chat({ stream: true })
      assert.strictEqual(answer.status, 200)
      assert.match(String(answer.headers["content-type"]), /^text\/event-stream/)
      assert.strictEqual(answer.headers["cache-control"], "private, no-store")
      assert.strictEqual(answer.headers["x-accel-buffering"], "no")
      assert.strictEqual(answer.headers["x-gateway-cost-final"], "false")
      const { cost, ...rest } = five(answer)
      assert.deepStrictEqual(rest, { decision: "up/m", bucket: "none", score: "0", retries: "0" })
      assert.isAbove(Number(cost), Number(COST))
      const events = eventsOf(answer.text)
      assert.strictEqual(events.at(-1), "[DONE]")
      const last = events.at(-2)
      assert.strictEqual(last.choices[0].finish_reason, "stop")
      assert.strictEqual(last.gateway.cost_usd, 0.00002)
      assert.strictEqual(last.gateway.receipt_id, answer.headers["x-gateway-receipt-id"])
      assert.strictEqual(answer.trailers["x-gateway-cost-usd"], COST)
      assert.strictEqual(events.filter((event) => event.gateway !== undefined).length, 1)
      assert.deepInclude({ ...(yield* ledger)[0] }, { status: "settled", cost: 20_000, estimated: 0 })
    })
  )

  it.live("has no word of usage in a stream whose caller did not ask for it", () =>
    Effect.gen(function* () {
      const { chat } = yield* priced
      const events = eventsOf((yield* chat({ stream: true })).text).slice(0, -1)
      assert.isTrue(events.every((event) => event.choices.length === 1))
      assert.isTrue(events.every((event) => event.usage === undefined || event.usage === null))
    })
  )

  it.live("has one usage chunk, with the cost, last in a stream whose caller asked for it", () =>
    Effect.gen(function* () {
      const { chat } = yield* priced
      const answer = yield* chat({ stream: true, stream_options: { include_usage: true } })
      const events = eventsOf(answer.text)
      assert.strictEqual(events.at(-1), "[DONE]")
      const last = events.at(-2)
      assert.deepStrictEqual(last.choices, [])
      assert.deepInclude(last.usage, { prompt_tokens: 12, completion_tokens: 4, total_tokens: 16, cost: 0.00002 })
      assert.strictEqual(last.gateway.cost_usd, 0.00002)
      assert.strictEqual(events.filter((event) => event.choices?.length === 0).length, 1)
      assert.strictEqual(answer.trailers["x-gateway-cost-usd"], COST)
    })
  )

  it.live("writes each event as one line of JSON after `data: `", () =>
    Effect.gen(function* () {
      const { chat } = yield* priced
      const { text } = yield* chat({ stream: true })
      assert.isTrue(text.endsWith("data: [DONE]\n\n"))
      assert.isTrue(text.split("\n\n").every((frame) => frame === "" || /^data: [^\n]+$/.test(frame)))
    })
  )

  it.live("does not look free when nobody knows its price", () =>
    Effect.gen(function* () {
      const { chat, ledger } = yield* priced
      const answer = yield* chat({ model: "up/unpriced" })
      assert.strictEqual(five(answer).cost, "0")
      assert.strictEqual(answer.headers["x-gateway-cost-known"], "false")
      assert.isNull(answer.json.usage.cost)
      assert.isNull(answer.json.gateway.cost_usd)
      assert.deepInclude({ ...(yield* ledger)[0] }, { cost: 0, price_source: null } as object)
    })
  )

  it.live("percent-encodes names that a header can't hold", () =>
    Effect.gen(function* () {
      const { chat } = yield* priced
      const answer = yield* chat({ model: "up/modèle 5%/π" })
      assert.strictEqual(answer.status, 200)
      const decision = String(answer.headers["x-gateway-decision"])
      assert.match(decision, /^[\x21-\x7e]+$/)
      assert.strictEqual(decodeURIComponent(decision), "up/modèle 5%/π")
    })
  )

  it.live("echoes the caller's request id, unless it could not be one", () =>
    Effect.gen(function* () {
      const { chat } = yield* priced
      assert.strictEqual((yield* chat({}, { "x-request-id": "trace-7" })).headers["x-request-id"], "trace-7")
      const own = (yield* chat({}, { "x-request-id": "x".repeat(129) })).headers["x-request-id"]
      assert.match(String(own), /^req_/)
    })
  )
})
