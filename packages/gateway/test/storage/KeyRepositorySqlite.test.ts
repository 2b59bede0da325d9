import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import * as Database from "../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as KeyRepositorySqlite from "../../src/storage/sqlite/keys/KeyRepositorySqlite.ts"
import { Writer } from "../../src/storage/sqlite/writer/Writer.ts"
import { key, temporaryFile } from "./Support.ts"

const memory = Layer.provideMerge(KeyRepositorySqlite.layer, Database.layerMemory)
const file = Layer.unwrap(
  Effect.map(temporaryFile, (filename) => Layer.provideMerge(KeyRepositorySqlite.layer, Database.layer({ filename })))
)

for (const [where, layer] of Object.entries({ "in memory": memory, "in a file": file })) {
  describe(`KeyRepositorySqlite ${where}`, () => {
    it.effect("a damaged row is the store's trouble, and says which", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.insert(key({ id: "key_full" }))
        const writer = yield* Writer
        yield* writer.write((db) => db.exec('UPDATE keys SET limits = \'{"rpm":"many"}\''))
        const failure = yield* Effect.flip(keys.find("key_full"))
        assert.include(failure.message, "key key_full can't be read")
        // And one that SQLite itself can't read.
        yield* writer.write((db) => db.exec("DROP TABLE teams"))
        assert.include((yield* Effect.flip(keys.findTeam("red"))).message, "no such table")
        const sql = yield* SqlClient.SqlClient
        assert.strictEqual((yield* sql`SELECT 1 FROM keys`).length, 1)
      }).pipe(Effect.provide(layer))
    )
  })
}
