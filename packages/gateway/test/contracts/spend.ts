/** What every LedgerJournal answers when it is asked what was spent. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import type { SpendQuery } from "../../src/core/ledger/Spend.ts"
import { HOUR, NOW, reservation, settlement, usage, everything } from "../storage/Support.ts"

const book = (rows: ReadonlyArray<Partial<Parameters<typeof reservation>[0]> & { readonly cost: number }>) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    yield* Effect.forEach(
      rows,
      ({ cost, ...row }, index) => journal.settle(settlement(reservation({ id: index + 1, ...row }), { cost })),
      { concurrency: "unbounded", discard: true }
    )
  })

/** The groups and their costs, in the order they come. */
const spend = (query: Partial<SpendQuery>) =>
  Effect.gen(function* () {
    const journal = yield* LedgerJournal
    const rows = yield* journal.spend({ ...everything, ...query })
    return rows.map((row) => [...row.group, row.cost])
  })

export const spendContract = <E>(name: string, layer: Layer.Layer<LedgerJournal, E>) => {
  describe(`spend · ${name}`, () => {
    it.effect("an empty store has spent nothing", () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* spend({}), [])
        assert.deepStrictEqual(yield* spend({ groupBy: ["key", "day"] }), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("one row has everything of its group", () =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const row = reservation({ id: 1 })
        yield* journal.settle(settlement(row, { estimated: true }))
        yield* journal.settle(
          settlement(reservation({ id: 2, at: NOW + HOUR }), { counts: "failed_request", cost: 0, status: "void" })
        )
        // What is only reserved is not spent.
        yield* journal.reserve(reservation({ id: 3 }))
        assert.deepStrictEqual(yield* journal.spend({ ...everything, groupBy: ["key", "model"] }), [
          {
            group: ["key_a", "gpt-5-mini"],
            cost: 700,
            estimatedCost: 700,
            requests: 2,
            failedRequests: 1,
            inputTokens: 2 * (usage.input + usage.cachedInput),
            cachedInputTokens: 2 * usage.cachedInput,
            outputTokens: 2 * (usage.output + usage.reasoning),
            reasoningTokens: 2 * usage.reasoning,
            autoRequests: 0,
            autoCost: 0,
            autoBaseline: 0,
            lastAt: NOW + HOUR
          }
        ])
      }).pipe(Effect.provide(layer))
    )

    it.effect("groups by any dimensions, dearest first, null where there is none", () =>
      Effect.gen(function* () {
        yield* book([
          { cost: 1, keyId: "k1", team: "red", model: "m1" },
          { cost: 2, keyId: "k2", team: "red", model: "m2", provider: "vllm" },
          { cost: 4, keyId: "k3", team: null, model: "m1" }
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["team"] }), [
          [null, 4],
          ["red", 3]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["model", "team"] }), [
          ["m1", null, 4],
          ["m2", "red", 2],
          ["m1", "red", 1]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["provider"], team: "red" }), [
          ["vllm", 2],
          ["openai", 1]
        ])
        assert.deepStrictEqual(yield* spend({ model: "m1", provider: "openai" }), [[5]])
        assert.deepStrictEqual(yield* spend({ key: "k3", groupBy: ["key"] }), [["k3", 4]])
        assert.deepStrictEqual(yield* spend({ key: "nobody" }), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("a row counts in each of its tags", () =>
      Effect.gen(function* () {
        yield* book([
          { cost: 1, tags: "" },
          { cost: 2, tags: "a" },
          { cost: 4, tags: "a,b" }
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["tag"] }), [
          ["a", 6],
          ["b", 4],
          [null, 1]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: [] }), [[7]])
      }).pipe(Effect.provide(layer))
    )

    it.effect("from is in and to is out, to the millisecond", () =>
      Effect.gen(function* () {
        const from = NOW - 7 * HOUR + 123
        const to = NOW + 456
        yield* book([
          { cost: 1, at: from - 1 },
          { cost: 2, at: from },
          { cost: 4, at: NOW - 2 * HOUR },
          { cost: 8, at: to - 1 },
          { cost: 16, at: to }
        ])
        assert.deepStrictEqual(yield* spend({ from, to }), [[14]])
        assert.deepStrictEqual(yield* spend({ from: to - 1, to }), [[8]])
        assert.deepStrictEqual(yield* spend({ from: to, to }), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("days begin where the zone says, also in zones half an hour off", () =>
      Effect.gen(function* () {
        const midnight = Date.UTC(2026, 1, 28, 18, 30)
        yield* book([
          { cost: 1, at: midnight - 1 },
          { cost: 2, at: midnight },
          { cost: 4, at: midnight + 24 * HOUR - 1 }
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["day"], timeZone: "Asia/Kolkata" }), [
          ["2026-03-01", 6],
          ["2026-02-28", 1]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["month"], timeZone: "Asia/Kolkata" }), [
          ["2026-03", 6],
          ["2026-02", 1]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["day"] }), [
          ["2026-03-01", 4],
          ["2026-02-28", 3]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["hour"], timeZone: "Asia/Kolkata" }), [
          ["2026-03-01T23:00:00+05:30", 4],
          ["2026-03-01T00:00:00+05:30", 2],
          ["2026-02-28T23:00:00+05:30", 1]
        ])
      }).pipe(Effect.provide(layer))
    )

    it.effect("groups by end user and session, exact to the millisecond, without requests that have none", () =>
      Effect.gen(function* () {
        const ann = "end_user:team%3Ared/ann%2F1"
        yield* book([
          { cost: 1, subjects: [ann, "session:key_a/s", "rule:0123/team:red"], team: "red" },
          { cost: 2, subjects: [ann], team: "red", model: "m2", at: NOW + 1 },
          { cost: 4, subjects: ["end_user:key%3Akey_a/bob"], at: NOW + HOUR },
          { cost: 8 }
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["end_user"] }), [
          ["bob", 4],
          ["ann/1", 3]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["end_user", "team", "model"], endUser: "ann/1" }), [
          ["ann/1", "red", "m2", 2],
          ["ann/1", "red", "gpt-5-mini", 1]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["session"] }), [["s", 1]])
        assert.deepStrictEqual(yield* spend({ groupBy: ["end_user"], from: NOW + 1 }), [
          ["bob", 4],
          ["ann/1", 2]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["end_user", "hour"], timeZone: "Asia/Kathmandu" }), [
          ["bob", "2026-03-01T17:00:00+05:45", 4],
          ["ann/1", "2026-03-01T16:00:00+05:45", 3]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: [] }), [[15]])
      }).pipe(Effect.provide(layer))
    )

    it.effect("an hour that the clock repeats is two hours", () =>
      Effect.gen(function* () {
        const first = Date.UTC(2026, 9, 25, 0, 30)
        yield* book([
          { cost: 1, at: first },
          { cost: 2, at: first + HOUR }
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["hour"], timeZone: "Europe/Berlin" }), [
          ["2026-10-25T02:00:00+01:00", 2],
          ["2026-10-25T02:00:00+02:00", 1]
        ])
        assert.deepStrictEqual(yield* spend({ groupBy: ["day", "hour"] }), [
          ["2026-10-25", "2026-10-25T01:00:00Z", 2],
          ["2026-10-25", "2026-10-25T00:00:00Z", 1]
        ])
      }).pipe(Effect.provide(layer))
    )
  })
}
