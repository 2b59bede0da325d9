/**
 * Writes page after page into the store given as argument, and how many were acknowledged into the file given after it; says so when
 * the log is about to be moved, and goes on until it is killed.
 */
import { writeFileSync } from "node:fs"
import { Effect } from "effect"
import * as Database from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import { LONG } from "../../../src/storage/sqlite/writer/WalLog.ts"
import { Writer } from "../../../src/storage/sqlite/writer/Writer.ts"

const [filename, progress] = process.argv.slice(2)
const AT_ONCE = 100

const work = Effect.gen(function* () {
  const writer = yield* Writer
  yield* writer.write((db) => db.exec("CREATE TABLE IF NOT EXISTS pages (name TEXT)"))
  for (let written = AT_ONCE; ; written += AT_ONCE) {
    yield* writer.write((db) => {
      const statement = db.prepare("INSERT INTO pages VALUES (?)")
      for (let one = 0; one < AT_ONCE; one++) statement.run("x".repeat(3_000))
    })
    writeFileSync(progress!, String(written))
    if (written === LONG) process.stdout.write("long\n")
  }
})

await Effect.runPromise(Effect.provide(work, Database.layer({ filename: filename! })))
