/** The store fails under a running gateway: work in flight ends well, new work is refused, and it goes on by itself. */
import { dirname } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import { verifyLedger } from "../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { eventually, quickest, until } from "../support/Patience.ts"
import { call } from "../support/RawHttp.ts"
import { ledgerOf, masterKey, startGateway, temporaryStore } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"
import { scribble, troubles } from "./TroubledStore.ts"

const messages = [{ role: "user", content: "Hi" }]

/** An upstream that answers at once, and requests for `slow` only when `release` runs. */
const setup = Effect.fnUntraced(function* (store: string) {
  let release = () => {}
  const gate = new Promise<void>((resolve) => (release = resolve))
  const up = yield* upstream(({ body }) => ({
    ...(body.model === "slow" ? { gate } : {}),
    body: body.stream === true ? completionEvents("one ", "two") : completion("one two")
  }))
  const gateway = yield* startGateway({
    store,
    yaml: `
providers: { up: { protocol: openai-chat, base_url: "${up.baseUrl}", api_key: none } }
deployments:
  - { provider: up, model: m, price: { input: 1, output: 2 } }
  - { provider: up, model: slow, price: { input: 1, output: 2 } }
`
  })
  const { secret } = yield* gateway.createKey()
  const chat = (fields: object = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      body: { model: "up/m", max_tokens: 10, messages, ...fields }
    })
  return { ...gateway, chat, release: () => release(), up }
})

/** Asks until the answer has this status. */
const soon = <A extends { readonly status: number }>(chat: Effect.Effect<A>, status: number) =>
  eventually(chat, (answer) => answer.status === status)

const differences = (store: string) =>
  Effect.scoped(Effect.provide(verifyLedger, Layer.fresh(Database.layer({ filename: store }))))

describe("a store in trouble", () => {
  for (const [name, prepare] of Object.entries(troubles)) {
    it.live(`${name}: new work is a 503, work in flight ends well, and all goes on without a restart`, (context) =>
      Effect.gen(function* () {
        const trouble = yield* prepare
        if (trouble === undefined) return context.skip("this machine does not permit to make this trouble")
        yield* Effect.scoped(
          Effect.gen(function* () {
            const { chat, release, up, url } = yield* setup(trouble.store)
            assert.strictEqual((yield* chat()).status, 200)
            const plain = yield* Effect.forkChild(chat({ model: "up/slow" }))
            const stream = yield* Effect.forkChild(chat({ model: "up/slow", stream: true }))
            // Their reservations are written by then, which takes some milliseconds.
            yield* until(() => up.asked.length === 3 && ledgerOf(trouble.store).length === 3)
            trouble.spoil()
            const refused = yield* soon(chat(), 503)
            const ready = (path: string) => Effect.map(call(url, { method: "GET", path }), ({ status }) => status)
            assert.strictEqual(yield* ready("/readyz"), 503)
            // A load balancer that asks this goes on passing requests, and callers see the gateway's own 503.
            assert.strictEqual(yield* ready("/readyz?exclude=store"), 200)
            const asked = up.asked.length
            /** The longest that the event loop stood still while fifty were refused. */
            const refusing = Effect.fnUntraced(function* () {
              const delay = monitorEventLoopDelay({ resolution: 1 })
              delay.enable()
              for (let i = 0; i < 50; i++) {
                const { headers, json, status } = yield* chat({ stream: i % 2 === 0 })
                assert.strictEqual(status, 503)
                assert.strictEqual(json.error.code, "store_unavailable")
                assert.match(String(headers["retry-after"]), /^[1-9]\d*$/)
              }
              delay.disable()
              return delay.percentile(99) / 1e6
            })
            assert.isBelow(yield* quickest(50, refusing), 50)
            assert.strictEqual(up.asked.length, asked, "nothing refused reached the provider")
            assert.notInclude(refused.json.error.message, dirname(trouble.store))
            const key = yield* call(url, { path: "/admin/keys", key: masterKey, body: {} })
            assert.strictEqual(key.status, 503)

            release()
            assert.strictEqual((yield* Fiber.join(plain)).status, 200)
            const streamed = yield* Fiber.join(stream)
            assert.isTrue(streamed.text.endsWith("data: [DONE]\n\n"))
            assert.strictEqual(streamed.trailers["x-gateway-cost-usd"], "0.00002")

            trouble.mend()
            yield* soon(chat(), 200)
            const rows = ledgerOf(trouble.store)
            assert.deepStrictEqual(
              rows.filter(({ status }) => status !== "settled"),
              []
            )
            assert.lengthOf(rows, up.asked.length)
          })
        )
        assert.deepStrictEqual(yield* differences(trouble.store), [])
      })
    )
  }

  it.live("a page that is garbage: a key on it is a 503, not a 401, and the process stays to be looked at", () =>
    Effect.gen(function* () {
      const store = yield* temporaryStore
      const secret = yield* Effect.scoped(
        Effect.gen(function* () {
          const { createKey } = yield* setup(store)
          return (yield* createKey()).secret
        })
      )
      const { url } = yield* startGateway({ store })
      scribble(store)
      const cold = yield* call(url, {
        path: "/v1/chat/completions",
        key: secret,
        body: { model: "demo/mini", messages }
      })
      assert.deepStrictEqual([cold.status, cold.json.error.code], [503, "store_unavailable"])
      assert.strictEqual((yield* call(url, { method: "GET", path: "/healthz" })).status, 200)
    })
  )
})
