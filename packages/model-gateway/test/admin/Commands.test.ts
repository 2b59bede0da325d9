import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { against, refused } from "./Against.ts"
import { deployment, key, spend, spendByDay, team } from "./Wire.ts"

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
      yield* refused(["teams", "set", "../x", "--rpm", "1"], /<team>.*letters/)
    })
  )
})

describe("ready", () => {
  it.effect("says so, and needs no master key", () =>
    Effect.gen(function* () {
      const { asked, code, stdout } = yield* against({ "GET /readyz": { body: { status: "ready" } } }, ["ready"])
      assert.deepStrictEqual([code, stdout], [0, "ready\n"])
      assert.deepStrictEqual([asked.length, asked[0]?.authorization], [1, undefined])
    })
  )

  it.effect("ends with exit code 1 and names the failing check while the gateway is not ready", () =>
    Effect.gen(function* () {
      const body = { error: { message: "shutting down" }, failing: [{ check: "draining" }] }
      const { code, stderr } = yield* against({ "GET /readyz": { status: 503, body } }, ["ready"])
      assert.strictEqual(code, 1)
      assert.match(stderr, /^not ready \(HTTP 503\): .*"draining"/)
    })
  )
})

describe("deployments", () => {
  const page = { object: "list", data: [deployment] }

  it.effect("list", () =>
    Effect.gen(function* () {
      const { stdout } = yield* against({ "GET /admin/deployments": { body: page } }, ["deployments", "list"])
      assert.match(stdout, /^ID .*\nopenai\/gpt-5 +enabled +closed +2\.5 % +1\.3 s +310 ms +- +2 +complex\n$/)
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
      assert.notInclude(stdout, "AUTO SAVED")
    })
  )

  it.effect("says what auto saved, and by what reckoning, once there were requests for it", () =>
    Effect.gen(function* () {
      const auto = { auto_requests: 900, auto_cost_usd: 2.5, auto_baseline_usd: 10 }
      const lost = { auto_requests: 1, auto_cost_usd: 0.5, auto_baseline_usd: 0.25 }
      const rows = [{ ...spendByDay.rows[0]!, ...lost }, spendByDay.rows[1]!]
      const report = { ...spendByDay, total: { ...spendByDay.total, ...auto }, rows }
      const { stdout } = yield* against({ "GET /admin/spend": { body: report } }, ["spend", "--by", "day"])
      assert.match(stdout, /\nDAY +COST +AUTO SAVED +REQUESTS /)
      assert.match(stdout, /\n2026-10-01 +\$2\.50 +- +1,200 /)
      assert.match(stdout, /\n2026-10-02 +\$10\.00 +-\$0\.25 of \$0\.25 +1,200 /)
      assert.match(stdout, /\ntotal +\$12\.50 +\$7\.50 of \$10\.00 +1,200 /)
      assert.match(stdout, /AUTO SAVED: .*\n?.*at the same token counts\./)
    })
  )

  it.effect("goes by another cut, time and filter", () =>
    Effect.gen(function* () {
      const { asked, stdout } = yield* against({ "GET /admin/spend": { body: spendByDay } }, [
        ..."spend --by day --from 2026-10-01T18:30+02:00 --to 2026-11-01 --time-zone Europe/Berlin".split(" "),
        ...`--team research --model gpt-5 --key ${key.id}`.split(" ")
      ])
      assert.deepStrictEqual(Object.fromEntries(new URLSearchParams(asked[0]?.path.split("?")[1])), {
        from: "2026-10-01T16:30:00.000Z",
        // When a day begins is the gateway's to say: it depends on the time zone.
        to: "2026-11-01",
        tz: "Europe/Berlin",
        group_by: "day",
        team: "research",
        model: "gpt-5",
        key: key.id
      })
      assert.match(stdout, /\n2026-10-01 +\$2\.50 .*\n2026-10-02 +\$10\.00 .*\ntotal +\$12\.50 /)
      const lately = yield* against({ "GET /admin/spend": { body: spend } }, ["spend", "--from", "0s"])
      assert.strictEqual(lately.asked[0]?.path, `/admin/spend?from=${encodeURIComponent("1970-01-01T00:00:00.000Z")}`)
      yield* refused(["spend", "--time-zone", "Mars"], /--time-zone/)
      yield* refused(["spend", "--by", "colour"], /--by/)
      yield* refused(["spend", "--from", "yesterday"], /--from.*2026-11-01/)
    })
  )
})
