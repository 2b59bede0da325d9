import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { makeFailover, RetryBudget } from "../../../src/core/call/Failover.ts"
import { Health } from "../../../src/core/pool/Health.ts"
import type { ProviderFailure } from "../../../src/core/domain/Failures.ts"
import { failed } from "./Failures.ts"
import { deployment } from "./Support.ts"

const usual = { percent: 20, extra: 3, windowMs: 10_000 }

/** Deployments by id, of which the `dead` ones always fail, asked through the rules of failover and health. */
const world = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, dead: ReadonlyArray<string>, attempts = 3) {
  const fleet = ids.map((id) => deployment(id))
  const healths = new Map(ids.map((id) => [id, new Health()]))
  const calls = new Map(ids.map((id) => [id, 0]))
  const failover = makeFailover(
    { baseDelayMs: 0, retryBudget: usual },
    {
      isReady: (id, now) => healths.get(id)!.isReady(now),
      isHealthy: (id) => healths.get(id)!.isHealthy(),
      hasOtherKey: () => false
    },
    yield* Clock.Clock
  )
  const answered = (id: string, now: number): Effect.Effect<string, ProviderFailure> => {
    calls.set(id, calls.get(id)! + 1)
    const health = healths.get(id)!
    const ticket = health.began(now)
    if (dead.includes(id)) {
      const failure = failed("unavailable")
      health.failed(ticket, now, failure, 0)
      return Effect.fail(failure)
    }
    health.succeeded(ticket, now, 0)
    return Effect.succeed(id)
  }
  const ask = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const ready = fleet.filter(({ id }) => healths.get(id)!.isReady(now))
    const candidates = [...ready, ...fleet.filter((one) => !ready.includes(one))]
    return yield* Effect.result(
      failover(candidates, attempts, ({ deployment: { id } }) =>
        Effect.flatMap(Clock.currentTimeMillis, (at) => answered(id, at))
      )
    )
  })
  const asked = (...some: ReadonlyArray<string>) => some.reduce((sum, id) => sum + calls.get(id)!, 0)
  return { ask, asked, healths }
})

describe("RetryBudget", () => {
  it("has room for a share of the requests and a few more", () => {
    const budget = new RetryBudget(usual)
    for (let i = 0; i < 50; i++) budget.request(0)
    let retries = 0
    while (budget.hasRoom(0)) {
      budget.retry(0)
      retries++
    }
    assert.strictEqual(retries, 13)
  })

  it("slides: what is longer ago than the window counts no more", () => {
    const budget = new RetryBudget(usual)
    for (let i = 0; i < 3; i++) budget.retry(i * 4_000)
    assert.isFalse(budget.hasRoom(9_999))
    // The first is forgotten a slice of time after its 10 s, and with it comes room for one.
    assert.isTrue(budget.hasRoom(10_500))
    budget.retry(10_500)
    assert.isFalse(budget.hasRoom(10_500))
    assert.isTrue(budget.hasRoom(1e12))
  })

  it("may be none at all", () => {
    assert.isFalse(new RetryBudget({ percent: 0, extra: 0, windowMs: 1_000 }).hasRoom(0))
  })
})

describe("failover under the budget", () => {
  for (const [dead, attempts] of [
    [["x/a"], 3],
    [["x/a", "x/b"], 3],
    [["x/a", "x/b", "x/c"], 10]
  ] as const) {
    it.effect(`${dead.length} dead, nothing else: at most 1.2 calls for each request and 3 more, in any 10 s`, () =>
      Effect.gen(function* () {
        const { ask, asked } = yield* world(dead, dead, attempts)
        for (let round = 0; round < 12; round++) {
          const before = asked(...dead)
          for (let i = 0; i < 100; i++) {
            yield* TestClock.adjust(95)
            assert.strictEqual((yield* ask)._tag, "Failure")
          }
          // The least of the window that is left over from the round before makes a retry of difference.
          assert.isAtMost(asked(...dead) - before, 1.2 * 100 + 3 + 1)
          assert.isAtLeast(asked(...dead) - before, 100)
        }
      })
    )
  }

  it.effect("one dead, one alive: the dead one gets no more than its requests, and nobody fails", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world(["x/a", "x/b"], ["x/a"])
      for (let i = 0; i < 300; i++) {
        yield* TestClock.adjust(20)
        assert.strictEqual((yield* ask)._tag, "Success")
      }
      // Five that opened its circuit; the next would be the one that tries it after 10 s.
      assert.strictEqual(asked("x/a"), 5)
    })
  )

  it.effect("low traffic: a deployment that is free answers, however often the first one fails", () =>
    Effect.gen(function* () {
      const { ask, healths } = yield* world(["x/a", "x/b"], ["x/a"])
      for (let i = 0; i < 12; i++) {
        // It recovers again and again, only to fail: its circuit never opens.
        const one = healths.get("x/a")!
        one.succeeded(one.began(i), i, 0)
        yield* TestClock.adjust(100)
        assert.strictEqual((yield* ask)._tag, "Success", `request ${i}`)
      }
    })
  )

  it.effect("used up: the same one is not asked again, and its failure is what the caller is told", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* world(["x/a"], ["x/a"])
      const attempts: Array<number> = []
      for (let i = 0; i < 6; i++) {
        const result = yield* ask
        if (result._tag !== "Failure" || result.failure._tag !== "Exhausted") return assert.fail("not exhausted")
        attempts.push(result.failure.attempts)
        assert.strictEqual(result.failure.class, "unavailable")
      }
      // 3, and one of 20 % of five requests.
      assert.deepStrictEqual(attempts, [2, 2, 2, 1, 2, 1])
      assert.strictEqual(asked("x/a"), 10)
    })
  )
})
