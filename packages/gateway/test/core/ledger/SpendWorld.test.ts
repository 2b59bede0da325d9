import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import type { Reservation } from "../../../src/core/ledger/Reservation.ts"
import type { Budget } from "../../../src/core/domain/Budget.ts"
import { KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import * as Database from "../../../src/storage/sqlite/file/SqliteDatabase.ts"
import * as KeyRepositorySqlite from "../../../src/storage/sqlite/keys/KeyRepositorySqlite.ts"
import type { Difference } from "../../../../model-gateway/src/store/reading/Books.ts"
import { verifyLedger } from "../../../../model-gateway/src/store/reading/SqliteVerify.ts"
import { key as storedKey } from "../../storage/Support.ts"
import { intent, outcome } from "./Books.ts"
import { bootLedger } from "./CrashingJournal.ts"
import { movedClock } from "./MovedClock.ts"
import { budget, callerWith, noLimits, NOW, seeded } from "../call/Support.ts"
import { always } from "./LedgerWorld.ts"
import { type Counts, WorldModel, type WorldRow } from "./WorldModel.ts"

const keys: ReadonlyArray<{ readonly id: string; readonly team: string | null }> = [
  { id: "key_1", team: "red" },
  { id: "key_2", team: "red" },
  { id: "key_3", team: "blue" },
  { id: "key_4", team: null }
]
const teams = ["red", "blue"]
const spans = ["hour", "day", "week", "month", "total"] as const
const zones = ["UTC", "Europe/Berlin", "America/New_York"]

const RUNS = 55
const STEPS = 200
const MOST_ATTEMPTS = 3

/** A request under way. */
interface Open {
  readonly key: (typeof keys)[number]
  readonly requestId: string
  readonly attempt: number
  readonly reservation: Reservation
  readonly row: WorldRow
}

const run = Effect.fnUntraced(function* (seed: number) {
  const chance = seeded(seed)
  const model = new WorldModel()
  const repository = yield* KeyRepository
  const boot = bootLedger(() => model.commit())
  let { commit, crash, ledger } = yield* boot
  let now = NOW
  let open: Array<Open> = []
  let done: Array<Open> = []
  let requests = 0
  const trace: Array<string> = []
  /** In the other runs windows are looked at only by those who reserve, and so opened late. */
  const isWatched = seed % 3 === 0
  yield* TestClock.setTime(now)

  const scopesOf = ({ id, team }: Open["key"]) => [`key:${id}`, ...(team === null ? [] : [`team:${team}`])]
  const budgetsOf = (scope: string) => model.budgets.get(scope) ?? []
  const take = (): Open | undefined => open.splice(chance.below(open.length), 1)[0]

  const store = Effect.fnUntraced(function* (scope: string, isNew = false) {
    const name = scope.slice(scope.indexOf(":") + 1)
    const budgets = budgetsOf(scope)
    if (scope.startsWith("team:")) return yield* repository.putTeam({ name, limits: noLimits, budgets, updatedAt: now })
    const key = storedKey({ id: name, budgets })
    yield* isNew ? repository.insert(key) : repository.update(key)
  })

  /** A raise, a cut, a budget more or one less; never two of the same window. */
  const changed = (before: ReadonlyArray<Budget>): ReadonlyArray<Budget> => {
    const span = chance.pick(spans)
    const without = before.filter(({ window }) => window !== span)
    if (chance.next() < 0.3) return without
    return [...without, budget(200 + chance.below(8_000), span, chance.pick(zones))]
  }

  const reserve = Effect.fnUntraced(function* (key: Open["key"], requestId: string, attempt: number) {
    const scopes = scopesOf(key)
    const inputBound = 1 + chance.below(300)
    const maxOutput = chance.next() < 0.3 ? undefined : chance.below(700)
    const team = key.team === null ? undefined : { name: key.team, budgets: budgetsOf(`team:${key.team}`) }
    const caller = callerWith({ id: key.id, budgets: budgetsOf(`key:${key.id}`) }, team)
    const asked = intent(caller, { requestId, attempt, inputBound, countInput: Effect.succeed(inputBound), maxOutput })
    const windows = model.windows(scopes, now)
    const room = Math.min(...windows.map((window) => model.room(window)))
    const worst = inputBound + 2 * (maxOutput ?? 1_000)
    const lowered = maxOutput === undefined ? Math.floor((room - inputBound) / 2) : 0
    const amount = worst <= room ? worst : lowered >= 256 ? inputBound + 2 * lowered : undefined
    trace.push(`reserve ${requestId}.${attempt} of ${key.id}: ${worst} into ${room}: ${amount ?? "refused"}`)
    const result = yield* Effect.result(ledger.reserve(asked))
    if (Result.isFailure(result)) {
      assert.strictEqual(result.failure._tag, "BudgetExceeded")
      assert.isUndefined(amount, "refused")
      return false
    }
    assert.strictEqual(result.success.reserved, amount, "admitted")
    open.push({ key, requestId, attempt, reservation: result.success, row: model.open(key.id, scopes, now, amount!) })
    return true
  })

  /** Not waited for: it is on disk with the next commit. Some that wait for it go away. */
  const book = Effect.fnUntraced(function* (row: WorldRow, counts: Counts, write: Effect.Effect<unknown, unknown>) {
    model.book(row, counts)
    const fiber = yield* Effect.forkDetach(Effect.ignore(write), { startImmediately: true })
    if (chance.next() < 0.3) yield* Effect.forkDetach(Fiber.interrupt(fiber), { startImmediately: true })
  })

  const failOver = Effect.fnUntraced(function* () {
    const one = take()
    if (one === undefined) return
    const cost = chance.next() < 0.5 ? undefined : chance.below(one.row.amount)
    const ended = yield* ledger.end(
      one.reservation,
      cost === undefined ? undefined : { ...outcome(cost), estimated: true }
    )
    model.end(one.row, cost ?? 0, cost !== undefined)
    done.push(one)
    const isNext = one.attempt + 1 < MOST_ATTEMPTS && (yield* reserve(one.key, one.requestId, one.attempt + 1))
    const counts = isNext ? "nothing" : "failed_request"
    trace.push(`${one.requestId}.${one.attempt} failed at ${cost ?? 0}, ${counts}`)
    yield* book(one.row, counts, ledger.book(ended, counts))
  })

  const settle = Effect.fnUntraced(function* () {
    const one = take()
    if (one === undefined) return
    done.push(one)
    if (chance.next() < 0.2) {
      trace.push(`${one.requestId}.${one.attempt} released`)
      model.end(one.row, 0, false)
      return yield* book(one.row, "failed_request", ledger.release(one.reservation, "failed_request"))
    }
    // Now and then an answer costs more than its worst case: a provider that counts otherwise.
    const cost = Math.floor(one.row.amount * chance.next() * 1.1)
    const estimated = chance.next() < 0.3
    trace.push(`${one.requestId}.${one.attempt} settled at ${cost}`)
    model.end(one.row, cost, estimated)
    yield* book(one.row, "request", ledger.settle(one.reservation, outcome(cost, { estimated })))
  })

  const compare = Effect.fnUntraced(function* () {
    for (const scope of [...keys.map(({ id }) => `key:${id}`), ...teams.map((team) => `team:${team}`)]) {
      const states = yield* ledger.budgets(scope, budgetsOf(scope))
      assert.deepStrictEqual(
        states.map(({ budget: { limit }, reserved, resetsAt, spent }) => ({ limit, spent, reserved, resetsAt })),
        model.windows([scope], now).map((window) => ({
          limit: window.limit,
          spent: model.spent(window),
          reserved: model.reserved(window),
          resetsAt: Number.isFinite(window.end) ? window.end : null
        })),
        scope
      )
    }
  })

  const compareBooks = Effect.fnUntraced(function* () {
    const rows = yield* ledger.spend({ visibility: "all", ...always, groupBy: ["key"] })
    for (const { id } of keys) {
      const { cost, estimatedCost, failedRequests, requests } = rows.find(({ group }) => group[0] === id) ?? nothing
      assert.deepStrictEqual({ cost, estimatedCost, requests, failedRequests }, model.booked(id), `rollups of ${id}`)
    }
  })

  const step = Effect.fnUntraced(function* () {
    const dice = chance.next()
    if (dice < 0.4) return yield* reserve(chance.pick(keys), `req_${requests++}`, 0)
    if (dice < 0.58) return yield* settle()
    if (dice < 0.7) return yield* failOver()
    if (dice < 0.75) {
      const again = done[chance.below(done.length)]
      if (again === undefined) return
      trace.push(`${again.requestId}.${again.attempt} settled again`)
      assert.isUndefined(yield* ledger.end(again.reservation, outcome(77)), "ended again")
      return assert.strictEqual(yield* ledger.settle(again.reservation, outcome(77)), 0)
    }
    if (dice < 0.83) {
      now = movedClock(chance, now, budgetsOf(chance.pick([...model.budgets.keys()])))
      trace.push(`clock ${new Date(now).toISOString()}`)
      return yield* TestClock.setTime(now)
    }
    if (dice < 0.9) {
      const scope = chance.next() < 0.5 ? `key:${chance.pick(keys).id}` : `team:${chance.pick(teams)}`
      model.budgets.set(scope, changed(budgetsOf(scope)))
      trace.push(`budgets of ${scope}: ${JSON.stringify(budgetsOf(scope))}`)
      return yield* store(scope)
    }
    if (dice < 0.97) {
      trace.push("commit")
      yield* commit
      return yield* compareBooks()
    }
    trace.push("crash")
    yield* crash
    model.crash()
    ;({ commit, crash, ledger } = yield* boot)
    open = []
    done = []
    yield* compareBooks()
  })

  yield* Effect.gen(function* () {
    for (const { id } of keys) {
      model.budgets.set(`key:${id}`, changed(changed([])))
      yield* store(`key:${id}`, true)
    }
    for (const team of teams) {
      model.budgets.set(`team:${team}`, changed(changed([])))
      yield* store(`team:${team}`)
    }
    for (let i = 0; i < STEPS; i++) {
      yield* step()
      if (isWatched) yield* compare()
    }
    yield* compare()
    while (open.length > 0) yield* settle()
    yield* commit
    yield* compare()
    yield* compareBooks()
    for (const scope of model.budgets.keys()) {
      for (const window of model.windows([scope], now)) assert.strictEqual(model.reserved(window), 0)
    }
    assert.strictEqual((yield* verifyLedger).map(said).join("\n"), "")
  }).pipe(
    Effect.catchDefect((defect) =>
      Effect.die(new Error(`seed ${seed}: ${trace.slice(-30).join("\n")}\n${String(defect)}`))
    )
  )
  return { refused: trace.filter((line) => line.endsWith("refused")).length, requests }
})

const said = ({ expected, found, of, sum }: Difference) => `${of}: ${sum} is ${found}, should be ${expected}`

const nothing = { cost: 0, estimatedCost: 0, requests: 0, failedRequests: 0 }

const world = Layer.fresh(Layer.provideMerge(KeyRepositorySqlite.layer, Database.layerMemory))

describe("SpendLedger in a world of keys, teams, failovers, patches, commits and crashes", () => {
  it.effect(
    `does what the model does, in ${RUNS} runs of ${STEPS} random steps each`,
    () =>
      Effect.gen(function* () {
        let refused = 0
        let requests = 0
        for (let seed = 1; seed <= RUNS; seed++) {
          const result = yield* Effect.provide(run(seed), world)
          refused += result.refused
          requests += result.requests
        }
        // It is about budgets that are nearly full: neither all nor none is refused.
        assert.isAbove(refused, requests / 10)
        assert.isBelow(refused, requests * 0.9)
      }),
    300_000
  )
})
