/** Limits that several gateways on one database share: together they never give out more than there is, and all of it is of use. */
import { assert, describe, it } from "@effect/vitest"
import * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, Exit, Fiber, Redacted, Scope } from "effect"
import { TestClock } from "effect/testing"
import { budget, callerWith, noLimits } from "../../core/call/Support.ts"
import { asOneProcess } from "../../core/grants/Worlds.ts"
import { intent, keyWith, outcome } from "../../core/ledger/Books.ts"
import { isSkipped, storeDatabase } from "../../support/postgres/Databases.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { joinAt, type PostgresNode } from "../../support/postgres/Nodes.ts"
import { eventually } from "../../support/Patience.ts"

const limited = callerWith({ limits: { ...noLimits, rpm: 30, maxParallel: 6 } })

const admit = ({ limiter }: PostgresNode) => Effect.isSuccess(Effect.scoped(limiter.admit(limited, 0)))

/** One that costs all that it may. */
const spend = ({ ledger }: PostgresNode, caller: ReturnType<typeof keyWith>) =>
  Effect.flatMap(ledger.reserve(intent(caller)), (reservation) => ledger.settle(reservation, outcome(1_000)))

const heldIn = (url: string) =>
  Effect.map(
    rowsIn(url, "SELECT kind, coalesce(sum(amount), 0)::int AS amount FROM model_gateway.shares GROUP BY kind"),
    (rows) => Object.fromEntries(rows.map(({ amount, kind }) => [String(kind), Number(amount)]))
  )

/** Others find that it has died, whatever it does. */
const takenForDead = (url: string, { node }: PostgresNode) =>
  administer(url, `UPDATE model_gateway.nodes SET pid = 999999999 WHERE id = ${node.id}`)

/** As if it had been killed: what it says does not arrive. */
const killed = (url: string, one: PostgresNode) =>
  Effect.acquireRelease(
    Effect.andThen(
      takenForDead(url, one),
      administer(url, `ALTER TABLE model_gateway.nodes ADD CONSTRAINT dead CHECK (id <> ${one.node.id}) NOT VALID`)
    ),
    () => administer(url, "ALTER TABLE model_gateway.nodes DROP CONSTRAINT dead")
  )

describe.skipIf(isSkipped)("shares of limits on Postgres", () => {
  it.live("three gateways that are asked at once admit exactly the limit, and hold as much at most", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const nodes = yield* Effect.replicateEffect(joinAt(url), 3)
      const results = yield* Effect.forEach(
        Array.from({ length: 120 }),
        (_, index) => admit(nodes[index % nodes.length]!),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(results.filter(Boolean), 30)
      assert.isAtMost((yield* heldIn(url))["rpm"] ?? 0, 30)
    })
  )

  it.live("a budget is spent to its end and no further, by whomever, and its books agree", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const nodes = yield* Effect.replicateEffect(joinAt(url), 3)
      const caller = keyWith([budget(50_000)])
      const results = yield* Effect.forEach(
        Array.from({ length: 150 }),
        (_, index) => Effect.exit(spend(nodes[index % nodes.length]!, caller)),
        { concurrency: 40 }
      )
      const spent = results.filter(Exit.isSuccess).length
      // Whoever was refused while others held the rest tries again.
      yield* eventually(
        Effect.andThen(
          Effect.forEach(nodes, (node) => Effect.ignore(spend(node, caller))),
          rowsIn(url, "SELECT sum(cost)::int AS cost, count(*)::int AS rows FROM model_gateway.ledger")
        ),
        ([books]) => books?.["cost"] === 50_000 && books["rows"] === 50
      )
      for (const node of nodes) assert.isTrue(Exit.isFailure(yield* Effect.exit(spend(node, caller))))
      assert.isAtLeast(spent, 40)
      assert.deepStrictEqual(yield* heldIn(url), {})
    })
  )

  it.live(
    "two gateways that ask at the same moment hold no more than the limit, whatever the database has as its default",
    () =>
      Effect.gen(function* () {
        const url = yield* storeDatabase
        const database = new URL(url).pathname.slice(1)
        const defaults = ["default_transaction_isolation = 'repeatable read'", "synchronous_commit = 'off'"]
        yield* Effect.acquireRelease(
          administer(url, ...defaults.map((one) => `ALTER DATABASE ${database} SET ${one}`)),
          () => administer(url, `ALTER DATABASE ${database} RESET ALL`)
        )
        const nodes = yield* Effect.replicateEffect(joinAt(url), 2)
        const holder = yield* PgConnection.make({ url: Redacted.make(url) })
        const lock = "hashtextextended('model_gateway|key:key_a|rpm|0', 0)"
        yield* holder.query(`SELECT pg_advisory_lock(${lock})`)
        const caller = callerWith({ limits: { ...noLimits, rpm: 1 } })
        const asking = yield* Effect.forEach(nodes, ({ limiter }) =>
          Effect.forkChild(Effect.isSuccess(Effect.scoped(limiter.admit(caller, 0))))
        )
        const waiting = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        yield* eventually(rowsIn(url, waiting), (rows) => rows.length === 2)
        yield* holder.query(`SELECT pg_advisory_unlock(${lock})`)
        const admitted = yield* Effect.forEach(asking, (one) => Fiber.join(one))
        assert.lengthOf(admitted.filter(Boolean), 1)
        const { sql } = nodes[0]!
        assert.deepStrictEqual(yield* sql`SHOW synchronous_commit`, [{ synchronous_commit: "on" }])
      })
  )

  it.live("a slot that is free at one gateway is of use at the others, and no more than the limit run at once", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const nodes = yield* Effect.replicateEffect(joinAt(url), 3)
      let running = 0
      let most = 0
      const caller = callerWith({ limits: { ...noLimits, maxParallel: 6 } })
      const request = (node: PostgresNode) =>
        Effect.gen(function* () {
          yield* node.limiter.admit(caller, 0)
          most = Math.max(most, ++running)
          yield* Effect.sleep(3)
          running--
        }).pipe(Effect.scoped, Effect.exit)
      // A refusal is known for a while: one that comes again meanwhile is refused at once, however many of them there are.
      yield* Effect.forEach(
        Array.from({ length: 90 }),
        (_, index) => eventually(request(nodes[index % nodes.length]!), Exit.isSuccess),
        { concurrency: 18, discard: true }
      )
      assert.isAtMost(most, 6)
      for (const node of nodes) {
        const scope = yield* Scope.make()
        const one = eventually(Effect.exit(node.limiter.admit(caller, 0)), Exit.isSuccess)
        yield* Scope.provide(Effect.replicateEffect(one, 6), scope)
        yield* Scope.close(scope, Exit.void)
      }
    })
  )

  it.live(
    "what a dead gateway had open is booked, its slots and its budget are free at once, its requests after a minute",
    () =>
      Effect.gen(function* () {
        const url = yield* storeDatabase
        const options = { leaseMs: 300 }
        const [one, two] = [yield* joinAt(url, options), yield* joinAt(url, options)]
        const caller = callerWith({ limits: { ...noLimits, rpm: 4, maxParallel: 2 }, budgets: [budget(3_000)] })
        const scope = yield* Scope.make()
        yield* Scope.provide(Effect.replicateEffect(one.limiter.admit(caller, 0), 2), scope)
        yield* one.ledger.reserve(intent(caller))
        yield* killed(url, one)
        yield* eventually(rowsIn(url, "SELECT id FROM model_gateway.nodes"), (rows) => rows.length === 1)
        const [row] = yield* rowsIn(url, "SELECT status, cost::int AS cost FROM model_gateway.ledger")
        assert.deepStrictEqual(row, { status: "abandoned", cost: 1_000 })
        yield* spend(two, caller)
        yield* spend(two, caller)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(spend(two, caller))))
        // Of four requests a minute the dead one may have used its share to the end.
        const [ghost] = yield* rowsIn(
          url,
          `SELECT amount::int AS amount, extract(epoch FROM free_at - clock_timestamp()) AS seconds FROM model_gateway.shares
          WHERE kind = 'rpm' AND free_at IS NOT NULL`
        )
        assert.isAtLeast(Number(ghost?.["amount"]), 2)
        assert.isAbove(Number(ghost?.["seconds"]), 50)
        const admitted = yield* Effect.replicateEffect(Effect.isSuccess(Effect.scoped(two.limiter.admit(caller, 0))), 4)
        assert.lengthOf(admitted.filter(Boolean), 4 - Number(ghost?.["amount"]))
      })
  )

  it.live("a gateway that was taken for dead joins anew, and what it had open is booked at what it cost", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const options = { leaseMs: 400 }
      const [one, two] = [yield* joinAt(url, options), yield* joinAt(url, options)]
      const caller = callerWith({ limits: { ...noLimits, rpm: 10 }, budgets: [budget(5_000)] })
      assert.isTrue(yield* Effect.isSuccess(Effect.scoped(one.limiter.admit(caller, 0))))
      const [slow, other] = [yield* one.ledger.reserve(intent(caller)), yield* one.ledger.reserve(intent(caller))]
      yield* takenForDead(url, one)
      yield* eventually(rowsIn(url, "SELECT node FROM model_gateway.shares WHERE node < 0"), (rows) => rows.length > 0)
      const itself = `SELECT id FROM model_gateway.nodes WHERE id = ${one.node.id} AND pid = ${process.pid}`
      yield* eventually(rowsIn(url, itself), (rows) => rows.length === 1)
      yield* one.ledger.settle(slow, outcome(300))
      yield* eventually(
        Effect.sync(() => one.node.trouble()),
        (trouble) => trouble === undefined
      )
      const [state] = yield* two.ledger.budgets("key:key_a", caller.key.budgets)
      assert.deepInclude(state, { spent: 300, reserved: 1_000 })
      // What the other one holds is held for everybody: three and a half fit.
      const all = Effect.exit(Effect.andThen(spend(one, caller), spend(two, caller)))
      assert.isTrue(Exit.isSuccess(yield* all))
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(spend(two, caller))))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(spend(two, caller))))
      yield* one.ledger.settle(other, outcome(1_000))
      const rows = yield* rowsIn(
        url,
        "SELECT status, cost::int AS cost FROM model_gateway.ledger ORDER BY cost, status"
      )
      assert.deepStrictEqual(
        rows.map(({ cost, status }) => [status, cost]),
        [300, 1_000, 1_000, 1_000, 1_000].map((cost) => ["settled", cost])
      )
      const [books] = yield* rowsIn(
        url,
        `SELECT sum(cost)::int AS rollup, sum(requests)::int AS requests, sum(failed_requests)::int AS failed,
          (SELECT sum(cost) FROM model_gateway.spend)::int AS spend FROM model_gateway.rollup`
      )
      assert.deepStrictEqual(books, { rollup: 4_300, requests: 5, failed: 0, spend: 4_300 })
    })
  )

  for (const standby of ["has never heard of it", "has taken it for dead"] as const) {
    it.live(`a gateway says again what a standby lacks that ${standby}`, () =>
      Effect.gen(function* () {
        const url = yield* storeDatabase
        const options = { leaseMs: 400 }
        const [one] = [yield* joinAt(url, options), yield* joinAt(url, options)]
        const caller = keyWith([budget(50_000)])
        const tables = ["ledger", "rollup", "spend", "attempts_open", "nodes"]
        yield* one.ledger.settle(yield* one.ledger.reserve(intent(caller)), outcome(100))
        const [open, ended] = [yield* one.ledger.reserve(intent(caller)), yield* one.ledger.reserve(intent(caller))]
        const keep = tables.map((name) => `CREATE TABLE before.${name} AS SELECT * FROM model_gateway.${name}`)
        yield* administer(url, "DROP SCHEMA IF EXISTS before CASCADE", "CREATE SCHEMA before", ...keep)
        yield* one.ledger.settle(ended, outcome(30))
        yield* one.ledger.settle(yield* one.ledger.reserve(intent(caller)), outcome(7))
        const self = `id = ${one.node.id}`
        const rowsOf = (name: string) => `${name} WHERE ${name === "nodes" ? "id" : "node"} = ${one.node.id}`
        const had = tables.map((name) => `INSERT INTO model_gateway.${name} SELECT * FROM before.${rowsOf(name)}`)
        const mine = tables.map((name) => `DELETE FROM model_gateway.${rowsOf(name)}`)
        const asItIs =
          standby === "has never heard of it"
            ? []
            : [...had, `UPDATE model_gateway.nodes SET pid = 999999999 WHERE ${self}`]
        const lines = [...mine, ...asItIs].join("; ")
        yield* administer(url, `DO $$ BEGIN ${lines}; END $$`)
        const joined = `SELECT 1 FROM model_gateway.nodes WHERE ${self} AND pid = ${process.pid}`
        yield* eventually(rowsIn(url, joined), ({ length }) => length === 1)
        yield* eventually(Effect.exit(one.ledger.settle(open, outcome(2))), Exit.isSuccess)
        const [books] = yield* rowsIn(
          url,
          `SELECT sum(cost)::int AS cost, count(*)::int AS rows, bool_and(status = 'settled') AS settled,
            (SELECT sum(cost)::int FROM model_gateway.spend) AS spend,
            (SELECT sum(requests)::int FROM model_gateway.rollup) AS requests FROM model_gateway.ledger`
        )
        assert.deepStrictEqual(books, { cost: 139, rows: 4, settled: true, spend: 139, requests: 4 })
      })
    )
  }

  it.live("a gateway that leaves gives back what it did not use", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const two = yield* joinAt(url)
      yield* Effect.scoped(
        Effect.gen(function* () {
          const one = yield* joinAt(url)
          for (let count = 0; count < 5; count++) assert.isTrue(yield* admit(one))
          assert.isAbove((yield* heldIn(url))["rpm"] ?? 0, 5)
        })
      )
      assert.deepStrictEqual(yield* heldIn(url), { rpm: 5 })
      const admitted = yield* Effect.replicateEffect(admit(two), 40)
      assert.lengthOf(admitted.filter(Boolean), 25)
    })
  )

  it.effect("tokens used beyond what was expected are paid by the next that are free, at whichever gateway", () =>
    Effect.gen(function* () {
      const nodes = yield* Effect.flatMap(storeDatabase, (url) => Effect.replicateEffect(joinAt(url), 3))
      const [one, two, three] = nodes
      const caller = callerWith({ limits: { ...noLimits, tpm: 1_000 } })
      const use = (node: PostgresNode | undefined, expected: number, used = expected) =>
        Effect.flatMap(node!.limiter.admit(caller, expected), (permit) => permit.settle(used)).pipe(
          Effect.scoped,
          Effect.isSuccess
        )
      assert.isTrue(yield* use(two, 800))
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* use(one, 100, 500))
      yield* TestClock.adjust("50 seconds")
      for (const node of nodes) assert.isFalse(yield* use(node, 501))
      yield* TestClock.adjust(30)
      assert.isTrue(yield* use(two, 250))
      assert.isTrue(yield* use(three, 250))
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* use(three, 500))
    })
  )

  it.effect(
    "three gateways decide as one process, also about tokens beyond what was expected while the limit changes",
    () =>
      Effect.gen(function* () {
        for (let seed = 0; seed < 3; seed++) {
          const nodes = yield* Effect.flatMap(storeDatabase, (url) => Effect.replicateEffect(joinAt(url), 3))
          assert.isAbove(yield* asOneProcess(nodes, { seed, steps: 80, isChanged: true }), 10)
        }
      })
  )

  it.live(
    "a lowered limit holds for tokens of who has not heard of it, also after a gateway said again what it holds",
    () =>
      Effect.gen(function* () {
        const url = yield* storeDatabase
        const [one, two] = [yield* joinAt(url), yield* joinAt(url)]
        const admit = ({ limiter }: PostgresNode, tpm: number, tokens: number) =>
          Effect.scoped(limiter.admit(callerWith({ limits: { ...noLimits, tpm } }), tokens))
        const permit = yield* admit(two, 2_000, 100)
        yield* admit(one, 1_000, 10)
        one.flusher.doubt()
        yield* eventually(
          Effect.sync(() => one.flusher.shares.isDoubtful),
          (isDoubtful) => !isDoubtful
        )
        yield* permit.settle(1_500)
        assert.isFalse(yield* Effect.isSuccess(admit(one, 1_000, 10)))
      })
  )

  it.live("a gateway that may not have heard that a limit is overdrawn gives out nothing of it unasked", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const one = yield* joinAt(url)
      const caller = callerWith({ limits: { ...noLimits, tpm: 1_000 } })
      yield* Effect.scoped(Effect.flatMap(one.limiter.admit(caller, 100), (permit) => permit.settle(0)))
      assert.isAbove((yield* heldIn(url))["tpm"] ?? 0, 0)
      yield* administer(
        url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND query LIKE '%${one.node.id}%' AND datname = current_database()`
      )
      yield* eventually(heldIn(url), ({ tpm }) => tpm === undefined)
      assert.isTrue(yield* Effect.isSuccess(Effect.scoped(one.limiter.admit(caller, 1_000))))
    })
  )

  it.live("in the steady state nothing is asked: a share that is there decides alone", () =>
    Effect.gen(function* () {
      const url = yield* storeDatabase
      const [one] = yield* Effect.replicateEffect(joinAt(url), 3)
      const node = one!
      const caller = callerWith({ limits: { ...noLimits, rpm: 100_000 }, budgets: [budget(100_000_000)] })
      const admit = Effect.suspend(() => node.limiter.admit(caller, 0))
      const request = Effect.andThen(Effect.scoped(admit), spend(node, caller))
      yield* Effect.replicateEffect(request, 50)
      const first = node.flusher.shares.asked
      yield* Effect.replicateEffect(request, 100)
      // The more it is used the larger it is.
      assert.isAtMost(first, 20)
      assert.isAtMost(node.flusher.shares.asked - first, 4)
    })
  )
})
