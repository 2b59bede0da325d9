/** How the ledger gets to Postgres: once, whatever becomes of the connection, and whatever others want to store. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger } from "effect"
import { LedgerJournal } from "../../../src/core/ledger/LedgerJournal.ts"
import { StoreHealth } from "../../../src/core/domain/StoreHealth.ts"
import { isSkipped, storeDatabase } from "../../support/postgres/Databases.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { storeAt } from "../../support/postgres/Stores.ts"
import { eventually } from "../../support/Patience.ts"
import { everything, reservation, settlement, today } from "../Support.ts"

const books = (url: string) =>
  Effect.map(
    rowsIn(
      url,
      `SELECT (SELECT count(*) FROM model_gateway.ledger)::int AS rows, (SELECT coalesce(sum(cost), 0) FROM model_gateway.ledger)::int AS cost,
        (SELECT coalesce(sum(cost), 0) FROM model_gateway.rollup)::int AS rollup,
        (SELECT coalesce(sum(cost), 0) FROM model_gateway.spend WHERE scope LIKE 'key:%')::int AS spend,
        (SELECT count(*) FROM model_gateway.attempts_open)::int AS open`
    ),
    ([row]) => row
  )

/** All connections of the gateways on a database, as when the server restarts. */
const cut = (url: string) =>
  administer(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
  )

const onPostgres = <A, E>(test: (url: string) => Effect.Effect<A, E, LedgerJournal | StoreHealth>) =>
  Effect.flatMap(storeDatabase, (url) => Effect.provide(test(url), storeAt(url)))

describe.skipIf(isSkipped)("the ledger on Postgres", () => {
  it.live("books each attempt once, however often its connections are cut", () =>
    onPostgres((url) =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const ids = Array.from({ length: 300 }, (_, index) => index + 1)
        const working = Effect.forEach(
          ids,
          (id) =>
            Effect.gen(function* () {
              const row = reservation({ id, keyId: `key_${id % 7}` })
              yield* journal.reserve(row)
              yield* Effect.sleep(id % 20)
              yield* journal.settle(settlement(row, { cost: 10, charges: [today(`key:${row.keyId}`)] }))
            }),
          { concurrency: 10, discard: true }
        )
        const cutting = Effect.forEach([1, 2, 3, 4], () => Effect.andThen(Effect.sleep(60), cut(url)), {
          discard: true
        })
        yield* Effect.all([working, cutting], { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* books(url), { rows: 300, cost: 3000, rollup: 3000, spend: 3000, open: 0 })
        assert.isUndefined((yield* StoreHealth).trouble())
      })
    )
  )

  it.live("what Postgres can't store is changed a little, and holds nobody up", () =>
    onPostgres((url) =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const odd = reservation({ id: 1, model: "gpt\0\ud800", tags: "a\0", requestId: "req_\0" })
        yield* journal.reserve(odd)
        yield* Effect.all(
          [
            journal.settle(settlement(odd, { cost: 5 })),
            journal.settle(settlement(reservation({ id: 2 }), { cost: 7 }))
          ],
          {
            concurrency: "unbounded"
          }
        )
        assert.deepInclude(yield* books(url), { rows: 2, cost: 12 })
        const [first] = yield* journal.spend({ ...everything, model: "gpt\0\ud800", groupBy: ["model"] })
        assert.deepStrictEqual([first?.group, first?.cost], [["gpt\uFFFD\uFFFD"], 5])
      })
    )
  )

  it.live("a row that can't be stored at all fails alone", () =>
    onPostgres((url) =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        const impossible = settlement(reservation({ id: 1 }), { cost: 1.5 })
        const [bad, good] = yield* Effect.all(
          [
            Effect.exit(journal.settle(impossible)),
            Effect.exit(journal.settle(settlement(reservation({ id: 2 }), { cost: 7 })))
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual([bad._tag, good._tag], ["Failure", "Success"])
        assert.deepInclude(yield* books(url), { rows: 1, cost: 7 })
        yield* journal.settle(settlement(reservation({ id: 3 }), { cost: 1 }))
        assert.deepInclude(yield* books(url), { rows: 2, cost: 8 })
      })
    )
  )

  it.live("a group whose connection is cut during its commit is written once", () =>
    onPostgres((url) =>
      Effect.gen(function* () {
        const journal = yield* LedgerJournal
        yield* journal.settle(settlement(reservation({ id: 1 }), { cost: 10 }))
        const slow = `CREATE FUNCTION model_gateway.slow() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.2); RETURN NULL; END $$`
        yield* administer(
          url,
          slow,
          "CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON model_gateway.spend DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION model_gateway.slow()"
        )
        const settling = yield* Effect.forkChild(
          journal.settle(settlement(reservation({ id: 2, keyId: "key_b" }), { cost: 10 }))
        )
        yield* Effect.sleep(50)
        yield* cut(url)
        yield* Fiber.join(settling)
        yield* administer(url, "DROP FUNCTION model_gateway.slow() CASCADE")
        assert.deepInclude(yield* books(url), { rows: 2, cost: 20, rollup: 20, spend: 20 })
      })
    )
  )

  it.live("two gateways that charge the same windows for the first time don't wait for each other in a circle", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make(({ message }) => void said.push(String(message)))])
      const store = Layer.build(Layer.provide(storeAt(url), logger))
      const journal = Effect.map(store, (services) => Context.get(services, LedgerJournal))
      const [one, other] = yield* Effect.all([journal, journal])
      const charging = ({ settle }: LedgerJournal["Service"], keys: ReadonlyArray<string>) =>
        Effect.forEach(
          keys,
          (keyId, id) => settle(settlement(reservation({ id, keyId }), { charges: [today(`key:${keyId}`)] })),
          { concurrency: "unbounded", discard: true }
        )
      // Both are under way, each with its first window, before either gets the one between.
      const charge = today("key:m")
      const holding = `DO $$ BEGIN
        INSERT INTO model_gateway.budget_windows (scope, "window", start) VALUES ('${charge.scope}', '${charge.window}', ${charge.start});
        WHILE (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock') < 2 LOOP
          PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot();
        END LOOP;
        DELETE FROM model_gateway.budget_windows WHERE scope = '${charge.scope}';
      END $$`
      const held = yield* Effect.forkChild(administer(url, holding), { startImmediately: true })
      yield* eventually(
        rowsIn(url, "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'DO $$ BEGIN%'"),
        ({ length }) => length > 0
      )
      yield* Effect.all([charging(one, ["a", "m", "z"]), charging(other, ["z", "m", "a"])], {
        concurrency: "unbounded"
      })
      yield* Fiber.join(held)
      assert.deepStrictEqual(
        said.filter((line) => line.includes("does not answer")),
        []
      )
      assert.deepInclude(yield* books(url), { rows: 6 })
    }).pipe(Effect.timeout("20 seconds"))
  )
})
