/** All that LiteLLM's tables can hold, and databases that are none of LiteLLM's. */
import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { keyColumns } from "../../../import-litellm/src/keys/columns/KeyColumns.ts"
import {
  budgetColumns,
  endUserColumns,
  teamColumns,
  userColumns
} from "../../../import-litellm/src/keys/columns/OwnerColumns.ts"
import { freshDatabase, isSkipped } from "../../../gateway/test/support/postgres/Databases.ts"
import { administer, databaseOn, rowsIn } from "../../../gateway/test/support/postgres/Queries.ts"
import { invoke } from "../Invoke.ts"
import { digest, key, prepared, tables, team } from "../../../import-litellm/test/keys/Litellm.ts"

const onPostgres = isSkipped ? describe.skip : describe

onPostgres("LiteLLM's tables", () => {
  it.live("has a word of every cell that holds something, in all five tables", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase
      yield* administer(url, ...tables)
      const found = yield* rowsIn(
        url,
        `SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_name LIKE 'LiteLLM%'`
      )
      const columns = found.map((row) => Object.values(row).map(String))
      const samples: Readonly<Record<string, string>> = {
        text: "'x'",
        "double precision": "2",
        integer: "2",
        bigint: "2",
        jsonb: `'{"a":{"b":1}}'`,
        ARRAY: "ARRAY['m']",
        boolean: "true",
        "timestamp without time zone": "'2999-01-01'"
      }
      const own: Readonly<Record<string, string>> = {
        token: `'${digest("sk-full")}'`,
        budget_duration: "'30d'",
        members_with_roles: `'[{"user_id":"x"}]'`,
        budget_limits: `'[{"budget_duration":"1h","max_budget":2}]'`
      }
      const full = (table: string) => {
        const of = columns.filter(([name]) => name === table)
        const names = of.map(([, column]) => `"${column}"`).join(", ")
        const values = of.map(([, column, type]) => own[column ?? ""] ?? samples[type ?? ""]).join(", ")
        return `INSERT INTO "${table}" (${names}) VALUES (${values})`
      }
      const read = {
        LiteLLM_VerificationToken: keyColumns,
        LiteLLM_TeamTable: teamColumns,
        LiteLLM_UserTable: userColumns,
        LiteLLM_BudgetTable: budgetColumns,
        LiteLLM_EndUserTable: endUserColumns
      }
      // A key of the user alone, beside the one of the team.
      const alone = `UPDATE "LiteLLM_VerificationToken" SET team_id = NULL`
      for (const change of ["SELECT 1", alone]) {
        yield* administer(
          url,
          ...Object.keys(read).map((table) => `TRUNCATE "${table}"`),
          ...Object.keys(read).map(full),
          change
        )
        const { stderr, stdout } = yield* invoke(
          ["import", "litellm-keys", "--database-url", url, "--report", "json"],
          {}
        )
        assert.strictEqual(stderr, "")
        const said = new Set(
          (JSON.parse(stdout).values as ReadonlyArray<{ table: string; column: string }>).map(
            ({ column, table }) => `${table} ${column.split(".")[0]}`
          )
        )
        for (const [table, column] of columns) {
          const known = read[table as keyof typeof read]
          if (
            known === undefined ||
            (change === alone && column === "team_id" && table === "LiteLLM_VerificationToken")
          )
            continue
          if (change !== alone && table === "LiteLLM_UserTable" && column !== "user_id") continue
          assert.isTrue(known.has(column ?? ""), `${table} ${column} is not known`)
          assert.isTrue(said.has(`${table} ${column}`), `${table} ${column}`)
        }
      }
    })
  )

  it.live("says of a column of a later version that it is not known, and shows nothing of it", () =>
    Effect.gen(function* () {
      const { run } = yield* prepared(
        'ALTER TABLE "LiteLLM_VerificationToken" ADD COLUMN vault_token text',
        key("k", { vault_token: "hush" })
      )
      const { stdout } = yield* run()
      assert.include(stdout, "VerificationToken.vault_token (k): a column that is not known")
      assert.notInclude(stdout, "hush")
    })
  )

  it.live("refuses what can't be read as a whole, by table, row and column", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared(
        key("good"),
        key("bad", { budget_duration: "fortnight" }),
        team("t", { team_alias: "ops", rpm_limit: -3 })
      )
      const { code, stderr } = yield* run("--apply", "--keep-secrets")
      assert.strictEqual(code, 1)
      assert.match(stderr, /Nothing is imported: 2 cells of .* can't be read\./)
      assert.include(stderr, "LiteLLM_VerificationToken bad budget_duration: it should be a duration such as 1d")
      assert.include(stderr, "LiteLLM_TeamTable ops rpm_limit: -3 is less than nothing")
      assert.isFalse(existsSync(path("gateway.db")))
    })
  )

  it.live("names two teams of one alias by their ids, and teams whose ids no name can be", () =>
    Effect.gen(function* () {
      const { values } = yield* prepared(
        team("a-1", { team_alias: "ops" }),
        team("a-2", { team_alias: "ops" }),
        team("***"),
        team("///"),
        key("k", { team_id: "a-2" })
      )
      const { teams, values: said } = yield* values
      assert.strictEqual(teams, 4)
      assert.deepStrictEqual(
        said
          .filter(({ column, table }) => table === "LiteLLM_TeamTable" && column === "team_id")
          .map(({ message }) => message),
        ["the team team", "the team team-2", "", ""]
      )
      assert.include(
        said.map(({ message }) => message),
        "several teams have that name: a-2"
      )
    })
  )

  it.live("says what is wrong with the address, the database or its age, and shows no password", () =>
    Effect.gen(function* () {
      const { run, url } = yield* prepared()
      const at = (change: (parsed: URL) => void) => {
        const parsed = new URL(url)
        change(parsed)
        return parsed.toString()
      }
      const from = (given: string) => invoke(["import", "litellm-keys", "--database-url", given], {})
      const said = Effect.fnUntraced(function* (given: string, code: number, why: RegExp) {
        const ran = yield* from(given)
        assert.strictEqual(ran.code, code, ran.stderr)
        assert.match(ran.stderr, why)
        assert.notInclude(ran.stderr, "hush")
      })
      yield* said("mysql://root:hush@localhost/litellm", 2, /postgresql:\/\/user:password@host.*begins with mysql:/)
      yield* said("hush", 2, /named by a URL such as postgresql/)
      yield* said(
        "postgresql://u:hush@127.0.0.1:1/litellm",
        1,
        /127\.0\.0\.1:1\/litellm can't be read: the connection was refused/
      )
      yield* said(databaseOn(url, "nope"), 1, /"nope" does not exist; correct the name at the end/)
      yield* said(
        at((parsed) => parsed.searchParams.set("schema", "other")),
        1,
        /has no table LiteLLM_VerificationToken in the schema other: it is in the schema public\. Add \?schema=public/
      )
      yield* administer(url, 'DROP TABLE "LiteLLM_BudgetTable"')
      yield* said(url, 1, /of an older LiteLLM: it has no LiteLLM_BudgetTable\. Start a LiteLLM of 2024 or later/)
      yield* administer(url, 'ALTER TABLE "LiteLLM_TeamTable" DROP COLUMN models')
      yield* said(url, 1, /it has no column models in LiteLLM_TeamTable/)
      yield* administer(url, 'DROP TABLE "LiteLLM_VerificationToken"')
      yield* said(url, 1, /has no table LiteLLM_VerificationToken in the schema public: is it LiteLLM's database\?/)
      const unset = yield* invoke(["import", "litellm-keys", "--database-url-env", "NOPE"], {})
      assert.deepStrictEqual([unset.code, (yield* run("x.csv")).code], [2, 2])
      assert.include(unset.stderr, "The variable NOPE is not set")
    })
  )

  it.live("reads the tables of LiteLLM's first migrations, which lack many columns", () =>
    Effect.gen(function* () {
      const newer = [
        "tpd_limit",
        "total_spend",
        "key_type",
        "budget_limits",
        "budget_fallbacks",
        "access_group_ids",
        "policies",
        "agent_id",
        "project_id",
        "organization_id",
        "object_permission_id",
        "last_active",
        "settings_updated_at"
      ]
      const { values } = yield* prepared(
        ...newer.map((column) => `ALTER TABLE "LiteLLM_VerificationToken" DROP COLUMN ${column}`),
        'ALTER TABLE "LiteLLM_BudgetTable" DROP COLUMN allowed_models, DROP COLUMN tpd_limit',
        'DROP TABLE "LiteLLM_ProjectTable"',
        'DROP TABLE "LiteLLM_EndUserTable"',
        key("k", { max_budget: 1e-7 })
      )
      const { keys, rows } = yield* values
      assert.deepStrictEqual([keys, rows[0]?.disabled], [1, false])
    })
  )
})
