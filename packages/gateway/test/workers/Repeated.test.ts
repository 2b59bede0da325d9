/** What the owner knows of a worker's requests with an `Idempotency-Key`, where the worker dies. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option } from "effect"
import { Idempotency, type Repeatable } from "../../src/core/idempotency/Idempotency.ts"
import { claimOfOne, IdempotencyRepository } from "../../src/core/idempotency/IdempotencyRepository.ts"
import { Channel } from "../../src/workers/Channel.ts"
import { repeated } from "../../src/workers/Repeated.ts"

const wish: Repeatable = { keyId: "key_a", endpoint: "/v1/chat/completions", key: "once", request: "hash" }

/** A store that knows no answer, and says so when `answers` completes; `asked` then is complete. */
const slowStore = (asked: Deferred.Deferred<void>, answers: Deferred.Deferred<void>) =>
  Layer.succeed(IdempotencyRepository, {
    claim: () =>
      Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answers)).pipe(
        Effect.as(claimOfOne(Option.none()))
      ),
    release: () => Effect.void,
    keep: () => Effect.succeed(true),
    erase: () => Effect.void,
    prune: () => Effect.succeed(false)
  })

describe("a worker's requests with an Idempotency-Key", () => {
  for (const dies of ["before the store has answered", "after it"] as const) {
    it.effect(`may be sent again when it died ${dies}`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const answers = yield* Deferred.make<void>()
        const again = Effect.gen(function* () {
          const repeats = yield* Idempotency
          const run = Effect.runForkWith(yield* Effect.context<never>())
          const owner: Channel = new Channel((said, done) => {
            worker.received(said)
            done()
          }, run)
          const worker: Channel = new Channel((said, done) => {
            owner.received(said)
            done()
          }, run)
          const claims = repeated(owner, repeats, run)
          yield* Effect.forkChild(worker.call("idempotency.begin", wish))
          yield* Deferred.await(asked)
          if (dies === "after it") {
            yield* Deferred.succeed(answers, undefined)
            yield* Effect.yieldNow
          }
          yield* claims.close
          yield* Deferred.succeed(answers, undefined)
          yield* Effect.yieldNow
          return yield* Effect.scoped(repeats.begin(wish))
        })
        const begun = yield* Effect.provide(again, Idempotency.layer.pipe(Layer.provide(slowStore(asked, answers))))
        assert.strictEqual(begun.kind, "first")
      })
    )
  }
})
