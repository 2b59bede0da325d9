import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { adminStub, type Answers } from "../AdminStub.ts"
import { invoke } from "../Invoke.ts"
import { deployment, key, SECRET, spend, spendByDay, team } from "./Wire.ts"

const MASTER_KEY = "k7Qm2ZxVt9Lp4RfWc8Jd1HsNb6GyTa3E"

/** Runs a command against a gateway with these answers: what came out, and what the gateway was asked. */
const against = Effect.fnUntraced(function* (answers: Answers, args: ReadonlyArray<string>) {
  const stub = yield* adminStub(answers)
  const ran = yield* invoke(args, { GATEWAY_URL: stub.url, GATEWAY_MASTER_KEY: MASTER_KEY })
  assert.notInclude(ran.stdout + ran.stderr, MASTER_KEY)
  for (const line of ran.stdout.split("\n")) {
    if (!args.includes("--json")) assert.isAtMost(line.length, 100, line)
  }
  return { ...ran, asked: stub.asked, bodies: stub.asked.map((asked) => asked.body) }
})

const refused = Effect.fnUntraced(function* (args: ReadonlyArray<string>, expected: RegExp) {
  const { asked, code, stderr, stdout } = yield* against({}, args)
  assert.strictEqual(code, 2, stderr)
  assert.match(stderr, expected)
  assert.strictEqual(stdout, "")
  assert.strictEqual(asked.length, 0)
})

const creates: Answers = { "POST /admin/keys": { status: 201, body: { ...key, key: SECRET } } }
const updates: Answers = { [`PATCH /admin/keys/${key.id}`]: { body: key } }

describe("keys create", () => {
  it.effect("asks for what was named, and nothing else", () =>
    Effect.gen(function* () {
      const bare = yield* against(creates, ["keys", "create"])
      assert.deepStrictEqual(bare.bodies, [{}])
      assert.strictEqual(bare.asked[0]?.authorization, `Bearer ${MASTER_KEY}`)

      const full = yield* against(creates, [
        ...["keys", "create", "--name", "my app", "--team", "research", "--models", "auto,openai/*"],
        ...["--rpm", "60", "--tpm", "100000", "--max-parallel", "4", "--tags", "prod,batch"],
        ...[
          "--budget",
          "10/day@Europe/Berlin",
          "--budget",
          "200/month",
          "--expires-in",
          "30d",
          "--on-unknown-price",
          "allow"
        ]
      ])
      assert.strictEqual(full.code, 0, full.stderr)
      assert.deepStrictEqual(full.bodies, [
        {
          name: "my app",
          team: "research",
          models: ["auto", "openai/*"],
          limits: { rpm: 60, tpm: 100_000, max_parallel: 4 },
          budgets: [
            { usd: 10, window: "day", time_zone: "Europe/Berlin" },
            { usd: 200, window: "month" }
          ],
          // The test's clock stands at 1970.
          expires_at: "1970-01-31T00:00:00.000Z",
          tags: ["prod", "batch"],
          on_unknown_price: "allow"
        }
      ])
    })
  )

  it.effect("shows the secret alone on stdout, and beside it that it is the only time", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* against(creates, [
        "keys",
        "create",
        "--budget-usd",
        "5",
        "--expires-at",
        "2026-12-31"
      ])
      assert.strictEqual(stdout, `${SECRET}\n`)
      assert.match(stderr, /^Made key_abcdefghijkl \(my app\)\..* shown only now\.\n$/)
      assert.notInclude(stderr, SECRET)
    })
  )

  it.effect("--json prints the gateway's JSON", () =>
    Effect.gen(function* () {
      const { stderr, stdout } = yield* against(creates, ["keys", "create", "--json"])
      assert.deepStrictEqual(JSON.parse(stdout), { ...key, key: SECRET })
      assert.strictEqual(stderr, "")
    })
  )

  it.effect("refuses what can't be right without asking", () =>
    Effect.gen(function* () {
      yield* refused(["keys", "create", "--budget", "10"], /^Invalid value for flag --budget: "10".*10\/day/)
      yield* refused(["keys", "create", "--rpm", "0"], /^Invalid value for flag --rpm/)
      yield* refused(["keys", "create", "--rpm", "2000000"], /^--rpm: .*1 to 1000000/)
      yield* refused(["keys", "create", "--models", ""], /--models/)
      yield* refused(["keys", "create", "--budget", "1/day@Europe/Atlantis"], /^--budget: .*time zone/)
      yield* refused(["keys", "create", "--budget", "1/day", "--budget", "2/day"], /^--budget: .*same window/)
      yield* refused(["keys", "create", "--budget", "1/day", "--budget", "none"], /^--budget none/)
      yield* refused(
        ["keys", "create", "--expires-in", "1d", "--expires-at", "2026-12-31"],
        /--expires-in and --expires-at/
      )
      yield* refused(["keys", "create", "--budget-usd", "1", "--budget", "2/day"], /--budget-usd/)
    })
  )
})

describe("keys list", () => {
  it.effect("is a table", () =>
    Effect.gen(function* () {
      const page = { object: "list", data: [key], has_more: true, next: key.id }
      const { asked, stderr, stdout } = yield* against({ "GET /admin/keys": { body: page } }, [
        ...[
          "keys",
          "list",
          "--limit",
          "1",
          "--team",
          "research",
          "--status",
          "active",
          "--search",
          "app",
          "--after",
          "key_x"
        ]
      ])
      const query = new URLSearchParams(asked[0]?.path.split("?")[1])
      assert.deepStrictEqual(Object.fromEntries(query), {
        limit: "1",
        team: "research",
        status: "active",
        q: "app",
        after: "key_x"
      })
      assert.strictEqual(
        stdout,
        [
          "ID                NAME    TEAM      STATUS  BUDGET                 LAST USED (UTC)",
          "key_abcdefghijkl  my app  research  active  $1.50 of $10.00 a day  2026-10-02 09:30\n"
        ].join("\n")
      )
      assert.strictEqual(stderr, "There are more: add --after key_abcdefghijkl\n")
    })
  )

  it.effect("says how to make one where there is none", () =>
    Effect.gen(function* () {
      const page = { object: "list", data: [], has_more: false, next: null }
      const { code, stderr, stdout } = yield* against({ "GET /admin/keys": { body: page } }, ["keys", "list"])
      assert.deepStrictEqual([code, stdout], [0, ""])
      assert.include(stderr, "keys create")
    })
  )
})

describe("one key", () => {
  it.effect("keys show", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* against({ [`GET /admin/keys/${key.id}`]: { body: key } }, [
        "keys",
        "show",
        key.id
      ])
      assert.strictEqual(code, 0)
      assert.include(stdout, "budgets    $10.00 a day: $1.50 spent, $8.50 left, resets 2026-10-03 00:00\n")
    })
  )

  it.effect("keys update sends the change alone; none takes away", () =>
    Effect.gen(function* () {
      const bodyOf = (...args: ReadonlyArray<string>) =>
        Effect.map(against(updates, ["keys", "update", key.id, ...args]), ({ bodies, code, stderr }) => {
          assert.strictEqual(code, 0, stderr)
          return bodies[0]
        })
      assert.deepStrictEqual(yield* bodyOf("--rpm", "none", "--tpm", "5"), { limits: { rpm: null, tpm: 5 } })
      assert.deepStrictEqual(yield* bodyOf("--budget", "none"), { budgets: [] })
      assert.deepStrictEqual(yield* bodyOf("--models", "all", "--team", ""), { models: [], team: null })
      assert.deepStrictEqual(yield* bodyOf("--expires-at", "none"), { expires_at: null })
      assert.deepStrictEqual(yield* bodyOf("--disable"), { disabled: true })
      assert.deepStrictEqual(yield* bodyOf("--enable"), { disabled: false })
    })
  )

  it.effect("keys update refuses to do nothing, or two opposites", () =>
    Effect.gen(function* () {
      yield* refused(["keys", "update", key.id], /^nothing to change/)
      yield* refused(["keys", "update", key.id, "--enable", "--disable"], /contradict/)
      yield* refused(["keys", "update"], /Missing required argument: id/)
    })
  )

  it.effect("keys revoke", () =>
    Effect.gen(function* () {
      const answers = { [`DELETE /admin/keys/${key.id}`]: { body: { ...key, status: "revoked" } } }
      const { stdout } = yield* against(answers, ["keys", "revoke", key.id])
      assert.match(stdout, /^key_abcdefghijkl is revoked/)
    })
  )

  it.effect("keys rotate shows the new secret alone on stdout", () =>
    Effect.gen(function* () {
      const answers = { [`POST /admin/keys/${key.id}/rotate`]: { body: { ...key, key: SECRET } } }
      const { bodies, stdout } = yield* against(answers, ["keys", "rotate", key.id, "--grace", "24h"])
      assert.deepStrictEqual(bodies, [{ grace_seconds: 86_400 }])
      assert.strictEqual(stdout, `${SECRET}\n`)
    })
  )

  it.effect("that does not exist: the gateway's words, exit code 1", () =>
    Effect.gen(function* () {
      const body = {
        error: { type: "invalid_request_error", message: "There is no key key_x.", param: null, code: "not_found" }
      }
      const { code, stderr } = yield* against({ "GET /admin/keys/key_x": { status: 404, body } }, [
        "keys",
        "show",
        "key_x"
      ])
      assert.deepStrictEqual([code, stderr], [1, "There is no key key_x.\n"])
    })
  )

  it.effect("with strange ids stays one path segment", () =>
    Effect.gen(function* () {
      const { asked } = yield* against({}, ["keys", "show", "../spend?x=/y"])
      assert.strictEqual(asked[0]?.path, "/admin/keys/..%2Fspend%3Fx%3D%2Fy")
    })
  )
})

describe("teams", () => {
  it.effect("show", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against({ "GET /admin/teams/research": { body: team } }, ["teams", "show", "research"])
      assert.match(
        stdout,
        /^team +research\nlimits +600 requests a minute, 8 at a time\nbudgets +\$500.00 a month \(Europe\/Berlin\)/
      )
    })
  )

  it.effect("set leaves what was not named as it was", () =>
    Effect.gen(function* () {
      const answers = { "GET /admin/teams/research": { body: team }, "PUT /admin/teams/research": { body: team } }
      const rpm = yield* against(answers, ["teams", "set", "research", "--rpm", "700", "--max-parallel", "none"])
      assert.deepStrictEqual(rpm.bodies[1], {
        limits: { rpm: 700, tpm: null, max_parallel: null },
        budgets: [{ usd: 500, window: "month", time_zone: "Europe/Berlin" }]
      })
      const budgets = yield* against(answers, ["teams", "set", "research", "--budget", "1/hour"])
      assert.deepStrictEqual(budgets.bodies[1], { limits: team.limits, budgets: [{ usd: 1, window: "hour" }] })
    })
  )

  it.effect("set makes a team that nobody knew", () =>
    Effect.gen(function* () {
      const missing = {
        status: 404,
        body: { error: { type: "t", message: "no team", param: null, code: "not_found" } }
      }
      const answers = { "GET /admin/teams/new%20one": missing, "PUT /admin/teams/new%20one": { body: team } }
      const { bodies, code, stderr } = yield* against(answers, ["teams", "set", "new one", "--rpm", "1"])
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(bodies[1], { limits: { rpm: 1 }, budgets: [] })
      yield* refused(["teams", "set", "new one"], /^nothing to set/)
    })
  )
})

describe("deployments", () => {
  const page = { object: "list", data: [deployment] }

  it.effect("list", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against({ "GET /admin/deployments": { body: page } }, ["deployments", "list"])
      assert.match(stdout, /^ID .*\nopenai\/gpt-5 +enabled +closed +2\.5 % +1\.3 s +310 ms +2 +complex\n$/)
    })
  )

  it.effect("enable and disable name all of them in one request", () =>
    Effect.gen(function* () {
      for (const verb of ["enable", "disable"]) {
        const answers = { [`POST /admin/deployments/${verb}`]: { body: page } }
        const { bodies, code } = yield* against(answers, ["deployments", verb, "openai/gpt-5", "demo/mini"])
        assert.strictEqual(code, 0)
        assert.deepStrictEqual(bodies, [{ deployments: ["openai/gpt-5", "demo/mini"] }])
        yield* refused(["deployments", verb], /id/)
      }
    })
  )
})

describe("spend", () => {
  it.effect("is three tables with totals", () =>
    Effect.gen(function* () {
      const { asked, stdout } = yield* against({ "GET /admin/spend": { body: spend } }, ["spend"])
      assert.strictEqual(asked[0]?.path, "/admin/spend")
      assert.match(stdout, /^2026-10-01 00:00 to 2026-11-01 00:00 UTC\n\nKEY /)
      assert.match(stdout, /\nkey_abcdefghijkl +\$12\.50 +1,200 +3 +1,500,000 +20,000 +2026-10-02 09:30\ntotal /)
      assert.match(stdout, /\nTEAM .*\n- .*\ntotal /)
      assert.match(stdout, /\nMODEL .*\ngpt-5 +~\$12\.50 /)
    })
  )

  it.effect("goes by another cut, time and filter", () =>
    Effect.gen(function* () {
      const { asked, stdout } = yield* against({ "GET /admin/spend": { body: spendByDay } }, [
        ...["spend", "--by", "day", "--from", "2026-10-01", "--to", "0s", "--time-zone", "Europe/Berlin"],
        ...["--team", "research", "--model", "gpt-5", "--key", key.id]
      ])
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(asked[0]?.path.split("?")[1])), {
        from: "2026-10-01",
        to: "1970-01-01T00:00:00.000Z",
        tz: "Europe/Berlin",
        group_by: "day",
        team: "research",
        model: "gpt-5",
        key: key.id
      })
      assert.match(stdout, /\n2026-10-01 +\$2\.50 .*\n2026-10-02 +\$10\.00 .*\ntotal +\$12\.50 /)
      yield* refused(["spend", "--by", "colour"], /--by/)
      yield* refused(["spend", "--from", "yesterday"], /--from.*2026-11-01/)
    })
  )
})
