/** What is told of the gateways on a store: who they are, whether they live, and how this one stands with Postgres. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer, Logger, Redacted } from "effect"
import { ProductVersion } from "../../../src/core/domain/About.ts"
import { Nodes } from "../../../src/core/admin/Nodes.ts"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import * as Database from "../../../src/storage/postgres/connection/PostgresDatabase.ts"
import type { PostgresOptions } from "../../../src/storage/postgres/connection/PostgresOptions.ts"
import * as PostgresStore from "../../../src/storage/postgres/connection/PostgresStore.ts"
import { Sharing } from "../../../src/storage/postgres/nodes/Sharing.ts"
import { isSkipped, storeDatabase } from "../../support/postgres/Databases.ts"
import { administer } from "../../support/postgres/Queries.ts"
import { liveClock } from "../../support/postgres/Live.ts"
import { eventually } from "../../support/Patience.ts"
import { reservation } from "../Support.ts"

const at = (url: string, options: Partial<PostgresOptions> = {}) =>
  Layer.fresh(
    PostgresStore.repositories.pipe(
      Layer.provideMerge(
        Database.layer({ url: Redacted.make(url), name: "a.example", leaseMs: 600, connections: 2, ...options })
      ),
      Layer.provide(Layer.succeed(ProductVersion, "1.2.3"))
    )
  )

/** A clock that goes wrong by so many milliseconds. */
const ahead = (ms: number): Clock.Clock => {
  const now = () => liveClock.currentTimeMillisUnsafe() + ms
  return Object.assign(Object.create(liveClock), {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now)
  })
}

describe.skipIf(isSkipped)("the gateways on a store", () => {
  it.live("are listed with what each reports of itself; one that says nothing any more is silent", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      yield* Effect.gen(function* () {
        const list = Effect.map((yield* Nodes).list, ({ nodes }) => nodes)
        const [own, ...none] = yield* list
        assert.lengthOf(none, 0)
        assert.deepInclude(own, {
          name: "a.example",
          version: "1.2.3",
          leaseMs: 600,
          state: "working",
          sharesHeld: 0,
          isThis: true
        })
        const other = `INSERT INTO model_gateway.nodes (id, name, space, pid, lease_ms, version, lag_ms, shares, is_refusing)
          VALUES (7, 'b.example', '', 1, 600, '1.2.2', 40, 3, true)`
        yield* administer(url, other)
        const find = Effect.map(list, (all) => all.find(({ id }) => id === 7))
        const report = { id: 7, name: "b.example", version: "1.2.2", lagMs: 40, sharesHeld: 3, isThis: false }
        assert.deepInclude(yield* find, { ...report, state: "refusing" })
        assert.deepInclude(yield* eventually(find, (found) => found?.state === "silent"), report)
        // This one goes on to be heard.
        const heard = own?.heardAt ?? 0
        const later = yield* eventually(list, ([first]) => (first?.heardAt ?? 0) > heard)
        assert.strictEqual(later[0]?.state, "working")
      }).pipe(Effect.provide(at(url)))
    })
  )

  it.live("count what is shared among them as soon as somebody counts it", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      yield* Effect.gen(function* () {
        const { list, sharing: counts } = yield* Nodes
        const shown = () => [counts?.held(), counts?.recalls(), counts?.questions()]
        assert.deepStrictEqual(shown(), [0, 0, 0])
        const sharing = yield* Sharing
        sharing.count({ held: () => 4, recalls: () => 2, questions: () => 1 })
        assert.deepStrictEqual(shown(), [4, 2, 1])
        assert.strictEqual((yield* list).nodes[0]?.sharesHeld, 4)
      }).pipe(Effect.provide(at(url)))
    })
  )

  it.live("one whose clock is off is warned once, and the metric says by how much", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const run = (clock: Clock.Clock) =>
        Effect.gen(function* () {
          const { list, vitals } = yield* Nodes
          const heard = () => Effect.map(list, ({ nodes: [own] }) => own?.heardAt ?? 0)
          const first = yield* heard()
          const second = yield* eventually(heard(), (then) => then > first)
          yield* eventually(heard(), (then) => then > second)
          return vitals!().clockAheadMs
        }).pipe(Effect.provide(Layer.provide(at(url), Layer.merge(logger, Layer.succeed(Clock.Clock, clock)))))
      assert.closeTo(yield* run(ahead(-2_000)), -2_000, 400)
      assert.lengthOf(said, 1)
      assert.match(
        said[0] ?? "",
        /^This machine's clock is (1|2)\d{3} ms behind that of Postgres: budgets turn by this/
      )
      assert.closeTo(yield* run(liveClock), 0, 400)
      assert.lengthOf(said, 1)
    })
  )

  it.live("one that lost its place is refusing, and says that it was replaced", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      yield* Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* administer(url, "DELETE FROM model_gateway.nodes")
        const refusal = yield* eventually(
          Effect.result(journal.reserve(reservation({ id: 1 }))),
          (result) => result._tag === "Failure"
        )
        assert.strictEqual(refusal._tag === "Failure" ? refusal.failure.reason : "", "replaced")
        assert.deepStrictEqual(yield* (yield* Nodes).list, { nodes: [], trouble: undefined })
      }).pipe(Effect.provide(at(url)))
    })
  )

  it.live("one whose lease runs out says so once, and once more when Postgres answers in time again", () =>
    Effect.gen(function* () {
      const again = "Postgres responds in time again: new requests are accepted."
      const url = yield* storeDatabase
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      yield* Effect.gen(function* () {
        yield* (yield* Nodes).list
        // No beat gets through while another has the table for itself.
        const busy = "DO $$ BEGIN LOCK TABLE model_gateway.nodes IN EXCLUSIVE MODE; PERFORM pg_sleep(1.5); END $$"
        yield* Effect.forkChild(administer(url, busy), { startImmediately: true })
        yield* eventually(
          Effect.sync(() => said.includes(again)),
          (isSaid) => isSaid
        )
      }).pipe(Effect.provide(Layer.provide(at(url), logger)))
      const over =
        /^The store is not available: Postgres has not responded for 1 s, longer than store.postgres.lease. New requests/
      assert.lengthOf(
        said.filter((line) => over.test(line)),
        1
      )
      assert.lengthOf(
        said.filter((line) => line === again),
        1
      )
    })
  )
})
