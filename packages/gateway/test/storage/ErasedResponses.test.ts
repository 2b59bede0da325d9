/** What is erased of stored responses is not in the files of the store any more. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ResponseRepository } from "../../src/core/responses/ResponseRepository.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { eventually } from "../support/Patience.ts"
import { NOW, temporaryFile } from "./Support.ts"

const SECRET = "nobody-may-read-this"

const stored = (id: string, text: string) => ({
  id,
  keyId: "key_a",
  parent: null,
  createdAt: NOW,
  input: JSON.stringify([{ id: `msg_${id}`, content: text.repeat(500) }]),
  body: JSON.stringify({ id, output: [{ content: text.repeat(500) }] })
})

const MAX = { all: 10_000_000, perKey: 10_000_000 }

const ways: {
  readonly [name: string]: (repository: ResponseRepository["Service"]) => Effect.Effect<unknown, unknown>
} = {
  deleted: (repository) => repository.remove("key_a", "resp_1"),
  "a revoked key's": (repository) => repository.erase("key_a"),
  expired: (repository) => repository.prune(NOW + 1, MAX),
  "too much": (repository) => repository.save(stored("resp_3", "other"), [], { all: 26_000, perKey: 26_000 })
}

/** The files of the store that hold what was to be erased. */
const holding = (filename: string) =>
  readdirSync(dirname(filename)).filter((file) => readFileSync(join(dirname(filename), file)).includes(SECRET))

describe("a response that is", () => {
  for (const [name, erase] of Object.entries(ways)) {
    it.effect(`${name} leaves nothing in the files`, () =>
      Effect.gen(function* () {
        const filename = yield* temporaryFile
        const within = (use: typeof erase) =>
          Effect.flatMap(ResponseRepository, use).pipe(
            Effect.provide(Layer.fresh(SqliteStore.layer({ filename }))),
            Effect.scoped
          )
        yield* within((repository) => repository.save(stored("resp_1", SECRET), [`msg_${SECRET}`], MAX))
        yield* within((repository) => repository.save(stored("resp_2", "other"), [], MAX))
        assert.isNotEmpty(holding(filename))
        yield* within(erase)
        assert.deepStrictEqual(holding(filename), [])
      })
    )
  }

  it.effect("deleted leaves nothing in the files of a running gateway either, a minute later", () =>
    Effect.gen(function* () {
      const filename = yield* temporaryFile
      const use = Effect.gen(function* () {
        const repository = yield* ResponseRepository
        yield* repository.save(stored("resp_1", SECRET), [], MAX)
        yield* repository.remove("key_a", "resp_1")
        assert.isNotEmpty(holding(filename))
        yield* eventually(
          Effect.andThen(
            TestClock.adjust("1 minute"),
            Effect.sync(() => holding(filename))
          ),
          (files) => files.length === 0
        )
      })
      yield* Effect.provide(use, SqliteStore.layer({ filename }))
    })
  )
})
