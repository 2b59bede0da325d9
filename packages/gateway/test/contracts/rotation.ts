/** What every RotationRepository keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, type Scope } from "effect"
import { RotationRepository } from "../../src/core/pool/RotationRepository.ts"

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const rotationContract = <E>(
  name: string,
  reopened: Effect.Effect<Layer.Layer<RotationRepository, E>, E, Scope.Scope>
) =>
  describe(`RotationRepository · ${name}`, () => {
    it.effect("remembers which deployments are out of rotation, over restarts, however often it is told", () =>
      Effect.gen(function* () {
        const store = yield* reopened
        const first = Effect.gen(function* () {
          const rotation = yield* RotationRepository
          assert.deepStrictEqual(yield* rotation.disabled, new Set())
          yield* rotation.setDisabled(["a", "b", "c"], true)
          yield* rotation.setDisabled(["a"], true)
          yield* rotation.setDisabled(["b", "never"], false)
          return yield* rotation.disabled
        })
        assert.deepStrictEqual(yield* Effect.provide(first, store), new Set(["a", "c"]))
        const second = Effect.flatMap(RotationRepository, (rotation) => rotation.disabled)
        assert.deepStrictEqual(yield* Effect.provide(second, store), new Set(["a", "c"]))
      })
    )
  })
