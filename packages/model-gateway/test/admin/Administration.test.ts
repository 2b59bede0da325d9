import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { against, refused } from "./Against.ts"
import { team } from "./Wire.ts"

const times = { p50: 120, p90: 300, p95: 410, p99: 900, max: 1200 }

const sums = {
  requests: 12,
  ok: 9,
  failed: 2,
  cut: 0,
  client_gone: 0,
  refused: 1,
  retried: 1,
  attempts: 13,
  latency_ms: times,
  first_token_ms: times,
  overhead_ms: { p50: 1, p99: 4 },
  tokens_per_second: { p10: 20, p50: 80 },
  input_tokens: 100,
  cached_input_tokens: 0,
  output_tokens: 50,
  cost_usd: 1.25,
  failure_rate: 1 / 6,
  unpriced: 0,
  auto_baseline_usd: 0
}

describe("traffic", () => {
  it.effect("is a table of what was asked for, with the total", () =>
    Effect.gen(function* () {
      const report = {
        object: "traffic",
        from: "2026-11-21T11:00:00.000Z",
        to: "2026-11-21T12:00:00.000Z",
        time_zone: "UTC",
        interval: "minute",
        total: { ...sums, unpriced: 2 },
        rows: [{ start: "2026-11-21T11:05:00Z", deployment: "demo/mini", error: null, ...sums }],
        has_more: false
      }
      const answers = { "GET /admin/traffic": { body: report } }
      const args = ["traffic", "--last", "1h", "--by", "deployment,error", "--interval", "minute"]
      const { asked, code, stderr, stdout } = yield* against(answers, args)
      assert.strictEqual(code, 0, stderr)
      const query = new URLSearchParams(asked[0]?.path.split("?")[1])
      assert.deepStrictEqual([query.get("group_by"), query.get("interval")], ["deployment,error", "minute"])
      assert.match(stdout, /BEGIN +DEPLOYMENT +ERROR +REQUESTS/)
      assert.match(stdout, /2026-11-21 11:05 +demo\/mini +- +12 +16\.7 % +1 +120 ms/)
      assert.match(stdout, /total.+\$1\.25\+\n\n2 of the responses have no known price\.\n$/)
      yield* refused(["traffic", "--by", "colour"], /deployment, provider/)
      yield* refused(["traffic", "--last", "soon"], /a span such as/)
    })
  )
})

describe("what is not there yet", () => {
  it.effect("is said, with the command that makes it; a search that finds nothing is another thing", () =>
    Effect.gen(function* () {
      const none = { body: { object: "list", data: [], has_more: false, next: null } }
      const answers = { "GET /admin/budgets": none, "GET /admin/teams": none }
      const said = (...args: ReadonlyArray<string>) => Effect.map(against(answers, args), ({ stdout }) => stdout)
      assert.match(yield* said("teams", "list"), /^No team yet: `model-gateway teams set /)
      assert.strictEqual(yield* said("teams", "list", "--search", "red"), "No team matches.\n")
      assert.match(yield* said("budgets"), /`model-gateway keys create --budget 25\/month`/)
      assert.strictEqual(yield* said("budgets", "--scope", "team"), "No budget matches.\n")
    })
  )
})

describe("budgets", () => {
  it.effect("are listed with when they run out", () =>
    Effect.gen(function* () {
      const one = {
        scope: "key",
        id: "key_abcdefghijkl",
        name: "app",
        window: "day",
        time_zone: "UTC",
        usd: 10,
        used: 0.85,
        spent_usd: 8.5,
        reserved_usd: 0,
        remaining_usd: 1.5,
        resets_at: "2026-11-22T00:00:00.000Z",
        runs_out_at: "2026-11-21T18:00:00.000Z"
      }
      const answers = { "GET /admin/budgets": { body: { object: "list", data: [one], has_more: false } } }
      const { stdout } = yield* against(answers, ["budgets", "--min-used", "80%"])
      assert.match(stdout, /85 % +\$8\.50 +\$1\.50 +2026-11-21 18:00/)
      yield* refused(["budgets", "--min-used", "0.8"], /80%/)
    })
  )
})

describe("teams", () => {
  it.effect("are listed and deleted", () =>
    Effect.gen(function* () {
      const page = { object: "list", data: [team], has_more: false, next: null }
      const { stdout } = yield* against({ "GET /admin/teams": { body: page } }, ["teams", "list"])
      assert.match(stdout, /research +3 +600 requests a minute/)
      const gone = yield* against({ "DELETE /admin/teams/research": { body: team } }, ["teams", "delete", "research"])
      assert.match(gone.stdout, /^research is deleted/)
    })
  )
})

describe("nodes", () => {
  it.effect("are listed with what each is doing", () =>
    Effect.gen(function* () {
      const node = {
        object: "node",
        id: 1734217903,
        name: "gateway-0",
        version: "0.1.0",
        since: "2026-11-21T12:00:00.000Z",
        lease_ms: 10_000,
        last_beat_at: "2026-11-21T12:30:05.123Z",
        flush_lag_ms: 4,
        shares_held: 1200,
        state: "working",
        is_this: true
      }
      const file = { ...node, id: 0, lease_ms: null, last_beat_at: null, state: "refusing", is_this: false }
      const list = { "GET /admin/nodes": { body: { object: "list", data: [node, file], trouble: null } } }
      const { stdout } = yield* against(list, ["nodes", "list"])
      assert.match(
        stdout,
        /1734217903 +gateway-0 \(here\) +0\.1\.0 +working +2026-11-21 12:00 +12:30:05 +10\.0 s +4 ms +1,200/
      )
      assert.match(stdout, / 0 +gateway-0 +0\.1\.0 +refusing +2026-11-21 12:00 +- +- +4 ms/)
    })
  )
})

describe("sessions", () => {
  it.effect("are listed, and ended one by one or all together", () =>
    Effect.gen(function* () {
      const session = {
        object: "session",
        id: "sess_5kX2pQ9vLmN4cR8t",
        role: "admin",
        user: null,
        created_at: "2026-11-21T12:00:00.000Z",
        last_used_at: "2026-11-21T12:30:00.000Z",
        expires_at: "2026-11-21T20:00:00.000Z",
        address: "192.0.2.1"
      }
      const list = { "GET /admin/sessions": { body: { object: "list", data: [session] } } }
      assert.match(
        (yield* against(list, ["sessions", "list"])).stdout,
        /sess_5kX2pQ9vLmN4cR8t +master key +192\.0\.2\.1/
      )
      const ended = (count: number) => ({ body: { object: "sessions_ended", ended: count } })
      const one = { [`DELETE /admin/sessions/${session.id}`]: ended(1) }
      assert.match((yield* against(one, ["sessions", "revoke", session.id])).stdout, /^1 session ended/)
      const all = { "DELETE /admin/sessions": ended(3) }
      assert.match((yield* against(all, ["sessions", "revoke", "--all"])).stdout, /^3 sessions ended/)
      yield* refused(["sessions", "revoke"], /name a session, or give --all/)
      yield* refused(["sessions", "revoke", "sess_1", "--all"], /name a session, or give --all/)
    })
  )
})

describe("the audit log", () => {
  it.effect("is listed, and exported oldest first", () =>
    Effect.gen(function* () {
      const entry = (id: number) => ({
        object: "audit_entry",
        id,
        at: "2026-11-21T12:00:00.000Z",
        actor: { kind: "master_key", id: "master_key", name: null, address: "192.0.2.1" },
        action: "teams.put",
        target: "research",
        before: null,
        after: team
      })
      const page = { object: "list", data: [entry(2), entry(1)], has_more: false, next: null }
      const answers = { "GET /admin/audit": { body: page } }
      assert.match(
        (yield* against(answers, ["audit", "list"])).stdout,
        /master_key +192\.0\.2\.1 +teams\.put +research/
      )
      const { ran, lines } = yield* Effect.map(against(answers, ["audit", "export", "--json"]), (ran) => ({
        ran,
        lines: ran.stdout.trim().split("\n")
      }))
      assert.strictEqual(ran.code, 0, ran.stderr)
      assert.deepStrictEqual(
        lines.map((line) => JSON.parse(line).id),
        [1, 2]
      )
    })
  )
})
