/** How many calls one provider answers at once: as many as come, up to the bound that is configured, and none waits in silence. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readPrometheus, valueOf } from "../telemetry/Prometheus.ts"
import { eventually, until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]

/** A provider that answers nobody before `release`, and others that do at once. */
const holding = Effect.fnUntraced(function* (settings: string) {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const held = yield* upstream(() => ({ gate, body: completion("held") }))
  const spare = yield* upstream(() => ({ body: completion("spare") }))
  const gateway = yield* startGateway({
    yaml: `
providers:
  held: { protocol: openai-chat, base_url: "${held.baseUrl}", api_key: none${settings} }
  spare: { protocol: openai-chat, base_url: "${spare.baseUrl}", api_key: none }
deployments:
  - { provider: held, model: m }
  - { provider: spare, model: m }
models: { spared: [held/m, spare/m] }
failover: { base_delay: 1ms, session_affinity: false }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}) =>
    call(gateway.url, { path: "/v1/chat/completions", key: secret, body: { model: "held/m", messages, ...fields } })
  const calls = Effect.map(call(gateway.url, { method: "GET", path: "/metrics" }), ({ text }) => {
    const families = readPrometheus(text)
    const count = (state: string) => valueOf(families, "gateway_upstream_calls", { provider: "held", state })
    return { open: count("open"), waiting: count("waiting") }
  })
  return { ...gateway, held, spare, chat, calls, release: () => release() }
})

describe("calls at once to one provider", () => {
  it.live("three hundred are under way together, are counted, and leave their connections to the next", () =>
    Effect.gen(function* () {
      const { calls, chat, held, release } = yield* holding("")
      const many = yield* Effect.forEach(Array.from({ length: 300 }), () => Effect.forkChild(chat()))
      yield* until(() => held.asked.length === 300)
      assert.deepStrictEqual(yield* calls, { open: 300, waiting: 0 })
      release()
      for (const one of many) assert.strictEqual((yield* Fiber.join(one)).status, 200)
      assert.deepStrictEqual(yield* eventually(calls, ({ open }) => open === 0), { open: 0, waiting: 0 })
    })
  )

  for (const stream of [false, true]) {
    it.live(`beyond the bound another deployment is asked at once, ${stream ? "streamed" : "plain"}`, () =>
      Effect.gen(function* () {
        const { chat, held, release, spare } = yield* holding(", max_connections: 2")
        const two = yield* Effect.forEach([1, 2], () => Effect.forkChild(chat()))
        yield* until(() => held.asked.length === 2)
        const third = yield* chat({ model: "spared", stream: false })
        assert.deepStrictEqual([third.status, third.json.choices[0].message.content], [200, "spare"])
        assert.deepStrictEqual([held.asked.length, spare.asked.length], [2, 1])

        const refused = yield* chat({ stream })
        assert.strictEqual(refused.status, 503)
        assert.deepInclude(refused.json.error, { type: "upstream_error", code: "upstream_busy" })
        assert.strictEqual(refused.headers["retry-after"], "1")
        assert.lengthOf(held.asked, 2)

        release()
        for (const one of two) assert.strictEqual((yield* Fiber.join(one)).status, 200)
        assert.strictEqual((yield* chat()).status, 200, "there is room again")
      })
    )
  }

  it.live("a full provider is not a failing one: its circuit stays closed and nothing is booked", () =>
    Effect.gen(function* () {
      const { admin, chat, held, ledger, release } = yield* holding(", max_connections: 1")
      const first = yield* Effect.forkChild(chat())
      yield* until(() => held.asked.length === 1)
      for (let time = 0; time < 8; time++) assert.strictEqual((yield* chat()).status, 503)
      const { json } = yield* admin("GET", "/admin/deployments")
      const { health } = json.data.find(({ id }: { readonly id: string }) => id === "held/m")
      assert.deepInclude(health, { circuit: "closed", consecutive_failures: 0 })
      release()
      assert.strictEqual((yield* Fiber.join(first)).status, 200)
      const refused = (yield* ledger).slice(1)
      assert.lengthOf(refused, 8)
      for (const row of refused) assert.deepInclude({ ...row }, { status: "void", cost: 0 })
    })
  )

  it.live("one whose caller left while it waited or was answered takes no room any more", () =>
    Effect.gen(function* () {
      const { calls, chat, held, release } = yield* holding(", max_connections: 1")
      for (let time = 1; time <= 5; time++) {
        const one = yield* Effect.forkChild(chat())
        yield* until(() => held.asked.length === time)
        yield* Fiber.interrupt(one)
        yield* Effect.promise(() => held.asked[time - 1]!.closed)
      }
      assert.deepStrictEqual(yield* eventually(calls, ({ open }) => open === 0), { open: 0, waiting: 0 })
      release()
      assert.strictEqual((yield* chat()).status, 200)
    })
  )
})
