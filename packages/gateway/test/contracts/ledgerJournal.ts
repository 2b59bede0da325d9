/** What every LedgerJournal keeps to, as far as its own answers show it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, type Layer, type Scope } from "effect"
import { LedgerJournal, type SettlementRow } from "../../src/core/ledger/LedgerJournal.ts"
import { HOUR, NOW, reservation, settlement, today, everything } from "../storage/Support.ts"

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const ledgerJournalContract = <E>(
  name: string,
  layer: Layer.Layer<LedgerJournal, E>,
  reopened: Effect.Effect<Layer.Layer<LedgerJournal, E>, E, Scope.Scope>
) =>
  describe(`LedgerJournal · ${name}`, () => {
    it.effect("knows the highest id, and a row that settles once: what comes after it changes nothing", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        assert.strictEqual(yield* journal.lastId, 0)
        const row = reservation({ id: 5 })
        const settled = settlement(row, { charges: [today("key:key_a")] })
        yield* journal.reserve(row)
        yield* Effect.all([journal.settle(settled), journal.settle({ ...settled, cost: 5 })], {
          concurrency: "unbounded"
        })
        yield* journal.settle({ ...settled, status: "void", cost: 0 })
        assert.strictEqual(yield* journal.lastId, 5)
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 700)
        const [sum] = yield* journal.spend(everything)
        assert.deepInclude(sum, { cost: 700, requests: 1, failedRequests: 0 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("scopes beyond key and team have what was booked under them, also what a dead process left open", () =>
      Effect.gen(function* () {
        const subjects = ["end_user:team%3Ared/ann", "session:key_a/s"]
        const windows = subjects.map((scope) => today(scope))
        const layer = yield* reopened
        yield* Effect.gen(function* () {
          const journal = yield* LedgerJournal
          const row = reservation({ id: 1, subjects })
          yield* journal.reserve(row)
          yield* journal.settle(settlement(row, { charges: windows }))
          assert.deepStrictEqual(yield* Effect.forEach(windows, journal.openWindow), [700, 700])
          yield* journal.reserve(reservation({ id: 2, subjects: subjects.slice(0, 1), reserved: 50 }))
          yield* journal.settle(settlement(reservation({ id: 3 })))
        }).pipe(Effect.provide(layer))
        yield* Effect.gen(function* () {
          const journal = yield* LedgerJournal
          assert.strictEqual(yield* journal.abandonOpen(NOW + HOUR, "book"), 1)
          assert.deepStrictEqual(yield* Effect.forEach(windows, journal.openWindow), [750, 700])
          assert.deepStrictEqual(yield* journal.spentIn(windows), [750, 700])
          assert.deepStrictEqual(yield* journal.hourCosts(subjects, Math.floor(NOW / HOUR) * HOUR), [750, 700])
        }).pipe(Effect.provide(layer))
      }).pipe(Effect.scoped)
    )

    it.effect("a row whose reservation was lost is written whole when it settles", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.settle(settlement(reservation({ id: 3 }), { charges: [today("key:key_a")] }))
        assert.strictEqual(yield* journal.lastId, 3)
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 700)
        assert.strictEqual((yield* journal.spend(everything))[0]?.cost, 700)
      }).pipe(Effect.provide(layer))
    )

    it.effect("several rows settle together, and one that can't be stored fails alone", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const rows = [1, 2, 3].map((id) => reservation({ id }))
        for (const row of rows) yield* journal.reserve(row)
        const [one, two, three] = rows.map((row) => settlement(row, { charges: [today("key:key_a")] }))
        const exits = yield* Effect.forEach(
          [one!, { ...two!, cost: 1.5 }, three!],
          (row) => Effect.exit(journal.settle(row)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, false, true])
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 2 * 700)
        assert.strictEqual((yield* journal.spend(everything))[0]?.cost, 2 * 700)
      }).pipe(Effect.provide(layer))
    )

    for (const [rule, cost] of [
      ["book", 900],
      ["void", 0]
    ] as const) {
      it.effect(`closes what another process left open, once, as a failed request: ${rule}`, () =>
        Effect.gen(function* () {
          const store = yield* reopened
          const before = Effect.gen(function* () {
            const journal = yield* LedgerJournal
            yield* journal.reserve(reservation({ id: 1 }))
            yield* journal.settle(settlement(reservation({ id: 2 }), { charges: [today("key:key_a")] }))
            // Its own are not abandoned.
            assert.strictEqual(yield* journal.abandonOpen(NOW + HOUR, rule), 0)
          })
          yield* Effect.provide(before, store)
          const after = Effect.gen(function* () {
            const journal = yield* LedgerJournal
            assert.strictEqual(yield* journal.abandonOpen(NOW + HOUR, rule), 1)
            assert.strictEqual(yield* journal.abandonOpen(NOW + HOUR, rule), 0)
            assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 700 + cost)
            const [sum] = yield* journal.spend(everything)
            assert.deepInclude(sum, {
              cost: 700 + cost,
              requests: 2,
              failedRequests: 1,
              autoRequests: 0,
              autoBaseline: 0
            })
          })
          yield* Effect.provide(after, store)
        })
      )
    }

    it.effect("a new window starts from what was spent since its start, part of an hour included", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        // A day in India begins at half past a UTC hour: 18:30.
        const start = Date.UTC(2026, 1, 28, 18, 30)
        const window = { scope: "team:red", window: "day@Asia/Kolkata", start }
        const costs = [
          [start - 1, 1],
          [start, 20],
          [start + HOUR, 300],
          [start + 24 * HOUR - 1, 4000],
          [start + 24 * HOUR, 50000]
        ] as const
        for (const [id, [at, cost]] of costs.entries()) {
          yield* journal.settle(settlement(reservation({ id, at, keyId: `key_${id}` }), { cost }))
        }
        yield* journal.settle(settlement(reservation({ id: 9, at: start, team: null }), { cost: 600000 }))
        assert.strictEqual(yield* journal.openWindow(window), 4320)
        yield* journal.settle(settlement(reservation({ id: 10, at: start + 5 }), { cost: 7, charges: [window] }))
        assert.strictEqual(yield* journal.openWindow(window), 4327)
        const total = { scope: "team:red", window: "total", start: 0 }
        assert.strictEqual(yield* journal.openWindow(total), 54328)
      }).pipe(Effect.provide(layer))
    )

    it.effect("a window that is opened takes its place in the queue of writes", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const settle = (id: number, cost: number, charges: SettlementRow["charges"]) =>
          journal.settle(settlement(reservation({ id }), { cost, charges }))
        const [, spent] = yield* Effect.all(
          [settle(1, 10, []), journal.openWindow(today("key:key_a")), settle(2, 5, [today("key:key_a")])],
          { concurrency: "unbounded" }
        )
        assert.strictEqual(spent, 10)
        assert.strictEqual(yield* journal.openWindow(today("key:key_a")), 15)
      }).pipe(Effect.provide(layer))
    )

    it.effect("sums what keys and teams spent in a whole hour, in the order asked", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const hour = Math.floor(NOW / HOUR) * HOUR
        const rows = [
          { keyId: "key_a", team: "blue", at: hour, cost: 3 },
          { keyId: "key_a", team: null, at: hour + HOUR - 1, cost: 4 },
          { keyId: "key_b", team: "blue", at: hour, cost: 5 },
          { keyId: "key_a", team: "blue", at: hour - 1, cost: 70 },
          { keyId: "blue", team: "key_a", at: hour, cost: 900 }
        ]
        for (const [index, { cost, ...row }] of rows.entries()) {
          yield* journal.settle(settlement(reservation({ id: index + 1, ...row }), { cost, charges: [] }))
        }
        const scopes = ["team:blue", "key:key_a", "key:nobody", "key:key_b"]
        assert.deepStrictEqual(yield* journal.hourCosts(scopes, hour), [8, 7, 0, 5])
        assert.deepStrictEqual(yield* journal.hourCosts(scopes, hour - HOUR), [70, 70, 0, 0])
        assert.deepStrictEqual(yield* journal.hourCosts([], hour), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("tells what windows hold as far as they are open, in the order asked, and opens none", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const windows = Array.from({ length: 12 }, (_, index) => today(`key:key_${index}`))
        for (const [id, window] of windows.entries()) {
          if (id === 3) continue
          const row = reservation({ id: id + 1, keyId: `key_${id}` })
          yield* journal.settle(settlement(row, { cost: id * 10, charges: [window] }))
        }
        const [first] = windows
        const others = [{ ...first!, start: first!.start + 1 }, { ...first!, window: "total" }, windows[3]!]
        const expected = windows.map((_, id) => (id === 3 ? null : id * 10))
        assert.deepStrictEqual(yield* journal.spentIn([...windows, ...others]), [...expected, null, null, null])
        assert.deepStrictEqual(yield* journal.spentIn([windows[11]!, windows[0]!]), [110, 0])
        assert.deepStrictEqual(yield* journal.spentIn([]), [])
        assert.deepStrictEqual(yield* journal.spentIn([windows[3]!]), [null])
      }).pipe(Effect.provide(layer))
    )
  })
