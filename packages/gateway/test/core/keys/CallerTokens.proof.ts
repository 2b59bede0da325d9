/** What a token that is known costs a request, beside a virtual key: CPU of this process. */
import { assert, it } from "@effect/vitest"
import { Console, Effect, Layer } from "effect"
import { Telemetry } from "../../../src/core/domain/Telemetry.ts"
import * as CallerTokens from "../../../src/core/keys/CallerTokens.ts"
import { KeyStore } from "../../../src/core/keys/KeyStore.ts"
import * as IssuerKeys from "../../../src/providers/auth/IssuerKeys.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { AUDIENCE, startIssuer } from "../../support/TokenIssuers.ts"

const REQUESTS = 200_000
const MOST_MICROS = 15

/** Each request reads the credential from a header, so its text is new each time and has no hash yet. */
const fresh = (text: string): string => Buffer.from(text, "latin1").toString("latin1")

const cost = Effect.fnUntraced(function* <E>(
  credential: string,
  admit: (credential: string) => Effect.Effect<unknown, E>
) {
  const one = (count: number) =>
    Effect.forEach(Array.from({ length: count }), () => Effect.suspend(() => admit(fresh(credential))), {
      discard: true
    })
  yield* one(REQUESTS / 4)
  const before = process.cpuUsage()
  yield* one(REQUESTS)
  const { system, user } = process.cpuUsage(before)
  return (user + system) / REQUESTS
})

it.live(
  "a known token costs at most 15 microseconds, with 500 bytes and with 4 KB",
  () =>
    Effect.gen(function* () {
      const idp = yield* startIssuer
      const key = {
        team: null,
        models: [],
        tags: [],
        limits: { rpm: undefined, tpm: undefined, maxParallel: undefined },
        budgets: []
      }
      const rule = {
        name: "ci/all",
        match: [["aud", ["*:*/*/*"]]],
        per: "sub",
        endUser: "sub",
        maxSubjects: 10,
        key
      } as const
      const issuers = [{ name: "ci", issuer: idp.issuer, audience: [AUDIENCE], jwksUrl: undefined, rules: [rule] }]
      const telemetry = Layer.succeed(Telemetry, { count: () => {}, gauge: () => {}, prometheus: () => "" })
      const layer = CallerTokens.layer.pipe(
        Layer.provide(IssuerKeys.layer(() => issuers)),
        Layer.provide(telemetry),
        Layer.provideMerge(Layer.provide(KeyStore.layer, SqliteStore.layerMemory))
      )
      yield* Effect.gen(function* () {
        const admit = yield* CallerTokens.CallerTokens
        const keys = yield* KeyStore
        const { secret } = yield* keys.create({})
        const virtual = yield* cost(secret, keys.authenticate)
        yield* Console.log(`a virtual key: ${virtual.toFixed(2)} µs`)
        for (const bytes of [500, 4_000]) {
          const short = yield* Effect.promise(() => idp.token())
          const token = yield* Effect.promise(() => idp.token({ more: "x".repeat(((bytes - short.length) * 3) / 4) }))
          const micros = yield* cost(token, admit)
          yield* Console.log(`a known token of ${token.length} bytes: ${micros.toFixed(2)} µs`)
          assert.isBelow(micros, MOST_MICROS)
        }
      }).pipe(Effect.provide(layer))
    }),
  60_000
)
