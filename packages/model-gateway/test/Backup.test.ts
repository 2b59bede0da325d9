/** `store backup` and `store restore`: nothing that exists is overwritten, and a copy is complete or not there. */
import { createHash } from "node:crypto"
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TABLE } from "../../gateway/src/storage/migrations/SqliteMigrations.ts"
import { ledgerOf, masterKey } from "../../gateway/test/support/RunningGateway.ts"
import { invoke } from "./Invoke.ts"
import { stopped, withRows } from "./LedgerStore.ts"
import { folder } from "./Support.ts"

const store = (...args: ReadonlyArray<string>) => invoke(["store", ...args], {})

/** One sentence, and nothing but what was there before. */
const refuses = Effect.fnUntraced(function* (cwd: string, args: ReadonlyArray<string>, why: string) {
  const contents = () =>
    readdirSync(cwd)
      .filter((name) => !/-(?:wal|shm)$/.test(name) || readFileSync(join(cwd, name)).toString() === "precious")
      .map(
        (name) =>
          `${name} ${createHash("sha256")
            .update(readFileSync(join(cwd, name)))
            .digest("hex")}`
      )
  const before = contents()
  const { code, stderr } = yield* store(...args)
  assert.deepStrictEqual([code, stderr.trim().split("\n").length], [1, 1], stderr)
  assert.include(stderr, why)
  assert.deepStrictEqual(contents(), before)
})

describe("store backup", () => {
  it.effect("copies all of a store that is in use, of which most is in the write-ahead log", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const [file, copy, plain] = ["gateway.db", "backup.db", "plain.db"].map((name) => join(cwd, name))
      const used = Effect.gen(function* () {
        // What users do today: it lacks what is in the log.
        copyFileSync(file!, plain!)
        const { code, stdout } = yield* store("backup", "--store", file!, copy!)
        assert.strictEqual(code, 0)
        assert.match(stdout, /^Backed up .*gateway\.db to .*backup\.db: [\d,]+ bytes\.\n$/)
      })
      yield* withRows(file!, used)
      // The fourth row may still wait for its commit.
      assert.isAtLeast(ledgerOf(copy!).length, 3)
      assert.strictEqual(statSync(copy!).mode & 0o777, 0o600)
      assert.deepStrictEqual(readdirSync(cwd).sort(), ["backup.db", "gateway.db", "plain.db"])
      assert.throws(() => ledgerOf(plain!), /no such table/)
      const { code } = yield* invoke(["ledger", "verify", "--store", copy!], {})
      assert.strictEqual(code, 0)
    })
  )

  it.effect("refuses a target that exists, a folder that does not, and what is no store", () =>
    Effect.gen(function* () {
      const { cwd, store: file } = yield* stopped
      const at = (name: string) => join(cwd, name)
      writeFileSync(at("taken.db"), "precious")
      writeFileSync(at("left.db-wal"), "precious")
      writeFileSync(at("empty.db"), "")
      yield* refuses(cwd, ["backup", "--store", file, at("taken.db")], "taken.db exists and is not overwritten")
      yield* refuses(cwd, ["backup", "--store", file, at("left.db")], "left.db-wal is left over from an earlier")
      yield* refuses(cwd, ["backup", "--store", file, cwd], `${cwd} is a folder: name the file to write`)
      yield* refuses(cwd, ["backup", "--store", file, at("none/b.db")], "there is no folder")
      yield* refuses(cwd, ["backup", "--store", at("empty.db"), at("b.db")], "empty.db is not a store of the gateway.")
      yield* refuses(cwd, ["backup", "--store", at("missing.db"), at("b.db")], "missing.db: no such file.")
    })
  )

  it.effect("refuses a store on Postgres and names pg_dump", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const config = join(cwd, "gateway.yaml")
      const settings = `master_key: "${masterKey}"\nstore: { postgres: { url: "postgres://127.0.0.1/x" } }\n`
      writeFileSync(config, `${settings}providers: { demo: { vendor: demo } }\ndeployments: [demo/mini]\n`)
      yield* refuses(cwd, ["backup", "--config", config, join(cwd, "b.db")], "is on Postgres: use pg_dump")
      yield* refuses(cwd, ["restore", "--config", config, join(cwd, "b.db")], "is on Postgres: use pg_restore")
    })
  )
})

describe("store restore", () => {
  it.effect("makes the store that was backed up, also from a file whose log lies beside it", () =>
    Effect.gen(function* () {
      const { cwd, store: file } = yield* stopped
      const at = (name: string) => join(cwd, name)
      assert.strictEqual((yield* store("backup", "--store", file, at("backup.db"))).code, 0)
      assert.strictEqual((yield* store("restore", "--store", at("new.db"), at("backup.db"))).code, 0)
      assert.deepStrictEqual(ledgerOf(at("new.db")), ledgerOf(file))
      const used = Effect.sync(() => {
        for (const suffix of ["", "-wal"]) copyFileSync(at(`used.db${suffix}`), at(`copied.db${suffix}`))
      })
      yield* withRows(at("used.db"), used)
      assert.strictEqual((yield* store("restore", "--store", at("newer.db"), at("copied.db"))).code, 0)
      assert.isAtLeast(ledgerOf(at("newer.db")).length, 3)
    })
  )

  it.effect(
    "refuses while a gateway serves, where a store or its log is left, and a backup that is newer or none",
    () =>
      Effect.gen(function* () {
        const { change, cwd, store: file } = yield* stopped
        const at = (name: string) => join(cwd, name)
        yield* store("backup", "--store", file, at("backup.db"))
        yield* refuses(cwd, ["restore", "--store", file, at("backup.db")], "gateway.db exists and is not overwritten")
        const serving = Effect.gen(function* () {
          const { code, stderr } = yield* store("restore", "--store", at("served.db"), at("backup.db"))
          assert.strictEqual(code, 1)
          assert.match(stderr, /served\.db is in use by process \d+ on .* stop it or choose another store\.\n$/)
        })
        yield* withRows(at("served.db"), serving)
        writeFileSync(at("gone.db-wal"), "precious")
        yield* refuses(cwd, ["restore", "--store", at("gone.db"), at("backup.db")], "gone.db-wal is left over")
        writeFileSync(at("text.db"), "no database at all, but a text")
        yield* refuses(cwd, ["restore", "--store", at("new.db"), at("text.db")], "the file is not a database")
        const half = readFileSync(at("backup.db")).subarray(0, 20_480)
        writeFileSync(at("half.db"), half)
        yield* refuses(cwd, ["restore", "--store", at("new.db"), at("half.db")], "half.db")
        change(`INSERT INTO ${TABLE} (migration_id, name) VALUES (999, 'later')`)
        yield* refuses(cwd, ["restore", "--store", at("new.db"), file], "was written by a newer version")
        assert.isFalse(existsSync(at("new.db")))
      })
  )

  it.effect("takes a backup of an earlier schema, which the next start brings up to date", () =>
    Effect.gen(function* () {
      const { change, cwd, store: file } = yield* stopped
      change(`DELETE FROM ${TABLE} WHERE migration_id = (SELECT max(migration_id) FROM ${TABLE})`)
      assert.strictEqual((yield* store("restore", "--store", join(cwd, "new.db"), file)).code, 0)
      const db = new DatabaseSync(join(cwd, "new.db"), { readOnly: true })
      assert.strictEqual(db.prepare("SELECT count(*) AS n FROM ledger").get()?.["n"], 4)
      db.close()
    })
  )
})
