/** SIGTERM to the real process: no new work, said politely; what is under way runs to its end, and is on the books. */
import { writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { gatewayProcess, listening } from "../support/GatewayProcess.ts"
import { call } from "../support/RawHttp.ts"
import { ledgerOf, masterKey, temporaryStore } from "../support/RunningGateway.ts"
import { completionEvents, upstream } from "../support/Upstream.ts"

it.live("SIGTERM refuses new work with 503 and lets a stream run to its end", () =>
  Effect.gen(function* () {
    const asked = Deferred.makeUnsafe<void>()
    let finish = () => {}
    const gate = new Promise<void>((resolve) => (finish = resolve))
    const { baseUrl } = yield* upstream(() => {
      Deferred.doneUnsafe(asked, Effect.void)
      return { gate, body: completionEvents("one ", "two") }
    })
    const store = yield* temporaryStore
    const config = join(dirname(store), "gateway.yaml")
    const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { sqlite: "${store}" }
providers: { up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none } }
deployments: [{ provider: up, model: m, price: { input: 1, output: 2 } }]
`
    yield* Effect.sync(() => writeFileSync(config, yaml))
    const { end, ready: url } = yield* gatewayProcess(["serve", "--config", config], listening)
    const { json } = yield* call(url, { path: "/admin/keys", key: masterKey, body: {} })
    const chat = (stream: boolean) =>
      call(url, {
        path: "/v1/chat/completions",
        key: String(json.key),
        body: { model: "up/m", stream, messages: [{ role: "user", content: "Hi" }] }
      })
    const stream = yield* Effect.forkChild(chat(true))
    yield* Deferred.await(asked)
    const ended = yield* Effect.forkChild(end("SIGTERM"))
    const ready = call(url, { method: "GET", path: "/readyz" })
    const drains = Effect.flatMap(ready, ({ status }) => (status === 503 ? Effect.void : Effect.fail(status)))
    yield* Effect.retry(Effect.delay(drains, "5 millis"), { times: 200 })
    const refused = yield* chat(false)
    assert.deepStrictEqual([refused.status, refused.json.error.code], [503, "draining"])
    assert.strictEqual(refused.headers["connection"], "close")
    assert.match(String(refused.headers["retry-after"]), /^[1-9]\d*$/)
    finish()
    const { status, text, trailers } = yield* Fiber.join(stream)
    assert.strictEqual(status, 200)
    assert.isTrue(text.endsWith("data: [DONE]\n\n"))
    assert.strictEqual(trailers["x-gateway-cost-usd"], "0.00002")
    assert.strictEqual(yield* Fiber.join(ended), 0)
    assert.deepStrictEqual(
      ledgerOf(store).map(({ cost, status }) => [status, cost]),
      [["settled", 20_000]]
    )
  })
)
