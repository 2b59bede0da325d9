import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdirSync, openSync, closeSync, rmSync, statSync, writeFileSync, writeSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { invoke } from "./Invoke.ts"
import { stopped, withRows } from "./LedgerStore.ts"
import { folder, run } from "./Support.ts"

describe("ledger verify", () => {
  it.live("says what there is and that it agrees, in the store of a gateway that is stopped", () =>
    Effect.gen(function* () {
      const { ledger, store } = yield* stopped
      const ran = yield* ledger("verify", "--store", "gateway.db")
      assert.deepStrictEqual(ran, {
        code: 0,
        stdout: [
          "Store          gateway.db",
          "Rows           3 closed",
          "Cost           0.0000014 USD, 0.0000007 of it estimated",
          "Open           1 reservation that holds 0.0000009 USD",
          "Compared with  3 hourly sums, 2 budget windows",
          "",
          "All of them agree.\n"
        ].join("\n"),
        stderr: ""
      })
      const json = yield* ledger("verify", "--store", store, "--json")
      assert.strictEqual(json.code, 0)
      assert.deepStrictEqual(JSON.parse(json.stdout), {
        ok: true,
        store,
        rows: 3,
        cost_usd: "0.0000014",
        estimated_cost_usd: "0.0000007",
        open: { rows: 1, reserved_usd: "0.0000009" },
        rollups: 3,
        windows: 2,
        differences: []
      })
    })
  )

  it.live("works beside a gateway that runs, and finds its store by the configuration", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(
        join(cwd, "prod.yaml"),
        'master_key: "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"\nstore: { sqlite: data/gw.db }\nproviders: { demo: { vendor: demo } }\ndeployments: [demo/mini]\n'
      )
      const verified = run(["ledger", "verify", "--config", "prod.yaml"], { cwd })
      const missing = yield* verified
      assert.strictEqual(missing.code, 1)
      assert.match(missing.stderr, /gw\.db: no such file\.\n$/)
      const ran = yield* withRows(join(cwd, "data", "gw.db"), verified)
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, "1 reservation that holds")
    })
  )

  it.live("shows each difference: which hour, key or window, what it is and what it should be", () =>
    Effect.gen(function* () {
      const { change, ledger } = yield* stopped
      change("UPDATE rollup SET cost = cost + 5, output = 1 WHERE last_id = 2")
      change("UPDATE budget_windows SET spent = 99 WHERE scope = 'team:red'")
      const ran = yield* ledger("verify", "--store", "gateway.db")
      assert.strictEqual(ran.code, 1)
      assert.strictEqual(ran.stderr, "The ledger of gateway.db is not consistent: 4 differences.\n")
      const hour =
        "hourly sum hour=2026-03-01T11:00:00.000Z key_id=key_a team=red provider=openai model=line�break tags=one,two"
      assert.deepStrictEqual(ran.stdout.split("\n\n")[1]?.trimEnd().split("\n"), [
        `${hour}: cost is 0.000000705 USD, should be 0.0000007 USD`,
        `${hour}: output is 1, should be 50`,
        "budget window key:key_a day@UTC from 2026-03-01T00:00:00.000Z: spent is 0.0000014 USD, should be 0.000001405 USD",
        "budget window team:red day@UTC from 2026-03-01T00:00:00.000Z: spent is 0.000000099 USD, should be 0.000001405 USD"
      ])
      const json = yield* ledger("verify", "--store", "gateway.db", "--json")
      assert.strictEqual(json.code, 1)
      const { differences, ok } = JSON.parse(json.stdout)
      assert.isFalse(ok)
      assert.lengthOf(differences, 4)
      assert.deepInclude(differences[3], {
        kind: "window",
        sum: "spent_usd",
        is: "0.000000099",
        should_be: "0.000001405"
      })
    })
  )

  it.live("prints all of many differences, however slowly they are read", () =>
    Effect.gen(function* () {
      const { change, cwd } = yield* stopped
      change(`WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n LIMIT 3000)
        INSERT INTO rollup (hour, key_id, team, provider, model, tags, requests, failed_requests, cost, estimated_cost, input,
          cached_input, cache_write, cache_write_1h, output, reasoning, audio_input, audio_output, last_at, first_id, last_id, last_cost_id)
        SELECT n.id, key_id, team, provider, model, tags, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0
        FROM n, rollup WHERE last_id = 1`)
      const main = join(import.meta.dirname, "../src/main.ts")
      const command = `"${process.execPath}" --conditions=model-gateway-source "${main}" ledger verify --store gateway.db`
      const lines = yield* Effect.callback<string>((resume) => {
        execFile("bash", ["-c", `${command} | (sleep 3; wc -l)`], { cwd }, (_, stdout) =>
          resume(Effect.succeed(stdout))
        )
      })
      assert.strictEqual(Number(lines), 3006)
    })
  )

  const refused: { readonly [what: string]: readonly [make: (file: string) => void, message: RegExp] } = {
    "no file": [() => {}, /x\.db: no such file\.$/],
    "a folder": [(file) => mkdirSync(file), /x\.db is a folder: name a file in it\.$/],
    "an empty file": [(file) => writeFileSync(file, ""), /x\.db is not a store of the gateway\.$/],
    "something else than a database": [
      (file) => writeFileSync(file, "x".repeat(9_000)),
      /x\.db can't be used: the file is not a database\.$/
    ],
    "the database of another program": [(file) => execute(file, "CREATE TABLE notes (text)"), /another program/],
    "a store of a newer version": [
      (file) => {
        execute(file, "CREATE TABLE effect_sql_migrations (migration_id INTEGER)")
        execute(file, "INSERT INTO effect_sql_migrations VALUES (999)")
      },
      /x\.db was written by a newer version of the gateway \(schema 999/
    ]
  }
  for (const [what, [make, message]] of Object.entries(refused)) {
    it.live(`refuses ${what} in words, and makes nothing`, () =>
      Effect.gen(function* () {
        const cwd = yield* folder
        make(join(cwd, "x.db"))
        const ran = yield* invoke(["ledger", "verify", "--store", join(cwd, "x.db")], {})
        assert.deepStrictEqual([ran.code, ran.stdout], [1, ""])
        assert.match(ran.stderr.trimEnd(), message)
        assert.strictEqual(ran.stderr.trimEnd().split("\n").length, 1)
      })
    )
  }

  it.live("tells a store of an older version from a sound one", () =>
    Effect.gen(function* () {
      const { change, ledger } = yield* stopped
      change("UPDATE effect_sql_migrations SET migration_id = migration_id - 1000")
      const ran = yield* ledger("verify", "--store", "gateway.db")
      assert.strictEqual(ran.code, 1)
      assert.match(ran.stderr, /written by an older version.*start the gateway on it once\.\n$/)
    })
  )

  it.live("finds a file that is damaged in its middle", () =>
    Effect.gen(function* () {
      const { ledger, store } = yield* stopped
      const { size } = statSync(store)
      const file = openSync(store, "r+")
      writeSync(file, Buffer.alloc(size - 8_192, 0x5a), 0, size - 8_192, 8_192)
      closeSync(file)
      const ran = yield* ledger("verify", "--store", "gateway.db")
      assert.deepStrictEqual([ran.code, ran.stdout], [1, ""])
      assert.match(ran.stderr, /restore it from a backup\.\n$/)
    })
  )

  it.live("reads a store where no file can be made beside it", () =>
    Effect.gen(function* () {
      const { ledger, store } = yield* stopped
      for (const suffix of ["-wal", "-shm"]) rmSync(store + suffix, { force: true })
      // As on a read-only file system, also for root.
      mkdirSync(`${store}-shm`)
      const ran = yield* ledger("verify", "--store", "gateway.db")
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, "3 closed")
    })
  )
})

const execute = (file: string, sql: string): void => {
  const db = new DatabaseSync(file)
  db.exec(sql)
  db.close()
}
