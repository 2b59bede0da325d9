/** LiteLLM's own tables in a real Postgres, read and brought to a store of either kind. */
import { writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { ModelRule } from "../../../gateway/src/core/domain/Budget.ts"
import { freshDatabase, isSkipped } from "../../../gateway/test/support/postgres/Databases.ts"
import { rowsIn } from "../../../gateway/test/support/postgres/Queries.ts"
import { invoke } from "../Invoke.ts"
import { budget, endUser, insert, key, prepared, team, user } from "../../../import-litellm/test/keys/Litellm.ts"

const storedIn = (file: string, query: string) =>
  Effect.promise(async () => {
    const { DatabaseSync } = await import("node:sqlite")
    const db = new DatabaseSync(file, { readOnly: true })
    const rows = db.prepare(query).all()
    db.close()
    return rows
  })

const onPostgres = isSkipped ? describe.skip : describe

onPostgres("import litellm-keys from LiteLLM's database", () => {
  it.live("brings keys with their teams, budgets and what is spent of each, once", () =>
    Effect.gen(function* () {
      const { path, run, url } = yield* prepared(
        budget("b-1", { max_budget: 20, rpm_limit: 30, budget_duration: "30d", budget_reset_at: "2999-01-01" }),
        team("7c1d", {
          team_alias: "research",
          max_budget: 100,
          budget_duration: "30d",
          budget_reset_at: "2999-01-01",
          spend: 12.5,
          tpm_limit: 5_000_000_000,
          models: ["gpt-*", "claude-sonnet-4"]
        }),
        key("app", { team_id: "7c1d", budget_id: "b-1", spend: 2.5, models: ["gpt-4o", "o3"] }),
        key("batch", { team_id: "7c1d", spend: 9 })
      )
      const before = yield* rowsIn(url, 'SELECT * FROM "LiteLLM_VerificationToken"')
      const { code, stderr, stdout } = yield* run("--apply", "--keep-secrets")
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "2 keys and 1 team: 0 disabled, 12.5 USD spent of budgets.")
      assert.include(stdout, "Imported 2 keys and 1 team into ")
      assert.deepStrictEqual(yield* rowsIn(url, 'SELECT * FROM "LiteLLM_VerificationToken"'), before)

      const sqlite = yield* Effect.promise(() => import("node:sqlite"))
      const db = new sqlite.DatabaseSync(path("gateway.db"), { readOnly: true })
      const one = (query: string) => JSON.parse(JSON.stringify(db.prepare(query).all()))
      assert.deepStrictEqual(one("SELECT name, team, models, budgets, limits, disabled FROM keys ORDER BY name"), [
        {
          name: "app",
          team: "research",
          models: '["gpt-4o"]',
          budgets: '[{"limit":20000000000,"window":"month","timeZone":"UTC"}]',
          limits: '{"rpm":30}',
          disabled: 0
        },
        {
          name: "batch",
          team: "research",
          models: '["gpt-*","claude-sonnet-4"]',
          budgets: "[]",
          limits: "{}",
          disabled: 0
        }
      ])
      assert.deepStrictEqual(one("SELECT name, budgets, limits FROM teams"), [
        {
          name: "research",
          budgets: '[{"limit":100000000000,"window":"month","timeZone":"UTC"}]',
          limits: '{"tpm":5000000000}'
        }
      ])
      // Of the team's 12.5, the key with a budget of its own brings 2.5.
      assert.deepStrictEqual(one("SELECT team, cost FROM ledger ORDER BY cost"), [
        { team: "research", cost: 2_500_000_000 },
        { team: "research", cost: 10_000_000_000 }
      ])
      db.close()
      const again = yield* run("--apply", "--keep-secrets")
      assert.include(again.stdout, "Imported 0 keys and 0 teams into")
      assert.include(again.stdout, "1 team was there already and stays as it is.")
      const verified = yield* invoke(["ledger", "verify", "--store", path("gateway.db")], {})
      assert.strictEqual(verified.code, 0, verified.stdout)
      assert.include(verified.stdout, "12.5 USD")
    })
  )

  it.live("brings them to a store in Postgres too, where callers go on with their keys", () =>
    Effect.gen(function* () {
      const { path, url } = yield* prepared(
        team("t-1", { max_budget: 10, spend: 4 }),
        key("app", { team_id: "t-1", max_budget: 3, spend: 1 })
      )
      const store = yield* freshDatabase
      writeFileSync(
        path("gateway.yaml"),
        `master_key: q7Vn2LxW9cRt4YbK8mPz3HsD6fJg1aUe5T
store: { postgres: { url: "${store}" } }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
      )
      const args = ["import", "litellm-keys", "--database-url-env", "DATABASE_URL", "--config", path("gateway.yaml")]
      const run = (...more: ReadonlyArray<string>) => invoke([...args, ...more], { DATABASE_URL: url })
      const first = yield* run("--apply", "--keep-secrets")
      assert.include(first.stdout, "Imported 1 key and 1 team into", first.stderr)
      assert.include((yield* run("--apply", "--keep-secrets")).stdout, "Imported 0 keys and 0 teams into")
      assert.deepStrictEqual(
        yield* rowsIn(store, "SELECT key_id = 'litellm' AS rest, team, cost FROM model_gateway.ledger ORDER BY cost"),
        [
          { rest: false, team: "t-1", cost: 1_000_000_000n },
          { rest: true, team: "t-1", cost: 3_000_000_000n }
        ]
      )
      const verified = yield* invoke(["ledger", "verify", "--config", path("gateway.yaml")], {})
      assert.strictEqual(verified.code, 0, verified.stdout + verified.stderr)
      assert.include(verified.stdout, "4 USD")
    })
  )

  it.live("shares what a user may spend among the keys that are the user's alone", () =>
    Effect.gen(function* () {
      const { run, values } = yield* prepared(
        user("ann", { max_budget: 5, spend: 3, models: ["gpt-4o"], password: "scrypt:hush-hush" }),
        user("bob"),
        user("idle", { max_budget: 7 }),
        key("one", { user_id: "ann" }),
        key("two", { user_id: "ann", models: ["o3"] }),
        key("three", { user_id: "bob" })
      )
      const report = yield* values
      assert.deepStrictEqual([report.keys, report.teams, report.spent], [3, 1, "3"])
      assert.deepStrictEqual(report.rows.map(({ disabled, name }) => [name, disabled]).toSorted(), [
        ["one", false],
        ["three", false],
        // No model is left that both may use.
        ["two", true]
      ])
      const said = (row: string, column: string) =>
        report.values.filter((value) => value.row === row && value.column === column).map(({ message }) => message)
      assert.deepStrictEqual(said("ann", "user_id"), ["the team user:ann: what its keys share"])
      assert.deepStrictEqual(said("idle", "user_id"), ["no key is theirs but those of teams"])
      assert.deepStrictEqual(said("idle", "max_budget"), [])
      assert.notInclude((yield* run()).stdout + JSON.stringify(report), "hush")
    })
  )

  it.live.each([
    ["its team is blocked", [team("t", { blocked: true }), key("k", { team_id: "t" })], false],
    ["its team may spend nothing", [team("t", { max_budget: 0 }), key("k", { team_id: "t" })], false],
    ["its team may make no request", [team("t", { rpm_limit: 0 }), key("k", { team_id: "t" })], false],
    ["its budget lets nothing through", [budget("b", { tpm_limit: 0 }), key("k", { budget_id: "b" })], false],
    ["its user may spend nothing", [user("u", { max_budget: 0 }), key("k", { user_id: "u" })], false],
    ["its user may use no model", [user("u", { models: ["no-default-models"] }), key("k", { user_id: "u" })], true],
    [
      "its team has limits for tags",
      [team("t", { metadata: { tag_rpm_limit: { m: 1 } } }), key("k", { team_id: "t" })],
      true
    ],
    [
      "its user has a budget for a model beside the team's",
      [team("t"), user("u", { model_max_budget: { m: 1 } }), key("k", { team_id: "t", user_id: "u" })],
      true
    ],
    ["its budget has tokens a day", [budget("b", { tpd_limit: 5 }), key("k", { budget_id: "b" })], true],
    ["its team's models are others", [team("t", { models: ["a"] }), key("k", { team_id: "t", models: ["b"] })], true],
    [
      "its user has limits beside the team's",
      [team("t"), user("u", { rpm_limit: 5 }), key("k", { team_id: "t", user_id: "u" })],
      true
    ],
    [
      "its user has a budget in the team",
      [
        team("t"),
        budget("b", { max_budget: 1 }),
        insert("TeamMembership", { user_id: "u", team_id: "t", budget_id: "b" }),
        key("k", { team_id: "t", user_id: "u" })
      ],
      true
    ],
    [
      "its team's organization has a budget",
      [
        budget("b", { max_budget: 1 }),
        insert("OrganizationTable", {
          organization_id: "o",
          organization_alias: "o",
          budget_id: "b",
          models: [],
          created_by: "a",
          updated_by: "a"
        }),
        team("t", { organization_id: "o" }),
        key("k", { team_id: "t" })
      ],
      true
    ],
    [
      "its project has a list of models",
      [
        insert("ProjectTable", { project_id: "p", models: ["m"], created_by: "a", updated_by: "a" }),
        key("k", { project_id: "p" })
      ],
      true
    ],
    [
      "its team has a budget for each of its users",
      [user("u"), team("t", { metadata: { team_member_budget_id: "b" } }), key("k", { team_id: "t", user_id: "u" })],
      true
    ],
    [
      "its permission blocks tools",
      [
        insert("ObjectPermissionTable", { object_permission_id: "o", blocked_tools: ["shell"] }),
        key("k", { object_permission_id: "o" })
      ],
      true
    ],
    ["it may use its team's models and has no team", [key("k", { models: ["all-team-models"] })], true]
  ] as const)("disables a key where %s", ([, statements, isLooser]) =>
    Effect.gen(function* () {
      const { run, values } = yield* prepared(...statements)
      const { rows, values: said } = yield* values
      assert.deepStrictEqual([rows[0]?.disabled, rows[0]?.looser], [true, isLooser])
      assert.strictEqual(
        said.some(({ looser }) => looser),
        isLooser
      )
      const { stdout } = yield* run("--allow-looser", "--report", "json")
      assert.strictEqual(JSON.parse(stdout).rows[0].disabled, !isLooser)
    })
  )

  it.live.each([
    [
      "a permission of MCP servers alone",
      [
        insert("ObjectPermissionTable", { object_permission_id: "o", mcp_servers: ["s"] }),
        key("k", { object_permission_id: "o" })
      ]
    ],
    [
      "a team whose users have budgets in it, of no user",
      [team("t", { metadata: { team_member_budget_id: "b" } }), key("k", { team_id: "t" })]
    ],
    [
      "a team with a default for users to come",
      [team("t", { default_team_member_models: ["m"] }), key("k", { team_id: "t" })]
    ],
    ["an organization that holds it to nothing", [key("k", { organization_id: "o" })]]
  ] as const)("leaves a key as it is that has %s", ([, statements]) =>
    Effect.gen(function* () {
      const { values } = yield* prepared(...statements)
      const { rows } = yield* values
      assert.deepStrictEqual([rows[0]?.disabled, rows[0]?.looser], [false, false])
    })
  )

  it.live("brings budgets and limits of single models, of keys, teams, users and budgets", () =>
    Effect.gen(function* () {
      const { path, run, url } = yield* prepared(
        budget("b", { model_max_budget: { o3: { budget_limit: 2, time_period: "1d" } } }),
        team("t", {
          model_max_budget: { "gpt-4o": { budget_limit: 9 } },
          metadata: { model_tpm_limit: { fast: 5000 } }
        }),
        user("u", { model_max_budget: { "gpt-4o": { budget_limit: 3 } } }),
        key("of-team", { team_id: "t", budget_id: "b", metadata: { model_rpm_limit: { fast: 7 } } }),
        key("of-user", { user_id: "u" })
      )
      writeFileSync(
        path("gateway.yaml"),
        `master_key: q7Vn2LxW9cRt4YbK8mPz3HsD6fJg1aUe5T
store: { sqlite: "${path("gateway.db")}" }
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/chat]
models: { fast: { deployments: [demo/mini], fallbacks: [demo/chat] } }
`
      )
      const args = ["import", "litellm-keys", "--database-url", url, "--config", path("gateway.yaml")]
      const applied = yield* invoke([...args, "--apply", "--keep-secrets"], {})
      assert.strictEqual(applied.code, 0, applied.stderr)
      assert.include(applied.stdout, "2 keys and 2 teams: 0 disabled")
      assert.include(applied.stdout, "fast: the rule is for demo/mini")
      const rules = yield* storedIn(
        path("gateway.db"),
        "SELECT name, rules FROM keys UNION SELECT name, rules FROM teams ORDER BY 1"
      )
      assert.deepStrictEqual(
        rules.map(({ name, rules }) => [
          name,
          (JSON.parse(String(rules))?.modelRules ?? []).map(({ budgets, limits, match }: ModelRule) => [
            match.join(),
            limits.rpm ?? limits.tpm ?? 0,
            budgets.map(({ limit, window }) => `${limit / 1e9} ${window}`).join()
          ])
        ]),
        [
          [
            "of-team",
            [
              ["demo/mini", 7, ""],
              ["o3", 0, "2 day"]
            ]
          ],
          ["of-user", []],
          [
            "t",
            [
              ["demo/mini", 5000, ""],
              ["gpt-4o", 0, "9 total"]
            ]
          ],
          ["user:u", [["gpt-4o", 0, "3 total"]]]
        ]
      )
      assert.notInclude((yield* run()).stdout, "*")
    })
  )

  it.live("brings end users with their budgets, blocks and spend, and what all others have", () =>
    Effect.gen(function* () {
      const { path, run } = yield* prepared(
        budget("free", { max_budget: 1, budget_duration: "1d", rpm_limit: 10 }),
        budget("paid", { max_budget: 20, budget_duration: "30d", model_max_budget: { o3: { budget_limit: 5 } } }),
        endUser("ann", { alias: "Ann", budget_id: "paid", spend: 4 }),
        endUser("eve", { blocked: true }),
        endUser("bob", { spend: 0.5 }),
        team("t"),
        key("app", { team_id: "t" }),
        key("alone")
      )
      const given = ["--apply", "--keep-secrets", "--end-user-budget", "free"]
      const { code, stderr, stdout } = yield* run(...given)
      assert.strictEqual(code, 0, stderr)
      assert.include(stdout, "2 keys, 1 team and 2 end users: 0 disabled, 4 USD spent of budgets.")
      assert.include(stdout, "Added 4 records of end users, each for its team or key.")
      assert.include(stdout, "`per_end_user` of each key: 1 USD")
      const users = yield* storedIn(path("gateway.db"), "SELECT owner, id, body FROM end_users ORDER BY id, owner DESC")
      assert.deepStrictEqual(
        users.map(({ id, owner }) => [id, String(owner).slice(0, 8)]),
        [
          ["ann", "team:t"],
          ["ann", "key:key_"],
          ["eve", "team:t"],
          ["eve", "key:key_"]
        ]
      )
      const [ann, , eve] = users.map(({ body }) => JSON.parse(String(body)))
      assert.deepInclude(ann, { name: "Ann", blocked: false })
      assert.deepInclude(ann.budgets, { limit: 20_000_000_000, window: "month", timeZone: "UTC" })
      assert.deepStrictEqual(ann.modelRules[0].match, ["o3"])
      assert.deepInclude(eve, { blocked: true, budgets: null })
      const keys = yield* storedIn(path("gateway.db"), "SELECT rules FROM keys")
      for (const { rules } of keys) {
        const { endUser: source, perEndUser } = JSON.parse(String(rules))
        assert.deepStrictEqual(source.from, ["header", "field"])
        assert.deepStrictEqual([perEndUser.limits.rpm, perEndUser.budgets[0].limit], [10, 1_000_000_000])
      }
      const [row] = yield* storedIn(path("gateway.db"), "SELECT cost, subjects FROM ledger")
      assert.strictEqual(row?.["cost"], 4_000_000_000)
      assert.lengthOf(JSON.parse(String(row?.["subjects"])), 2)

      assert.include((yield* run(...given)).stdout, "Added 0 records of end users")
      const verified = yield* invoke(["ledger", "verify", "--store", path("gateway.db")], {})
      assert.strictEqual(verified.code, 0, verified.stdout)
    })
  )

  it.live("refuses a default budget of end users that LiteLLM does not have, or that an export cannot have", () =>
    Effect.gen(function* () {
      const { run } = yield* prepared(key("k"))
      const { code, stderr } = yield* run("--end-user-budget", "nope")
      assert.strictEqual(code, 1)
      assert.include(stderr, "nope max_end_user_budget_id: --end-user-budget names it, and LiteLLM has no such budget")
      const exported = yield* invoke(["import", "litellm-keys", "keys.csv", "--end-user-budget", "b"], {})
      assert.strictEqual(exported.code, 2)
      assert.include(exported.stderr, "which an export of its keys does not have")
    })
  )

  it.live("takes nothing from a budget that the key says itself", () =>
    Effect.gen(function* () {
      const { run, path } = yield* prepared(
        budget("b", { max_budget: 5, budget_duration: "1d", rpm_limit: 5, max_parallel_requests: 1 }),
        key("k", { budget_id: "b", max_budget: 9, budget_duration: "30d", rpm_limit: 50 })
      )
      assert.strictEqual((yield* run("--apply", "--keep-secrets")).code, 0)
      const { DatabaseSync } = yield* Effect.promise(() => import("node:sqlite"))
      const db = new DatabaseSync(path("gateway.db"), { readOnly: true })
      const row = db.prepare("SELECT limits, budgets FROM keys").get()
      db.close()
      assert.strictEqual(row?.["limits"], '{"rpm":50}')
      assert.strictEqual(row?.["budgets"], '[{"limit":9000000000,"window":"month","timeZone":"UTC"}]')
    })
  )
})
