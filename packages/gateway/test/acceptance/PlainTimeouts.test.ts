/** A provider that takes plain calls and answers none of them: another one does, and who leaves earlier says so. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { limits, startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const body = { model: "spared", messages }

/** Answers the first `answers` calls, then hangs. */
const hanging = Effect.fnUntraced(function* (answers: number, timeouts: string) {
  const bad = yield* upstream((_, number) => ({
    body: completion("bad"),
    ...(number < answers ? {} : { gate: new Promise<void>(() => {}) })
  }))
  const good = yield* upstream(() => ({ body: completion("good") }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  bad: { protocol: openai-chat, base_url: "${bad.baseUrl}", api_key: none }
  good: { protocol: openai-chat, base_url: "${good.baseUrl}", api_key: none }
deployments:
  - { provider: bad, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 }, timeouts: ${timeouts} }
  - { provider: good, model: m, price: { input: 1, output: 2 }, bounds: { reasoning_tokens: 0 } }
models: { spared: [bad/m, good/m] }
failover: { base_delay: 1ms, session_affinity: false }
`
  })
  const asking = (secret: string) => call(gateway.url, { path: "/v1/chat/completions", key: secret, body })
  return { ...gateway, bad, good, asking }
})

describe("a provider that takes plain calls and does not answer", () => {
  it.live("is given up after `response`: the next one answers, and both are in the books", () =>
    Effect.gen(function* () {
      const { admin, asking, bad, createKey, ledger } = yield* hanging(0, "{ response: 300ms }")
      const { id, secret } = yield* createKey({ budgets: [{ limit: 1_000_000_000, window: "day", timeZone: "UTC" }] })
      const { headers, json, status } = yield* asking(secret)
      assert.deepStrictEqual([status, headers["x-gateway-retries"]], [200, "1"])
      assert.strictEqual(json.choices[0].message.content, "good")
      yield* Effect.promise(() => bad.asked[0]!.closed)
      const [first, second] = yield* ledger
      assert.deepInclude({ ...first }, { deployment: "bad/m", status: "settled", estimated: 1 })
      assert.deepInclude({ ...second }, { deployment: "good/m", status: "settled", estimated: 0, cost: 20_000 })
      const { json: key } = yield* admin("GET", `/admin/keys/${id}`)
      assert.strictEqual(key.budgets[0].reserved_usd, 0)
      assert.strictEqual(Math.round(key.budgets[0].spent_usd * 1e9), first!.cost + second!.cost)
    })
  )

  it.live("callers that leave long after it was due, of two keys: the next ones are answered elsewhere", () =>
    Effect.gen(function* () {
      const { asking, bad, createKey, good } = yield* hanging(3, "{ total: 900s }")
      const [one, two] = [yield* createKey({ limits: limits({}) }), yield* createKey()]
      for (let i = 0; i < 3; i++) assert.strictEqual((yield* asking(one.secret)).json.choices[0].message.content, "bad")
      const leave = Effect.fnUntraced(function* (secrets: ReadonlyArray<string>) {
        const before = bad.asked.length
        const calls = yield* Effect.forEach(secrets, (secret) => Effect.forkChild(asking(secret)))
        yield* until(() => bad.asked.length === before + secrets.length)
        // Answers of four tokens in milliseconds: one is due within a second.
        yield* Effect.sleep("1500 millis")
        yield* Effect.forEach(calls, (left) => Fiber.interrupt(left))
        yield* Effect.promise(() => Promise.all(bad.asked.slice(before).map(({ closed }) => closed)))
      })
      yield* leave(Array.from({ length: 7 }, () => one.secret))
      assert.lengthOf(good.asked, 0, "one caller never opens it")
      yield* leave([one.secret, two.secret])
      assert.strictEqual((yield* asking(two.secret)).json.choices[0].message.content, "good")
    })
  )
})
