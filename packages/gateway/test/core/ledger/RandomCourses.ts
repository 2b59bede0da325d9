/** Random courses of events at a ledger, each step compared with a model that is too simple to be wrong. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Reservation } from "../../../src/core/ledger/Reservation.ts"
import { SpendLedger } from "../../../src/core/ledger/SpendLedger.ts"
import type { Budget } from "../../../src/core/domain/Budget.ts"
import * as Database from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { intent, outcome } from "./Books.ts"
import { type ModelRow, SpendModel } from "./SpendModel.ts"
import { movedClock } from "./MovedClock.ts"
import { budget, callerWith, HOUR, NOW, seeded } from "../call/Support.ts"

/** A ledger on the same rows, as after a restart of the process. */
const restarted = Effect.provide(
  SpendLedger,
  SpendLedger.layer.pipe(Layer.provide(SqliteStore.repositories), Layer.fresh)
)

const zones = ["UTC", "Europe/Berlin", "America/New_York"]
const spans = ["hour", "day", "week", "month", "total"] as const

type Chance = ReturnType<typeof seeded>

/** `least` budgets or one more, no two of the same window. Totals more often than others: time zones take time. */
const someBudgets = (chance: Chance, least: number): ReadonlyArray<Budget> => {
  const count = least + chance.below(2)
  const windows = spans
    .map((span) => ({ span, rank: chance.next() * (span === "total" ? 0.4 : 1) }))
    .sort((a, b) => a.rank - b.rank)
  return windows.slice(0, count).map(({ span }) => budget(500 + chance.below(6_000), span, chance.pick(zones)))
}

/** One key and its team, `steps` things that happen to them in a row, each compared with the model. The ledger after it. */
const run = Effect.fnUntraced(function* (seed: number, steps: number, first: SpendLedger["Service"]) {
  const chance = seeded(seed)
  const model = new SpendModel()
  const keyId = `key_${seed}`
  const team = `team ${seed}`
  const scopes = [`key:${keyId}`, `team:${team}`]
  const restarts = chance.next() < 0.3
  let ledger = first
  let now = NOW + chance.below(200) * 6 * HOUR
  let own = someBudgets(chance, 1)
  let shared = someBudgets(chance, 0)
  let open: Array<{ readonly reservation: Reservation; readonly row: ModelRow }> = []
  const trace: Array<string> = []
  yield* TestClock.setTime(now)

  const windowsNow = () => [
    ...model.windows(scopes[0]!, own, now),
    ...(shared.length === 0 ? [] : model.windows(scopes[1]!, shared, now))
  ]

  const reserve = Effect.fnUntraced(function* () {
    const inputBound = 1 + chance.below(300)
    const maxOutput = chance.next() < 0.3 ? undefined : chance.below(700)
    const caller = callerWith({ id: keyId, budgets: own }, { name: team, budgets: shared })
    const asked = intent(caller, { inputBound, countInput: Effect.succeed(inputBound), maxOutput })
    const result = yield* Effect.result(ledger.reserve(asked))
    const windows = windowsNow()
    const room = Math.min(...windows.map((window) => model.room(window)))
    const worst = inputBound + 2 * (maxOutput ?? 1_000)
    const lowered = maxOutput === undefined ? Math.floor((room - inputBound) / 2) : 0
    const amount = worst <= room ? worst : lowered >= 256 ? inputBound + 2 * lowered : undefined
    trace.push(`reserve ${worst} of ${room}: ${amount ?? "refused"}`)
    if (Result.isSuccess(result)) {
      const { maxOutput: told, reserved } = result.success
      assert.strictEqual(reserved, amount, "admitted")
      assert.strictEqual(told, amount === worst ? undefined : lowered)
      open.push({ reservation: result.success, row: model.open(scopes, windows, now, amount!) })
      return
    }
    assert.isUndefined(amount, "refused")
    const error = result.failure
    if (error._tag !== "BudgetExceeded") return assert.fail(error._tag)
    const alone = Math.min(...windows.map((window) => window.limit - model.spent(window)))
    assert.strictEqual(error.kind, alone < error.needed ? "budget" : "budget_reserved")
    if (error.kind === "budget_reserved") return
    const latest = windows.filter((window) => window.limit - model.spent(window) < error.needed).map(({ end }) => end)
    assert.strictEqual(error.resetsAt ?? Infinity, Math.max(...latest))
  })

  const compare = Effect.fnUntraced(function* () {
    for (const [scope, budgets] of [[scopes[0]!, own] as const, [scopes[1]!, shared] as const]) {
      const states = yield* ledger.budgets(scope, budgets)
      const expected = model.windows(scope, budgets, now)
      assert.deepStrictEqual(
        states.map(({ budget: { limit }, reserved, resetsAt, spent }) => ({ limit, spent, reserved, resetsAt })),
        expected.map((window) => ({
          limit: window.limit,
          spent: model.spent(window),
          reserved: model.reserved(window),
          resetsAt: Number.isFinite(window.end) ? window.end : null
        }))
      )
    }
  })

  const step = Effect.fnUntraced(function* () {
    const dice = chance.next()
    if (dice < 0.45) return yield* reserve()
    if (dice < 0.75) {
      const [one] = open.splice(chance.below(open.length), 1)
      if (one === undefined) return
      const { reservation, row } = one
      if (chance.next() < 0.3) {
        trace.push("release")
        yield* ledger.release(reservation, "failed_request")
        return model.close(row, 0)
      }
      // Now and then an answer costs more than its worst case: a provider that counts otherwise.
      const cost = Math.floor(row.amount * chance.next() * 1.1)
      trace.push(`settle ${cost}`)
      assert.strictEqual(yield* ledger.settle(reservation, outcome(cost)), cost)
      if (chance.next() < 0.2) assert.strictEqual(yield* ledger.settle(reservation, outcome(99)), 0)
      return model.close(row, cost)
    }
    if (dice < 0.87) {
      now = movedClock(chance, now, [...own, ...shared])
      trace.push(`clock ${new Date(now).toISOString()}`)
      return yield* TestClock.setTime(now)
    }
    if (dice < 0.95) {
      trace.push("budgets")
      if (chance.next() < 0.5) own = someBudgets(chance, 1)
      else shared = someBudgets(chance, 0)
      return
    }
    if (!restarts) return yield* compare()
    trace.push("restart")
    ledger = yield* restarted
    model.restart()
    open = []
  })

  yield* Effect.gen(function* () {
    for (let i = 0; i < steps; i++) yield* step()
    yield* compare()
    for (const { reservation, row } of open) {
      yield* ledger.release(reservation, "nothing")
      model.close(row, 0)
    }
    yield* compare()
  }).pipe(Effect.catchDefect((defect) => Effect.die(new Error(`seed ${seed}: ${trace.join("; ")}: ${String(defect)}`))))
  return ledger
})

/** Restarts leave their part in a store behind: each store lives for so many runs. */
const RUNS_PER_STORE = 100

/** Fails at the first difference, with its seed and what happened before. */
export const runCourses = Effect.fnUntraced(function* (runs: number) {
  for (let from = 0; from < runs; from += RUNS_PER_STORE) {
    yield* Effect.gen(function* () {
      let ledger = yield* restarted
      for (let seed = from; seed < from + RUNS_PER_STORE; seed++) ledger = yield* run(seed, 6, ledger)
    }).pipe(Effect.provide(Layer.fresh(Database.layerMemory)))
  }
})
