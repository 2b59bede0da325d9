import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { against, refused } from "./Against.ts"
import { team } from "./Wire.ts"

const endUser = {
  object: "end_user",
  owner: "team:red",
  id: "ann/1",
  name: null,
  limits: null,
  budgets: null,
  model_rules: null,
  blocked: false,
  metadata: { plan: "free" },
  updated_at: "2026-11-21T12:00:00.000Z"
}

const path = "/admin/end-users/team%3Ared/ann%2F1"

describe("end-users", () => {
  it.effect("set changes what is named and sends the rest back", () =>
    Effect.gen(function* () {
      const answers = { [`GET ${path}`]: { body: endUser }, [`PUT ${path}`]: { body: { ...endUser, blocked: true } } }
      const args = ["end-users", "set", "team:red", "ann/1", "--budget", "5/day", "--blocked", "yes"]
      const { bodies, code, stderr, stdout } = yield* against(answers, args)
      assert.strictEqual(code, 0, stderr)
      assert.deepStrictEqual(bodies[1], {
        name: null,
        limits: null,
        budgets: [{ usd: 5, window: "day" }],
        model_rules: null,
        blocked: true,
        metadata: { plan: "free" }
      })
      assert.match(stdout, /blocked +yes/)
      assert.match(stdout, /limits +as per_end_user says/)
      const state = { spent_usd: 0, reserved_usd: 0, remaining_usd: 9, resets_at: null, budget_usd: 9 }
      const kept = { usd: 9, window: "day", time_zone: "UTC", soft_usd: 7 }
      const softly = { ...endUser, budgets: [{ ...kept, ...state }] }
      const other = { [`GET ${path}`]: { body: softly }, [`PUT ${path}`]: { body: softly } }
      const second = yield* against(other, ["end-users", "set", "team:red", "ann/1", "--blocked", "yes"])
      assert.deepInclude(second.bodies[1], { budgets: [kept] }, second.stderr)
      yield* refused(["end-users", "set", "red", "ann"], /team:<name>, or key:<id>/)
      yield* refused(["end-users", "set", "team:red", "ann"], /nothing to set/)
    })
  )
})

describe("budgets raise", () => {
  it.effect("adds a raise to the only budget, or to the one of a window", () =>
    Effect.gen(function* () {
      const answers = { "GET /admin/teams/red": { body: team }, "PUT /admin/teams/red": { body: team } }
      const until = "2026-12-04T18:00:00.000Z"
      const args = ["budgets", "raise", "team:red", "--add", "50", "--until", until, "--reason", "launch"]
      const { bodies, code, stderr } = yield* against(answers, args)
      assert.strictEqual(code, 0, stderr)
      const { budgets } = JSON.parse(JSON.stringify(bodies[1])) as { budgets: ReadonlyArray<{ raises: unknown }> }
      assert.deepStrictEqual(budgets[0]?.raises, [{ add_usd: 50, until, reason: "launch" }])
      const none = yield* against(answers, [...args, "--window", "hour"])
      assert.strictEqual(none.code, 1)
      assert.match(none.stderr, /There is no such budget/)
      yield* refused(["budgets", "raise", "red", "--add", "5", "--until", "7d"], /key:ID, team:NAME/)
      const missing = { "GET /admin/end-users/team:red/ann": { status: 404, body: { error: { message: "none" } } } }
      const ofNobody = yield* against(missing, [
        "budgets",
        "raise",
        "end_user:team:red/ann",
        "--add",
        "5",
        "--until",
        "7d"
      ])
      assert.match(ofNobody.stderr, /no budget of its own: set one with `model-gateway end-users set team:red ann/)
    })
  )
})
