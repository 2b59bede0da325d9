/** Opens the store given as argument, says "open" or why not, and keeps it open. */
import { Effect, Layer } from "effect"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"

const open = Effect.gen(function* () {
  yield* Layer.build(SqliteStore.layer({ filename: process.argv[2]! }))
  process.stdout.write("open\n")
  yield* Effect.sleep("1 hour")
}).pipe(
  Effect.catch((error) => Effect.sync(() => process.stdout.write(`${error._tag}: ${error.message}\n`))),
  Effect.scoped
)

await Effect.runPromise(open)
