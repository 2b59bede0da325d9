import { assert, describe, it } from "@effect/vitest"
import { OwnKey } from "@model-gateway/protocol"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { conforms, rowOf, startAdmin } from "../AdminClient.ts"

const body = { model: "demo/mini", messages: [{ role: "user", content: "Hello" }] }

/** Nano-USD: sums of decimals must be exact. */
const nano = (usd: number) => Math.round(usd * 1e9)

describe("GET /v1/key tells what the key spent", () => {
  it.effect("this hour, day, week and month, and in all, without any budget", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 9, 30, 12))
      const { createKey, send } = yield* startAdmin
      const { id, key } = yield* createKey()
      const { key: other } = yield* createKey()
      const own = Effect.map(send("GET", "/v1/key", undefined, { key }), ({ json }) => json)
      assert.deepStrictEqual((yield* own).spend, {
        hour_usd: 0,
        day_usd: 0,
        week_usd: 0,
        month_usd: 0,
        total_usd: 0,
        time_zone: "UTC"
      })
      // Last month in this week, the day before, an hour before, now.
      for (const at of [
        Date.UTC(2026, 9, 30, 12),
        Date.UTC(2026, 9, 31, 12),
        Date.UTC(2026, 10, 1, 10, 59),
        Date.UTC(2026, 10, 1, 11)
      ]) {
        yield* TestClock.setTime(at)
        yield* send("POST", "/v1/chat/completions", body, { key })
        yield* send("POST", "/v1/chat/completions", body, { key: other })
      }
      const answer = yield* own
      conforms(OwnKey, answer)
      const one = nano(answer.spend.hour_usd)
      assert.isAbove(one, 0)
      const { day_usd, month_usd, total_usd, week_usd } = answer.spend
      assert.deepStrictEqual([day_usd, week_usd, month_usd, total_usd].map(nano), [2 * one, 4 * one, 2 * one, 4 * one])
      const spend = yield* send("GET", `/admin/spend?from=2026-10-01&key=${id}`)
      assert.strictEqual(nano(spend.json.total.cost_usd), nano(total_usd))
      // A new week, on Monday.
      yield* TestClock.setTime(Date.UTC(2026, 10, 2))
      const monday = (yield* own).spend
      assert.deepStrictEqual(
        [monday.hour_usd, monday.day_usd, monday.week_usd, monday.month_usd, monday.total_usd].map(nano),
        [0, 0, 0, 2 * one, 4 * one]
      )
    })
  )

  it.effect("in the zone asked for, else that of its first budget", () =>
    Effect.gen(function* () {
      // 23:45 on the 21st in Kolkata, where the next day begins a quarter of an hour later.
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 18, 15))
      const { createKey, send } = yield* startAdmin
      const budgets = [{ usd: 5, window: "day", time_zone: "Asia/Kolkata" }]
      const { key } = yield* createKey({ budgets })
      yield* send("POST", "/v1/chat/completions", body, { key })
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 18, 30))
      const own = (query: string) => send("GET", `/v1/key${query}`, undefined, { key })
      const { json } = yield* own("")
      assert.strictEqual(json.spend.time_zone, json.budgets[0].time_zone)
      assert.deepStrictEqual([json.spend.hour_usd, json.spend.day_usd], [0, 0])
      assert.strictEqual(json.spend.day_usd, json.budgets[0].spent_usd)
      assert.isAbove(json.spend.week_usd, 0)
      const there = (yield* own("?tz=UTC")).json.spend
      assert.strictEqual(there.time_zone, "UTC")
      assert.isAbove(there.hour_usd, 0)
      for (const zone of ["", "Mars/Olympus", "+02:00"]) {
        const answer = yield* own(`?tz=${encodeURIComponent(zone)}`)
        assert.deepStrictEqual(rowOf(answer), [400, "invalid_request_error", "invalid_field", "tz"])
      }
    })
  )
})
