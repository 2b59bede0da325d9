import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Caller } from "../../../src/core/keys/Caller.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import { noUsage } from "../../../src/core/domain/Usage.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { budget, callerWith, deployment, NOW } from "../call/Support.ts"

const unavailable = Effect.fail(new StoreUnavailable({ message: "down" }))

/** A journal that counts how often windows are read from the store, settles nothing while `down` and reads none while `unreadable`. */
const counted = () => {
  const journal = { opened: 0, down: false, unreadable: false }
  const layer = Layer.effect(
    LedgerJournal,
    Effect.map(LedgerJournal, (real) => ({
      ...real,
      openWindow: (window: Parameters<typeof real.openWindow>[0]) => {
        journal.opened++
        return journal.unreadable ? unavailable : real.openWindow(window)
      },
      settle: (row: Parameters<typeof real.settle>[0]) => (journal.down ? unavailable : real.settle(row))
    }))
  )
  return { journal, layer: SpendLedger.layer.pipe(Layer.provide(layer), Layer.provide(SqliteStore.layerMemory)) }
}

const reserve = (ledger: SpendLedger["Service"], caller: Caller) =>
  ledger.reserve({
    requestId: "r",
    attempt: 0,
    caller,
    deployment: deployment("openai/a"),
    operation: "chat",
    inputBound: 100,
    countInput: Effect.succeed(100),
    maxOutput: 100,
    choices: 1,
    tags: []
  })

const outcome = { usage: { ...noUsage, input: 100, output: 100 }, estimated: false, counts: "request" } as const

const spend = (ledger: SpendLedger["Service"], caller: Caller) =>
  Effect.flatMap(reserve(ledger, caller), (reservation) => ledger.settle(reservation, outcome))

/** Others come, so that those that nobody uses leave. */
const others = (ledger: SpendLedger["Service"]) =>
  Effect.forEach(
    Array.from({ length: 10 }, (_, index) => index),
    (index) => spend(ledger, callerWith({ id: `key_other${index}`, budgets: [budget(10_000)] })),
    { discard: true }
  )

const IDLE = 11 * 60_000

describe("SpendLedger, of a key that nobody used for a while", () => {
  it.effect("reads again what was spent, and holds it against the budget", () => {
    const { journal, layer } = counted()
    return Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const ledger = yield* SpendLedger
      // Room for three requests of 300.
      const caller = callerWith({ budgets: [budget(1_000)] })
      yield* spend(ledger, caller)
      yield* spend(ledger, caller)
      assert.strictEqual(journal.opened, 1)
      yield* TestClock.adjust(IDLE)
      yield* others(ledger)
      assert.isUndefined(yield* ledger.remaining(caller))
      const before = journal.opened
      yield* spend(ledger, caller)
      assert.strictEqual(journal.opened, before + 1)
      assert.strictEqual(yield* ledger.remaining(caller), 100)
      assert.strictEqual((yield* Effect.flip(reserve(ledger, caller)))._tag, "BudgetExceeded")
    }).pipe(Effect.provide(layer))
  })

  it.effect("forgets nothing of a request that is still open, however long it takes", () => {
    const { journal, layer } = counted()
    return Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const ledger = yield* SpendLedger
      const caller = callerWith({ budgets: [budget(500)] })
      const open = yield* reserve(ledger, caller)
      yield* TestClock.adjust(IDLE)
      yield* others(ledger)
      const before = journal.opened
      assert.strictEqual((yield* Effect.flip(reserve(ledger, caller)))._tag, "BudgetExceeded")
      assert.strictEqual(journal.opened, before)
      yield* ledger.settle(open, outcome)
      assert.strictEqual(yield* ledger.remaining(caller), 200)
    }).pipe(Effect.provide(layer))
  })

  it.effect("forgets nothing that could not be written", () => {
    const { journal, layer } = counted()
    return Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const ledger = yield* SpendLedger
      const caller = callerWith({ budgets: [budget(500)] })
      const open = yield* reserve(ledger, caller)
      journal.down = true
      yield* Effect.flip(ledger.settle(open, outcome))
      journal.down = false
      yield* TestClock.adjust(IDLE)
      yield* others(ledger)
      assert.strictEqual(yield* ledger.remaining(caller), 200)
      assert.strictEqual((yield* Effect.flip(reserve(ledger, caller)))._tag, "BudgetExceeded")
    }).pipe(Effect.provide(layer))
  })
})

describe("SpendLedger, of a window that could not be read at first", () => {
  it.effect("books a cost that waits meanwhile in it once", () => {
    const { journal, layer } = counted()
    return Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const ledger = yield* SpendLedger
      // Its cost counts in windows that are opened until it is booked.
      const waiting = yield* ledger.end(yield* reserve(ledger, callerWith({ budgets: [budget(10_000)] })), outcome)
      const caller = callerWith({ budgets: [budget(10_000), budget(1_000, "month")] })
      journal.unreadable = true
      assert.strictEqual((yield* Effect.flip(reserve(ledger, caller)))._tag, "StoreUnavailable")
      journal.unreadable = false
      yield* ledger.release(yield* reserve(ledger, caller), "request")
      yield* ledger.book(waiting, "request")
      assert.strictEqual(yield* ledger.remaining(caller), 700)
      yield* TestClock.adjust(IDLE)
      yield* others(ledger)
      assert.isUndefined(yield* ledger.remaining(caller))
      yield* ledger.release(yield* reserve(ledger, caller), "request")
      assert.strictEqual(yield* ledger.remaining(caller), 700)
    }).pipe(Effect.provide(layer))
  })
})
