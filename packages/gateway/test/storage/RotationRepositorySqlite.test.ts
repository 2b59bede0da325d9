import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { RotationRepository } from "../../src/core/pool/RotationRepository.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { temporaryFile } from "./Support.ts"

describe("RotationRepositorySqlite", () => {
  it.effect("remembers which deployments are out of rotation, over restarts, however often it is told", () =>
    Effect.gen(function* () {
      const store = SqliteStore.layer({ filename: yield* temporaryFile })
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
