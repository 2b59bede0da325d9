/** The gateway as a listener of a server that an application has already. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Result, Scope } from "effect"
import {
  defaults,
  GatewayHandler,
  handlerOpen,
  KeyStore,
  knownVendors,
  parseSettings,
  ProviderPool
} from "../../src/index.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey } from "../support/RunningGateway.ts"

const text = `
master_key: "${masterKey}"
store: { sqlite: ":memory:" }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`

const readFile = () => Result.fail("no file is named")
const read = parseSettings(text, { file: "gateway.yaml", vendors: knownVendors, environment: {}, readFile })

describe("a gateway on a server of the application's own", () => {
  it.live("answers beside it; closing the scope lets running requests end and refuses new ones", () =>
    Effect.gen(function* () {
      const settings = yield* Effect.fromResult(read)
      const [started, released] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const held = Layer.effect(
        ProviderPool,
        Effect.map(ProviderPool, (pool) => ({
          ...pool,
          complete: (attempt) =>
            Deferred.succeed(started, undefined).pipe(
              Effect.andThen(Deferred.await(released)),
              Effect.andThen(pool.complete(attempt))
            )
        }))
      )
      const scope = yield* Scope.make()
      const services = yield* Layer.buildWithScope(
        handlerOpen(settings).pipe(Layer.provide(held), Layer.provideMerge(defaults(settings))),
        scope
      )
      const { handle } = Context.get(services, GatewayHandler)
      const server = createServer((request, response) =>
        request.url === "/own" ? response.end("the application") : handle(request, response)
      )
      yield* Effect.callback<void>((listening) => void server.listen(0, "127.0.0.1", () => listening(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { secret } = yield* Context.get(services, KeyStore).create({ name: "example" })
      const body = { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] }
      const ask = call(url, { path: "/v1/chat/completions", key: secret, body })

      const running = yield* Effect.forkChild(ask)
      yield* Deferred.await(started)
      assert.strictEqual((yield* call(url, { method: "GET", path: "/own" })).text, "the application")
      assert.strictEqual((yield* call(url, { method: "GET", path: "/readyz" })).status, 200)

      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      while ((yield* call(url, { method: "GET", path: "/readyz" })).status !== 503) yield* Effect.sleep("5 millis")
      const refused = yield* ask
      assert.deepStrictEqual([refused.status, refused.json.error.code], [503, "draining"])
      assert.strictEqual((yield* call(url, { method: "GET", path: "/own" })).text, "the application")
      yield* Deferred.succeed(released, undefined)
      const answered = yield* Fiber.join(running)
      assert.strictEqual(answered.status, 200, answered.text)
      yield* Fiber.join(closing)
    }).pipe(Effect.scoped)
  )
})
