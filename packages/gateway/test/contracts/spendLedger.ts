/** What every SpendLedger keeps to: nothing is overspent, everything is booked once, and a refusal says why and until when. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { SpendLedger } from "../../src/core/ledger/SpendLedger.ts"
import { noUsage } from "../../src/core/domain/Usage.ts"
import { intent, keyWith, outcome } from "../core/ledger/Books.ts"
import { budget, callerWith, DAY, deployment, HOUR, NOW, oneAndTwo, priceSheet, rates } from "../core/call/Support.ts"
import { at, booked, refusal } from "../core/ledger/LedgerWorld.ts"

/** `processes`: with several, each tells what it knows; the budgets are the same. */
export const spendLedgerContract = <E>(name: string, layer: Layer.Layer<SpendLedger, E>, processes = 1) =>
  describe(`SpendLedger · ${name}`, () => {
    const byOne = processes === 1 ? it.effect : it.effect.skip
    it.effect("holds the worst case until the exact cost replaces it", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(10_000)])
        const reservation = yield* ledger.reserve(intent(caller))
        const [held] = yield* ledger.budgets("key:key_a", caller.key.budgets)
        assert.deepStrictEqual(held, {
          budget: budget(10_000),
          limit: 10_000,
          spent: 0,
          reserved: 1_000,
          resetsAt: Date.UTC(2026, 2, 2)
        })
        assert.strictEqual(yield* ledger.settle(reservation, outcome(300)), 300)
        const [settled] = yield* ledger.budgets("key:key_a", caller.key.budgets)
        assert.strictEqual(settled?.spent, 300)
        assert.strictEqual(settled?.reserved, 0)
        assert.strictEqual(yield* ledger.remaining(caller), 9_700)
        assert.deepStrictEqual(yield* booked, { cost: 300, estimated: 0, requests: 1, failed: 0 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("raises a limit from the beginning of a raise to its end, to the millisecond, over a clock change", () =>
      Effect.gen(function* () {
        const from = Date.UTC(2026, 2, 25, 12)
        // Seven days later, on the other side of the change of 29 March.
        const until = from + 7 * 24 * 3_600_000
        const raised = {
          ...budget(1_000),
          timeZone: "Europe/Berlin",
          raises: [{ add: 2_000, from, until, reason: "launch" }]
        }
        const caller = keyWith([raised])
        const ledger = yield* SpendLedger
        const fits = Effect.fnUntraced(function* (now: number, count: number, limit: number) {
          yield* at(now)
          const held = yield* Effect.forEach(Array.from({ length: count }), () => ledger.reserve(intent(caller)))
          const refused = yield* Effect.flip(ledger.reserve(intent(caller)))
          assert.strictEqual(refused._tag === "BudgetExceeded" ? refused.limit : 0, limit)
          const [state] = yield* ledger.budgets("key:key_a", caller.key.budgets)
          assert.deepInclude(state, { limit, reserved: count * 1_000 })
          yield* Effect.forEach(held, (one) => ledger.release(one, "nothing"))
        })
        yield* fits(from - 1, 1, 1_000)
        yield* fits(from, 3, 3_000)
        yield* fits(Date.UTC(2026, 2, 29, 12), 3, 3_000)
        yield* fits(until - 1, 3, 3_000)
        yield* fits(until, 1, 1_000)
      }).pipe(Effect.provide(layer))
    )

    it.effect("books once, however often it is told and whatever comes first", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(10_000)])
        const settled = yield* ledger.reserve(intent(caller))
        yield* ledger.settle(settled, outcome(300))
        assert.strictEqual(yield* ledger.settle(settled, outcome(500)), 0)
        yield* ledger.release(settled, "nothing")
        const released = yield* ledger.reserve(intent(caller))
        yield* ledger.release(released, "failed_request")
        assert.strictEqual(yield* ledger.settle(released, outcome(500)), 0)
        const [state] = yield* ledger.budgets("key:key_a", caller.key.budgets)
        assert.strictEqual(state?.spent, 300)
        assert.strictEqual(state?.reserved, 0)
        assert.deepStrictEqual(yield* booked, { cost: 300, estimated: 0, requests: 2, failed: 1 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("an interruption leaves nothing half held or half booked", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(100_000)])
        for (let turns = 0; turns < 8; turns++) {
          const reservation = yield* ledger.reserve(intent(caller))
          const settling = yield* Effect.forkChild(ledger.settle(reservation, outcome(300)))
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(settling)
          // Where it had not begun.
          yield* ledger.settle(reservation, outcome(300))
          const [state] = yield* ledger.budgets("key:key_a", caller.key.budgets)
          assert.deepInclude(state, { spent: 300 * (turns + 1), reserved: 0 })
          assert.strictEqual((yield* booked).cost, 300 * (turns + 1))
        }
      }).pipe(Effect.provide(layer))
    )

    byOne("what has ended frees its money before it is booked, and is booked once", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_000)])
        const first = yield* ledger.reserve(intent(caller))
        const ended = yield* ledger.end(first, outcome(0))
        const second = yield* ledger.reserve(intent(caller, { attempt: 1 }))
        assert.isUndefined(yield* ledger.end(first, outcome(500)))
        yield* ledger.book(ended, "nothing")
        assert.strictEqual(yield* ledger.book(ended, "request"), 0)
        assert.strictEqual(yield* ledger.settle(second, outcome(900)), 900)
        assert.strictEqual(yield* ledger.remaining(caller), 100)
        assert.deepStrictEqual(yield* booked, { cost: 900, estimated: 0, requests: 1, failed: 0 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("holds a request against key and team, in all windows, or not at all", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const own = [budget(5_000, "hour"), budget(9_000, "month")]
        const shared = [budget(1_500, "total")]
        const caller = callerWith({ budgets: own }, { name: "red", budgets: shared })
        yield* ledger.reserve(intent(caller))
        const error = yield* refusal(ledger, intent(caller))
        assert.strictEqual(error.scope, "team")
        assert.strictEqual(error.subject, "red")
        assert.strictEqual(error.keyId, "key_a")
        const states = [...(yield* ledger.budgets("key:key_a", own)), ...(yield* ledger.budgets("team:red", shared))]
        assert.deepStrictEqual(
          states.map((state) => state.reserved),
          [1_000, 1_000, 1_000]
        )
        assert.strictEqual(yield* ledger.remaining(caller), 500)
      }).pipe(Effect.provide(layer))
    )

    it.effect("says that a budget is used up when waiting for others would not help", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_200)])
        yield* ledger.settle(yield* ledger.reserve(intent(caller)), outcome(500))
        const error = yield* refusal(ledger, intent(caller))
        assert.strictEqual(error.kind, "budget")
        assert.strictEqual(error.used, 500)
        assert.strictEqual(error.needed, 1_000)
        assert.strictEqual(error.resetsAt, Date.UTC(2026, 2, 2))
        assert.strictEqual(error.retryAfterSeconds, (Date.UTC(2026, 2, 2) - NOW) / 1_000)
        yield* TestClock.adjust(error.retryAfterSeconds * 1_000)
        yield* ledger.reserve(intent(caller))
      }).pipe(Effect.provide(layer))
    )

    it.effect("says that requests in flight hold the rest when they may leave room", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_500, "total")])
        const first = yield* ledger.reserve(intent(caller))
        const error = yield* refusal(ledger, intent(caller))
        assert.strictEqual(error.kind, "budget_reserved")
        assert.strictEqual(error.used, 1_000)
        assert.isNull(error.resetsAt)
        assert.strictEqual(error.retryAfterSeconds, 1)
        yield* ledger.release(first, "failed_request")
        yield* ledger.reserve(intent(caller))
      }).pipe(Effect.provide(layer))
    )

    it.effect("does not promise room that another budget will not have", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        // The hour is full of requests in flight; but the month is used up, and has a little more room than the hour.
        const caller = keyWith([budget(1_600, "hour"), budget(2_000, "month")])
        yield* ledger.settle(yield* ledger.reserve(intent(caller)), outcome(400))
        yield* TestClock.adjust(HOUR)
        yield* ledger.reserve(intent(caller))
        const error = yield* refusal(ledger, intent(caller, { inputBound: 800 }))
        assert.strictEqual(error.needed, 1_700)
        assert.strictEqual(error.kind, "budget")
        assert.strictEqual(error.window, "month")
        assert.strictEqual(error.resetsAt, Date.UTC(2026, 3, 1))
      }).pipe(Effect.provide(layer))
    )

    it.effect("lowers the output where the caller gave no limit, and never below what is useful", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_000, "total")])
        const asked = intent(caller, { maxOutput: undefined, deployment: deployment("openai/a") })
        // 1,000 − 100 for the input leaves 450 tokens of output at 2.
        const lowered = yield* ledger.reserve(asked)
        assert.strictEqual(lowered.maxOutput, 450)
        assert.strictEqual(lowered.reserved, 1_000)
        yield* ledger.release(lowered, "nothing")
        const two = yield* refusal(ledger, { ...asked, choices: 2 })
        assert.strictEqual(two.needed, 100 + 2 * 2 * 256)
        assert.strictEqual(
          (yield* refusal(ledger, { ...asked, inputBound: 600, countInput: Effect.succeed(600) })).needed,
          1_112
        )
      }).pipe(Effect.provide(layer))
    )

    it.effect("refuses what is missing less than is rounded off", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        // 256 tokens of output cost 256.256 nano-USD, which rounds to the 256 there are.
        const price = priceSheet({ ...rates(0, 0), output: 1_001 })
        const asked = intent(keyWith([budget(256, "total")]), {
          maxOutput: undefined,
          deployment: deployment("openai/a", { price })
        })
        assert.strictEqual((yield* refusal(ledger, asked)).kind, "budget")
      }).pipe(Effect.provide(layer))
    )

    it.effect("tells the provider a limit when nobody knows how much it may say", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const unbounded = deployment("openai/a", { maxOutputTokens: undefined })
        const asked = intent(keyWith([budget(1_000_000, "total")]), { maxOutput: undefined, deployment: unbounded })
        const reservation = yield* ledger.reserve(asked)
        assert.strictEqual(reservation.reserved, 100 + 2 * reservation.maxOutput!)
        const free = yield* ledger.reserve({ ...asked, caller: keyWith([]) })
        assert.isUndefined(free.maxOutput)
      }).pipe(Effect.provide(layer))
    )

    it.effect("counts the input exactly before it refuses", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_000, "total")])
        const reservation = yield* ledger.reserve(intent(caller, { inputBound: 400, countInput: Effect.succeed(100) }))
        assert.strictEqual(reservation.reserved, 1_000)
        const error = yield* refusal(ledger, intent(caller, { inputBound: 400, countInput: Effect.succeed(100) }))
        assert.strictEqual(error.needed, 1_000)
      }).pipe(Effect.provide(layer))
    )

    it.effect("charges the price of a tier for all tokens, and the dearest class for the worst case", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const price = priceSheet({ ...rates(1, 2), cacheWrite: 3_000 }, [{ above: 200, rates: rates(10, 20) }])
        const tiered = deployment("openai/a", { price })
        const caller = keyWith([budget(1_000_000, "total")])
        const small = yield* ledger.reserve(intent(caller, { deployment: tiered, maxOutput: 16 }))
        assert.strictEqual(small.reserved, 332)
        const large = yield* ledger.reserve(intent(caller, { deployment: tiered, inputBound: 201, maxOutput: 16 }))
        assert.strictEqual(large.reserved, 2_330)
        assert.strictEqual(yield* ledger.settle(large, outcome(150)), 150)
        const usage = { ...noUsage, input: 150, cachedInput: 51, output: 1 }
        assert.strictEqual(yield* ledger.settle(small, outcome(0, { usage })), 2_030)
      }).pipe(Effect.provide(layer))
    )

    it.effect("books what has no price at 0 and holds nothing for it", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1)])
        const reservation = yield* ledger.reserve(
          intent(caller, { deployment: deployment("x/y", { price: undefined }) })
        )
        assert.strictEqual(reservation.reserved, 0)
        assert.strictEqual(yield* ledger.settle(reservation, outcome(300)), 0)
        assert.strictEqual((yield* booked).requests, 1)
      }).pipe(Effect.provide(layer))
    )

    it.effect("a key without a team spends nothing of a team that is called null", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const month = [budget(10_000, "month")]
        const member = callerWith({ id: "key_member" }, { name: "null", budgets: month })
        yield* ledger.settle(yield* ledger.reserve(intent(member)), outcome(100))
        const loner = keyWith([budget(10_000, "month")], "key_loner")
        yield* ledger.settle(yield* ledger.reserve(intent(loner)), outcome(300))
        assert.strictEqual((yield* ledger.budgets("team:null", month))[0]?.spent, 100)
      }).pipe(Effect.provide(layer))
    )

    it.effect("no reservation is worth more than the largest budget, so that sums of them stay whole", () =>
      Effect.gen(function* () {
        const ledger = yield* SpendLedger
        const absurd = yield* ledger.reserve(intent(callerWith(), { maxOutput: Number.MAX_SAFE_INTEGER, choices: 128 }))
        assert.isAtMost(absurd.reserved, 9_000_000 * 1e9)
        yield* ledger.release(absurd, "failed_request")
      }).pipe(Effect.provide(layer))
    )

    it.effect("gives room again when a window ends, where the key's clock says so", () =>
      Effect.gen(function* () {
        // The night in which Berlin goes to summer time: the day ends an hour early.
        yield* at(Date.parse("2026-03-29T20:59:00Z"))
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_000, "day", "Europe/Berlin")])
        yield* ledger.settle(yield* ledger.reserve(intent(caller)), outcome(1_000))
        const error = yield* refusal(ledger, intent(caller))
        assert.strictEqual(error.resetsAt, Date.parse("2026-03-29T22:00:00Z"))
        yield* TestClock.adjust(error.retryAfterSeconds * 1_000 - 1)
        yield* refusal(ledger, intent(caller))
        yield* TestClock.adjust(1)
        yield* ledger.reserve(intent(caller))
      }).pipe(Effect.provide(layer))
    )

    it.effect("never forgets a reservation in the hour that comes twice", () =>
      Effect.gen(function* () {
        yield* at(Date.parse("2026-10-25T01:30:00Z"))
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_500, "hour", "Europe/Berlin")])
        yield* ledger.reserve(intent(caller))
        assert.strictEqual((yield* refusal(ledger, intent(caller))).kind, "budget_reserved")
      }).pipe(Effect.provide(layer))
    )

    it.effect("charges an answer to the window in which it began", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(5_000, "hour")])
        const long = yield* ledger.reserve(intent(caller))
        yield* TestClock.adjust("1 hour")
        const [before] = yield* ledger.budgets("key:key_a", caller.key.budgets)
        assert.strictEqual(before?.reserved, 0)
        yield* ledger.settle(long, outcome(700))
        assert.strictEqual((yield* ledger.budgets("key:key_a", caller.key.budgets))[0]?.spent, 0)
      }).pipe(Effect.provide(layer))
    )

    it.effect("leaves the window of a month ahead when the clock is back", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_000)])
        const spend = Effect.flatMap(ledger.reserve(intent(caller)), (one) => ledger.settle(one, outcome(400)))
        yield* spend
        yield* at(NOW + 31 * DAY)
        yield* spend
        const ahead = yield* ledger.reserve(intent(caller, { maxOutput: 200 }))
        yield* at(NOW)
        const [state] = yield* ledger.budgets("key:key_a", caller.key.budgets)
        assert.deepInclude(state, { spent: 400, reserved: 0, resetsAt: NOW - (NOW % DAY) + DAY })
        // A day later the budget is new again, as if the clock had never been ahead.
        yield* at(NOW + DAY)
        assert.strictEqual((yield* ledger.budgets("key:key_a", caller.key.budgets))[0]?.spent, 0)
        // What is held there still is, and what ends now is counted where it began.
        yield* at(NOW + 31 * DAY)
        assert.deepInclude((yield* ledger.budgets("key:key_a", caller.key.budgets))[0], { spent: 400, reserved: 500 })
        yield* at(NOW)
        yield* ledger.settle(ahead, outcome(300))
        assert.strictEqual((yield* ledger.budgets("key:key_a", caller.key.budgets))[0]?.spent, 400)
        yield* at(NOW + 31 * DAY)
        assert.deepInclude((yield* ledger.budgets("key:key_a", caller.key.budgets))[0], { spent: 700, reserved: 0 })
      }).pipe(Effect.provide(layer))
    )

    it.effect(
      "counts what ends while the clock is away from its window, also where the budget was made after it began",
      () =>
        Effect.gen(function* () {
          yield* at(NOW)
          const ledger = yield* SpendLedger
          const { key } = keyWith([budget(1_000, "hour")])
          const early = yield* ledger.reserve(intent(keyWith([])))
          yield* ledger.settle(yield* ledger.reserve(intent(keyWith(key.budgets))), outcome(100))
          const spent = Effect.map(ledger.budgets("key:key_a", key.budgets), ([state]) => state?.spent)
          yield* at(NOW + HOUR)
          assert.strictEqual(yield* spent, 0)
          yield* ledger.settle(early, outcome(300))
          assert.strictEqual(yield* spent, 0)
          yield* at(NOW)
          assert.strictEqual(yield* spent, 400)
        }).pipe(Effect.provide(layer))
    )

    it.effect("a clock that is moved to and fro spends no window twice", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const caller = keyWith([budget(1_000)])
        const days = [NOW, NOW + DAY]
        for (const day of days) {
          yield* at(day)
          yield* ledger.settle(yield* ledger.reserve(intent(caller)), outcome(1_000))
        }
        for (const day of [...days, ...days]) {
          yield* at(day)
          assert.strictEqual((yield* refusal(ledger, intent(caller))).kind, "budget")
        }
        assert.strictEqual((yield* booked).cost, 2_000)
      }).pipe(Effect.provide(layer))
    )

    it.effect("a price may change while a request runs: it pays the price of its beginning", () =>
      Effect.gen(function* () {
        yield* at(NOW)
        const ledger = yield* SpendLedger
        const price = {
          ...oneAndTwo,
          ratesAt: (time: number) => ({ base: time <= NOW ? rates(1, 2) : rates(9, 9), tiers: [] })
        }
        const reservation = yield* ledger.reserve(intent(keyWith([]), { deployment: deployment("x/y", { price }) }))
        yield* TestClock.adjust(HOUR)
        assert.strictEqual(yield* ledger.settle(reservation, outcome(100)), 100)
      }).pipe(Effect.provide(layer))
    )
  })
