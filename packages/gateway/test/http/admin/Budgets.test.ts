import { assert, describe, it } from "@effect/vitest"
import { BudgetUseList } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const NOON = Date.UTC(2026, 10, 21, 12)

const body = { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] }

describe("budgets", () => {
  it.effect("are listed the fullest first, with when each is used up", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { createKey, send } = yield* startAdmin
      const plain = yield* createKey()
      yield* send("POST", "/v1/chat/completions", body, { key: plain.key })
      const cost = (yield* send("GET", "/admin/spend")).json.total.cost_usd
      const usd = (times: number) => Number((cost * times).toFixed(9))
      yield* send("PUT", "/admin/teams/red", { budgets: [{ usd: usd(100), window: "month" }] })
      const full = yield* createKey({ name: "full", budgets: [{ usd: usd(20), window: "day" }] })
      const half = yield* createKey({
        team: "red",
        budgets: [
          { usd: usd(40), window: "total" },
          { usd: usd(8000), window: "week" }
        ]
      })
      const gone = yield* createKey({ budget_usd: usd(50) })
      for (const { key } of [full, full, full, half, gone]) {
        assert.strictEqual((yield* send("POST", "/v1/chat/completions", body, { key })).status, 200)
      }
      yield* send("DELETE", `/admin/keys/${gone.id}`)
      const list = (query: string) => Effect.map(send("GET", `/admin/budgets${query}`), ({ json }) => json)
      const all = yield* list("")
      conforms(BudgetUseList, all)
      const row = (one: { id: string; window: string; used: number }) => [one.id, one.window, one.used]
      assert.deepStrictEqual(all.data.map(row), [
        [full.id, "day", 0.15],
        [half.id, "total", 0.025],
        ["red", "month", 0.01],
        [half.id, "week", 0.000125]
      ])
      const [first, second, , slow] = all.data
      assert.deepStrictEqual([first.name, first.scope, first.resets_at], ["full", "key", "2026-11-22T00:00:00.000Z"])
      // 17 more at 3 an hour.
      assert.strictEqual(first.runs_out_at, new Date(NOON + (17 / 3) * 3_600_000).toISOString())
      assert.strictEqual(second.runs_out_at, new Date(NOON + 39 * 3_600_000).toISOString())
      assert.isNull(slow.runs_out_at)
      assert.deepStrictEqual((yield* list("?min_used=0.02")).data.length, 2)
      assert.deepStrictEqual((yield* list("?scope=team")).data.map(row), [["red", "month", 0.01]])
      const cut = yield* list("?limit=1")
      assert.deepStrictEqual([cut.data.map(row).length, cut.has_more], [1, true])
      for (const [query, param] of [
        ["min_used=-1", "min_used"],
        ["scope=tag", "scope"],
        ["limit=0", "limit"]
      ]) {
        const refused = yield* send("GET", `/admin/budgets?${query}`)
        assert.deepStrictEqual(rowOf(refused), [400, "invalid_request_error", "invalid_field", param])
      }
    })
  )

  it.effect("of end users at work are listed the fullest first, without a record of them", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOON)
      const { createKey, send } = yield* startAdmin
      yield* send("PUT", "/admin/teams/red", {})
      const per_end_user = { budgets: [{ usd: 1, window: "day", soft_usd: 0.000000001 }] }
      const { key } = yield* createKey({ team: "red", per_end_user })
      const ask = (id: string) =>
        send("POST", "/v1/chat/completions", body, { key, headers: { "x-gateway-end-user": encodeURIComponent(id) } })
      for (const id of ["ann", "bob/1", "ann"]) assert.strictEqual((yield* ask(id)).status, 200)
      const { json } = yield* send("GET", "/admin/budgets?scope=end_user")
      conforms(BudgetUseList, json)
      const seen = (one: { scope: string; id: string; window: string }) => [one.scope, one.id, one.window]
      assert.deepStrictEqual(json.data.map(seen), [
        ["end_user", "team:red/ann", "day"],
        ["end_user", "team:red/bob/1", "day"]
      ])
      const [ann, bob] = json.data
      assert.strictEqual(ann.spent_usd, Number((2 * bob.spent_usd).toFixed(9)))
      const first = (yield* send("GET", "/admin/budgets?scope=end_user&limit=1")).json
      assert.deepStrictEqual([first.data.map(seen), first.has_more], [[seen(ann)], true])
      assert.deepStrictEqual(
        (yield* send("GET", `/admin/budgets?scope=end_user&min_used=${ann.used}`)).json.data.map(seen),
        [seen(ann)]
      )
      assert.deepStrictEqual((yield* send("GET", "/admin/budgets")).json.data, [])
    })
  )
})
