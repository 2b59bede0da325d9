import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import type { Reservation } from "../../../src/core/ledger/Reservation.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { LedgerJournal, type ReservationRow } from "../../../src/core/ledger/LedgerJournal.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { down, intent, journalLayer, keyWith, lateWindows, outcome } from "./Books.ts"
import { budget, callerWith, NOW, seeded, settleDown } from "../call/Support.ts"
import { refusal, at } from "./LedgerWorld.ts"

describe("SpendLedger, while the store takes its time", () => {
  const late = Effect.gen(function* () {
    const real = yield* LedgerJournal
    const { deliver, journal, pending } = lateWindows(real)
    const ledger = yield* Effect.provide(SpendLedger, Layer.fresh(SpendLedger.layer)).pipe(
      Effect.provideService(LedgerJournal, journal)
    )
    return { deliver: Effect.andThen(settleDown, Effect.andThen(deliver, settleDown)), ledger, pending }
  })

  it.effect("what settles while a window is read is in it once", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { deliver, ledger } = yield* late
      const day = [budget(9_000)]
      const all = [...day, budget(9_000, "hour"), budget(9_000, "month")]
      const asking = yield* Effect.forkChild(ledger.reserve(intent(keyWith(day))))
      yield* deliver
      const running = yield* Fiber.join(asking)
      const reading = yield* Effect.forkChild(ledger.budgets("key:key_a", all))
      yield* settleDown
      yield* ledger.settle(running, outcome(700))
      for (let i = 0; i < all.length; i++) yield* deliver
      assert.deepStrictEqual(
        (yield* Fiber.join(reading)).map((state) => state.spent),
        [700, 700, 700]
      )
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("nobody is admitted to a window that has not been read", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { deliver, ledger, pending } = yield* late
      const before = yield* Effect.provide(SpendLedger, Layer.fresh(SpendLedger.layer))
      yield* before.settle(yield* before.reserve(intent(keyWith([budget(2_000)]))), outcome(1_500))
      const day = keyWith([budget(2_000)])
      const month = { ...day, key: { ...day.key, budgets: [...day.key.budgets, budget(2_000, "month")] } }
      const first = yield* Effect.forkChild(Effect.result(ledger.reserve(intent(month))))
      yield* settleDown
      const second = yield* Effect.forkChild(Effect.result(ledger.reserve(intent(month))))
      const third = yield* Effect.forkChild(Effect.result(ledger.reserve(intent(day))))
      yield* settleDown
      while (pending() > 0) yield* deliver
      for (const asked of [first, second, third]) assert.strictEqual((yield* Fiber.join(asked))._tag, "Failure")
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("of requests that wait for the same window only so many are admitted as fit", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { deliver, ledger, pending } = yield* late
      const caller = callerWith({ budgets: [budget(3_500)] }, { name: "red", budgets: [budget(2_500, "month")] })
      const asked = yield* Effect.forkChild(
        Effect.forEach(Array.from({ length: 6 }), () => Effect.result(ledger.reserve(intent(caller))), {
          concurrency: "unbounded"
        })
      )
      yield* settleDown
      while (pending() > 0) yield* deliver
      const admitted = (yield* Fiber.join(asked)).filter((result) => result._tag === "Success")
      assert.strictEqual(admitted.length, 2)
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("random requests and changes at once never spend more than there is, and books stay exact", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const { deliver, ledger } = yield* late
      const chance = seeded(11)
      const others = [budget(4_000), budget(4_000, "hour"), budget(4_000, "month"), budget(4_000, "week")]
      for (let run = 0; run < 150; run++) {
        const id = `key_${run}`
        const open: Array<Reservation> = []
        let booked = 0
        const asking: Array<Fiber.Fiber<void>> = []
        const some = () => [budget(5_000, "total"), ...others.filter(() => chance.next() < 0.4)]
        let budgets = some()
        const ask = Effect.fnUntraced(function* (own: typeof budgets) {
          const asked = intent(keyWith(own, id), { inputBound: 1 + chance.below(500), maxOutput: chance.below(700) })
          const result = yield* Effect.result(ledger.reserve(asked))
          if (Result.isSuccess(result)) open.push(result.success)
          else assert.strictEqual(result.failure._tag, "BudgetExceeded")
          const held = open.reduce((sum, { reserved }) => sum + reserved, 0)
          assert.isAtMost(held + booked, 5_000, `run ${run}`)
        })
        for (let step = 0; step < 25; step++) {
          const dice = chance.next()
          if (dice < 0.5) asking.push(yield* Effect.forkChild(ask(chance.next() < 0.8 ? budgets : some())))
          else if (dice < 0.65) budgets = some()
          else if (dice < 0.8) yield* deliver
          else {
            const [one] = open.splice(chance.below(open.length), 1)
            if (one === undefined) continue
            const cost = chance.below(one.reserved + 1)
            booked += cost
            yield* ledger.settle(one, outcome(cost))
          }
        }
        const done = yield* Effect.forkChild(Fiber.joinAll(asking))
        const all = [budget(5_000, "total"), ...others]
        const reading = yield* Effect.forkChild(ledger.budgets(`key:${id}`, all))
        while (done.pollUnsafe() === undefined || reading.pollUnsafe() === undefined) yield* deliver
        yield* Fiber.join(done)
        for (const one of open) yield* ledger.release(one, "nothing")
        yield* Fiber.join(reading)
        for (const { reserved, spent } of yield* ledger.budgets(`key:${id}`, all)) {
          assert.deepStrictEqual({ reserved, spent }, { reserved: 0, spent: booked }, `run ${run}`)
        }
      }
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("a window that could not be read refuses until it can", () =>
    Effect.gen(function* () {
      yield* at(NOW)
      const real = yield* LedgerJournal
      let isDown = false
      const before = yield* Effect.provide(SpendLedger, Layer.fresh(SpendLedger.layer))
      const caller = keyWith([budget(1_500)])
      yield* before.settle(yield* before.reserve(intent(keyWith([]))), outcome(1_000))
      const ledger = yield* Effect.provide(
        SpendLedger,
        Layer.provide(
          Layer.fresh(SpendLedger.layer),
          journalLayer((journal) => ({
            ...journal,
            openWindow: (window) => (isDown ? Effect.fail(down) : journal.openWindow(window))
          }))
        )
      ).pipe(Effect.provideService(LedgerJournal, real))
      isDown = true
      for (let i = 0; i < 3; i++) {
        assert.strictEqual((yield* Effect.flip(ledger.reserve(intent(caller))))._tag, "StoreUnavailable")
      }
      isDown = false
      assert.strictEqual((yield* refusal(ledger, intent(caller))).kind, "budget")
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("a reservation that could not be written holds nothing", () =>
    Effect.gen(function* () {
      const real = yield* LedgerJournal
      let isDown = true
      const journal = {
        ...real,
        reserve: (row: ReservationRow) => (isDown ? Effect.fail(down) : real.reserve(row))
      }
      const ledger = yield* Effect.provide(SpendLedger, Layer.fresh(SpendLedger.layer)).pipe(
        Effect.provideService(LedgerJournal, journal)
      )
      const caller = keyWith([budget(1_000, "total")])
      assert.strictEqual((yield* Effect.flip(ledger.reserve(intent(caller))))._tag, "StoreUnavailable")
      isDown = false
      yield* ledger.reserve(intent(caller))
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )
})
