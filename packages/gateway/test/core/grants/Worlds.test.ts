/** Limits of tokens over three nodes in random worlds. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { ownership } from "./Nodes.ts"
import { asOneProcess } from "./Worlds.ts"

const WORLDS = 20

describe("three nodes decide as one process", () => {
  for (const [name, isChanged] of [
    ["tokens beyond what was expected count at once, at whichever node", false],
    ["and also while an administrator changes the limit", true]
  ] as const) {
    it.effect(name, () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < WORLDS; seed++) {
          const { join } = yield* ownership
          const nodes = yield* Effect.replicateEffect(join, 3)
          assert.isAbove(yield* asOneProcess(nodes, { seed, steps: 120, isChanged }), 10)
        }
      }).pipe(Effect.scoped, Effect.provide(SqliteStore.layerMemory))
    )
  }
})
