/** What an embedder composes, over real Layers and a socket. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Result } from "effect"
import { defaults, HttpServer, knownVendors, layer, layerOpen, parseSettings, RateLimiter } from "../src/index.ts"
import { masterKey, temporaryStore } from "./support/RunningGateway.ts"

/** Admits everybody. */
const permit = {
  expect: () => Effect.void,
  cancel: Effect.void,
  settle: () => Effect.void,
  leave: Effect.void,
  undo: Effect.void
}
const mine = Layer.succeed(RateLimiter, {
  admit: () => Effect.succeed(permit),
  admitRules: () => Effect.succeed(permit),
  admitFeedback: () => Effect.void,
  allowances: () => Effect.succeed({ requests: undefined, tokens: undefined })
})

const settingsOf = (store: string) =>
  Effect.fromResult(
    parseSettings(
      JSON.stringify({
        master_key: masterKey,
        server: { host: "127.0.0.1", port: 0 },
        store: { sqlite: store },
        providers: { demo: { vendor: "demo" } },
        deployments: ["demo/mini"]
      }),
      { file: "gateway.json", vendors: knownVendors, environment: {}, readFile: () => Result.fail("no file is named") }
    )
  )

/** The warnings of a gateway that starts and stops. */
const warningsOf = Effect.fnUntraced(function* (
  gateway: (settings: Effect.Success<ReturnType<typeof settingsOf>>) => Layer.Layer<HttpServer, unknown>
) {
  const settings = yield* settingsOf(yield* temporaryStore)
  const warnings: Array<string> = []
  const log = Logger.layer([
    Logger.make<unknown, void>(({ logLevel, message }) => {
      if (logLevel === "Warn") warnings.push(String(message))
    })
  ])
  yield* Effect.scoped(Layer.build(Layer.provide(gateway(settings), log)))
  return warnings
})

describe("a service that is provided to layer(settings)", () => {
  it.live("is named in a warning, since it is not used", () =>
    Effect.gen(function* () {
      const warnings = yield* warningsOf((settings) => Layer.provide(layer(settings), mine))
      assert.lengthOf(warnings, 1)
      assert.match(warnings[0] ?? "", /^RateLimiter of your own: layer\(settings\) does not use it\. Use layerOpen/)
    }).pipe(Effect.scoped)
  )

  it.live("is used by layerOpen, without a word", () =>
    Effect.gen(function* () {
      const warnings = yield* warningsOf((settings) =>
        layerOpen(settings).pipe(Layer.provide(mine), Layer.provide(defaults(settings)))
      )
      assert.deepStrictEqual(warnings, [])
    }).pipe(Effect.scoped)
  )
})
