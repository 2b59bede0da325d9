/** What a receipt says of its price and its decision, through the real port: lines that add up to the cost, to the nano-dollar. */
import { assert, describe, it } from "@effect/vitest"
import { Receipt } from "@model-gateway/protocol"
import { Effect, Schema } from "effect"
import { eventually } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { upstream } from "../support/Upstream.ts"

const decode = Schema.decodeUnknownSync(Receipt, { onExcessProperty: "error" })
const nano = (usd: number | null) => Math.round((usd ?? Number.NaN) * 1e9)

const usage = {
  prompt_tokens: 1237,
  completion_tokens: 331,
  total_tokens: 1568,
  prompt_tokens_details: { cached_tokens: 1024 },
  completion_tokens_details: { reasoning_tokens: 113 }
}

const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "zebras" }, finish_reason: "stop" }],
  usage
}

const chunk = (delta: object, finish_reason: string | null, rest: object = {}) =>
  `data: ${JSON.stringify({ ...completion, object: "chat.completion.chunk", usage: null, choices: [{ index: 0, delta, finish_reason }], ...rest })}\n\n`

const events = [
  chunk({ role: "assistant", content: "zebras" }, null),
  chunk({}, "stop"),
  chunk({}, null, { choices: [], usage }),
  "data: [DONE]\n\n"
]

/** Rates that no token count makes whole nano-dollars of. */
const started = Effect.gen(function* () {
  const good = yield* upstream(({ body }) => ({ body: body["stream"] === true ? events : completion }))
  const bad = yield* upstream(() => ({ status: 503, body: { error: { message: "down" } } }))
  return yield* startGateway({
    yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${good.baseUrl}", api_key: none }
  down: { protocol: openai-chat, base_url: "${bad.baseUrl}", api_key: none }
deployments:
  - { provider: down, model: m, price: { input: 1, output: 2 } }
  - { provider: up, model: m, price: { input: 0.0373, cached_input: 0.00371, output: 0.1499, reasoning: 0.1501 } }
  - { provider: up, model: max, price: { input: 3, cached_input: 0.3, output: 15 } }
models: { both: [down/m, up/m] }
router: { buckets: { simple: [up/m], complex: [up/max] }, cut_points: [0.9] }
`
  })
})

const messages = [{ role: "user" as const, content: "Tell me about giraffes" }]

describe("the price on a receipt", () => {
  for (const [what, body, classes] of [
    ["a plain call", { model: "up/max", messages }, ["input", "cached_input", "output", "reasoning"]],
    ["cached input", { model: "up/m", messages }, ["input", "cached_input", "output", "reasoning"]],
    ["a call that failed over", { model: "both", messages }, ["input", "cached_input", "output", "reasoning"]],
    ["a stream", { model: "up/m", stream: true, messages }, ["input", "cached_input", "output", "reasoning"]]
  ] as const) {
    it.live(`adds up to the nano-dollar: ${what}`, () =>
      Effect.gen(function* () {
        const gateway = yield* started
        const { secret } = yield* gateway.createKey()
        const answer = yield* call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
        assert.strictEqual(answer.status, 200)
        const path = `/v1/receipts/${answer.headers["x-gateway-receipt-id"]}`
        const own = call(gateway.url, { method: "GET", path, key: secret })
        const receipt = decode((yield* eventually(own, ({ status }) => status === 200)).json)
        const lines = receipt.price_lines ?? []
        assert.deepStrictEqual(
          lines.map((line) => line.class),
          [...classes]
        )
        const sum = lines.reduce((total, { cost_usd }) => total + nano(cost_usd), 0)
        assert.strictEqual(sum, nano(receipt.cost_usd))
        const rows = yield* gateway.ledger
        assert.strictEqual(
          sum,
          rows.reduce((total, { cost }) => total + Number(cost), 0)
        )
        for (const { attempt, cost_usd, count, per, rate_usd } of lines) {
          assert.strictEqual(attempt, receipt.attempts.length)
          assert.closeTo(nano(cost_usd), ((count ?? 0) * (rate_usd ?? 0) * 1e9) / (per ?? 1), 1)
        }
        assert.strictEqual(receipt.baseline_usd, null)
      })
    )
  }

  it.live("stands beside how `auto` decided", () =>
    Effect.gen(function* () {
      const gateway = yield* started
      const { secret } = yield* gateway.createKey({ models: ["auto", "up/m"] })
      const answer = yield* call(gateway.url, {
        path: "/v1/chat/completions",
        key: secret,
        headers: { "x-gateway-session-id": "thread-7", "x-gateway-route-prefer": "cost" },
        body: { model: "auto", messages: [{ role: "user", content: "Prove that the square root of 2 is irrational" }] }
      })
      const id = String(answer.headers["x-gateway-receipt-id"])
      const receipt = decode((yield* gateway.admin("GET", `/admin/requests/${id}`)).json)
      const { considered, cut_points, features } = receipt.decision
      assert.strictEqual(receipt.session_id, "thread-7")
      assert.deepStrictEqual(cut_points?.length, 1)
      assert.isAbove(cut_points?.[0] ?? 0, 0.9)
      assert.strictEqual(features.length, 5)
      assert.deepStrictEqual(considered, [
        { deployment: "up/m", fate: "chosen", why: null },
        { deployment: "up/max", fate: "filtered", why: "up/max was skipped: the key may not use it" }
      ])
      // 213 at 3, 1024 at 0.3, 331 at 15 USD per million.
      assert.strictEqual(nano(receipt.baseline_usd), 213 * 3_000 + 1024 * 300 + 331 * 15_000)
      const own = decode((yield* call(gateway.url, { method: "GET", path: `/v1/receipts/${id}`, key: secret })).json)
      assert.deepStrictEqual(own.decision.considered, [{ deployment: "up/m", fate: "chosen", why: null }])
    })
  )
})
