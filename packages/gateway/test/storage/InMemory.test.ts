import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"

describe("a store called :memory:", () => {
  it.effect("is in memory, and no file of that name", () =>
    Effect.gen(function* () {
      const keys = yield* KeyRepository
      assert.deepStrictEqual((yield* keys.ids("")).ids, [])
      assert.isFalse(existsSync(":memory:"))
    }).pipe(Effect.provide(SqliteStore.layer({ filename: ":memory:" })))
  )
})
