/** A copy held against its file: the same, or which rows are not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { copyStore } from "../../../src/store/copy/StoreCopy.ts"
import { tables } from "../../../src/store/copy/CopyTables.ts"
import { run } from "../../Support.ts"
import { freshDatabase, isSkipped } from "../../../../gateway/test/support/postgres/Databases.ts"
import { administer, rowsIn } from "../../../../gateway/test/support/postgres/Queries.ts"
import { temporaryFolder } from "../../../../gateway/test/storage/Support.ts"
import { filledFile } from "./Filled.ts"

const copied = Effect.gen(function* () {
  const { filename, secret } = yield* filledFile
  const url = yield* freshDatabase
  yield* copyStore(filename, { url: Redacted.make(url) })
  const cwd = yield* temporaryFolder
  const verify = (...more: ReadonlyArray<string>) =>
    run(["store", "verify", "--from", filename, "--to", url, ...more], { cwd })
  return { filename, secret, url, verify }
})

describe.skipIf(isSkipped)("store verify", () => {
  it.live("says of every table how many rows there are, and that they agree", () =>
    Effect.gen(function* () {
      const { filename, url, verify } = yield* copied
      const { host, pathname } = new URL(url)
      const ran = yield* verify()
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.include(ran.stdout, `File      ${filename}\nPostgres  ${host}${pathname}\n`)
      assert.include(ran.stdout, "Booked    0.000000301 USD in the file, 0.000000301 USD in Postgres")
      assert.match(ran.stdout, /\npepper +1 +1 +0\n/)
      assert.match(ran.stdout, /\nledger +4 +4 +0\n/)
      assert.isTrue(ran.stdout.endsWith("\n\nAll of them agree.\n"))
      const json = JSON.parse((yield* verify("--json")).stdout)
      assert.deepInclude(json, { ok: true, cost_usd: { file: "0.000000301", postgres: "0.000000301" } })
      assert.lengthOf(json.tables, tables.length)
      // Nothing was left behind.
      assert.deepStrictEqual(yield* rowsIn(url, "SELECT relname FROM pg_class WHERE relname = 'of_file'"), [])
    })
  )

  it.live("names the rows that are other, missing or new, and shows nothing of secrets; exit code 1", () =>
    Effect.gen(function* () {
      const { secret, url, verify } = yield* copied
      yield* administer(
        url,
        'UPDATE model_gateway.keys SET secrets = \'[{"hash":"geheim"}]\', disabled = 1',
        "UPDATE model_gateway.meta SET value = '\\xdeadbeef' WHERE name = 'pepper'",
        "DELETE FROM model_gateway.teams",
        "UPDATE model_gateway.ledger SET cost = cost + 1 WHERE id = 2",
        "INSERT INTO model_gateway.disabled_deployments VALUES ('demo/mini')"
      )
      const ran = yield* verify()
      assert.strictEqual(ran.code, 1)
      const [id] = (yield* rowsIn(url, "SELECT id FROM model_gateway.keys")).map((row) => String(row["id"]))
      assert.deepStrictEqual(ran.stdout.trimEnd().split("\n\n")[2]?.split("\n"), [
        "pepper name=pepper: different in value",
        `keys id=${id}: different in disabled, secrets`,
        "teams name=red: only in the file",
        "disabled_deployments deployment=demo/mini: only in Postgres",
        "ledger node=0 id=2: different in cost"
      ])
      assert.include(ran.stdout, "0.000000301 USD in the file, 0.000000302 USD in Postgres")
      assert.match(ran.stderr, /^\S+ is not what \S+gateway\.db is: 5 rows differ\.\n$/)
      for (const word of ["geheim", "deadbeef", secret]) assert.notInclude(ran.stdout + ran.stderr, word)
      const json = yield* verify("--json")
      assert.strictEqual(json.code, 1)
      const { ok, tables } = JSON.parse(json.stdout)
      assert.isFalse(ok)
      assert.deepInclude(tables, {
        table: "ledger",
        file_rows: 4,
        postgres_rows: 4,
        different: 1,
        rows: [{ key: "node=0 id=2", is: "different", columns: ["cost"] }]
      })
    })
  )

  it.live("says in one sentence what can't be compared, and why", () =>
    Effect.gen(function* () {
      const { filename, url } = yield* copied
      const cwd = yield* temporaryFolder
      const empty = yield* freshDatabase
      const refusal = Effect.fnUntraced(function* (from: string, to: string) {
        const ran = yield* run(["store", "verify", "--from", from, "--to", to], { cwd })
        assert.strictEqual(ran.code, 1)
        assert.lengthOf(ran.stderr.trimEnd().split("\n"), 1)
        return ran.stderr
      })
      assert.include(yield* refusal("nothing.db", url), "nothing.db: no such file.")
      assert.match(yield* refusal(filename, empty), /The schema model_gateway of \S+ holds no store of the gateway\./)
      const poor = `untemporary_${process.pid}`
      const database = new URL(url).pathname.slice(1)
      yield* Effect.acquireRelease(
        administer(
          url,
          `CREATE ROLE ${poor} LOGIN`,
          `REVOKE TEMPORARY ON DATABASE ${database} FROM PUBLIC`,
          `GRANT USAGE ON SCHEMA model_gateway TO ${poor}`,
          `GRANT SELECT ON ALL TABLES IN SCHEMA model_gateway TO ${poor}`
        ),
        () => administer(url, `DROP OWNED BY ${poor}`, `DROP ROLE ${poor}`)
      )
      const asPoor = new URL(url)
      asPoor.username = poor
      assert.match(
        yield* refusal(filename, asPoor.toString()),
        /may not make temporary tables.*GRANT TEMPORARY ON DATABASE/
      )
    })
  )
})
