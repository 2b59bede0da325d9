/**
 * The four laws of an Effect that a service method returns. Building it changes nothing. Running it again does its work again, or
 * nothing where the contract is idempotent. Retrying it asks again. Interrupting it before it starts changes nothing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { NOW } from "../core/call/Support.ts"

/** One method of a service, with arguments. */
export interface Method {
  /** Builds the Effect; a law calls this several times and expects the same operation each time. */
  readonly build: (_: void) => Effect.Effect<unknown, unknown>
  /** Everything that the operation may change. Reading it changes nothing. */
  readonly state: Effect.Effect<unknown, unknown>
  /** Running it again after a success changes nothing: settle, end, revoke, release. */
  readonly idempotent?: true
  /** Makes the next run fail; the returned Effect lifts the refusal. Left out where nothing refuses the operation. */
  readonly refuse?: Effect.Effect<Effect.Effect<void, unknown>, unknown>
}

/** `methods`: each is prepared in a new service. */
export const lawsContract = <R, E>(
  name: string,
  given: Layer.Layer<R, E>,
  methods: { readonly [method: string]: Effect.Effect<Method, unknown, R> }
) =>
  describe(`laws of ${name}`, () => {
    // The time comes first: a store in a file that lives through half a century does its work of every second.
    const layer = Layer.unwrap(Effect.as(TestClock.setTime(NOW), given))
    for (const [method, prepared] of Object.entries(methods)) {
      const law = (title: string, check: (method: Method) => Effect.Effect<void, unknown>) =>
        it.effect(`${method}: ${title}`, () => Effect.flatMap(prepared, check).pipe(Effect.provide(layer)))

      law("an Effect that is built and dropped changes nothing", ({ build, state }) =>
        Effect.gen(function* () {
          const before = yield* state
          assert.lengthOf([build(), build()], 2)
          assert.deepStrictEqual(yield* state, before)
        })
      )

      law("one Effect that runs twice does what two Effects do", ({ build, idempotent, state }) =>
        Effect.gen(function* () {
          const before = yield* state
          const effect = build()
          yield* effect
          const once = yield* state
          assert.notDeepEqual(once, before, "the state does not show the operation")
          yield* effect
          if (idempotent === true) assert.deepStrictEqual(yield* state, once)
          else assert.notDeepEqual(yield* state, once)
        })
      )

      law("interruption before the start changes nothing", ({ build, state }) =>
        Effect.gen(function* () {
          const before = yield* state
          const fiber = yield* Effect.forkChild(build())
          yield* Fiber.interrupt(fiber)
          assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
          assert.deepStrictEqual(yield* state, before)
        })
      )

      law("a retry asks again", ({ build, refuse = Effect.succeed(Effect.void) }) =>
        Effect.gen(function* () {
          const lift = yield* refuse
          let runs = 0
          const counted = Effect.tapError(build(), () => (runs++ === 0 ? lift : Effect.void))
          yield* Effect.retry(counted, Schedule.recurs(1))
        })
      )
    }
  })
