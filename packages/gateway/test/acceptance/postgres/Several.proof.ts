/** Three gateways on one database, through their ports: limits, budgets and revocations hold as with one, also while one of them dies or hangs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { findPrograms } from "../../../../../scripts/postgres/Programs.ts"
import { forTests, startServer } from "../../../../../scripts/postgres/Server.ts"
import { gatewayProcess } from "../../support/GatewayProcess.ts"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { administrate, chat, clusterOf, newKey } from "../../support/postgres/Gateways.ts"
import { eventually } from "../../support/Patience.ts"
import { completion, upstream } from "../../support/Upstream.ts"

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

const answering = Effect.map(
  upstream(() => ({ body: completion("yes", { usage }) })),
  ({ baseUrl }) => baseUrl
)

const three = Effect.fnUntraced(function* (options: { readonly lease?: string } = {}) {
  const database = yield* freshDatabase
  const { start } = yield* clusterOf({ database, provider: yield* answering, ...options })
  const nodes = yield* Effect.replicateEffect(start, 3, { concurrency: 3 })
  return { database, start, nodes, urls: nodes.map(({ ready }) => ready) }
})

/** What a request may cost, in nano-USD. */
const WORST = 405_000

const statuses = (urls: ReadonlyArray<string>, secret: string, count: number, concurrency = 24) =>
  Effect.forEach(
    Array.from({ length: count }),
    (_, index) =>
      Effect.map(chat(urls[index % urls.length]!, secret), ({ headers, status, text }) => ({
        status,
        told: status === 200 ? "" : text.slice(0, 200),
        headers
      })),
    { concurrency }
  )

const counted = (answers: ReadonlyArray<{ readonly status: number }>, status: number): number =>
  answers.filter((answer) => answer.status === status).length

describe.skipIf(isSkipped)("several gateways on one Postgres", () => {
  it.live("admit as many requests a minute as one, and say truly how long it takes to the next", () =>
    Effect.gen(function* () {
      const { urls } = yield* three()
      const { secret } = yield* newKey(urls[0]!, { limits: { rpm: 40 } })
      const began = Date.now()
      const answers = yield* statuses(urls, secret, 150)
      const others = answers.filter(({ status }) => status !== 200 && status !== 429)
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual([counted(answers, 200), counted(answers, 429)], [40, 110])
      const last = yield* chat(urls[1]!, secret)
      const seconds = Number(last.headers["retry-after"])
      assert.isAtLeast(seconds, 60 - (Date.now() - began) / 1000)
      assert.isAtMost(seconds, 60)
    })
  )

  it.live("a budget is spent to its end and no further, and the books of all agree", () =>
    Effect.gen(function* () {
      const { database, urls } = yield* three()
      const { id, secret } = yield* newKey(urls[0]!, { budgets: [{ usd: 0.002, window: "month" }] })
      yield* statuses(urls, secret, 60, 30)
      yield* eventually(statuses(urls, secret, 3, 1), (answers) => counted(answers, 429) === 3)
      const { json } = yield* administrate(urls[2]!, `/admin/keys/${id}`)
      const [budget] = json.budgets
      assert.strictEqual(budget.reserved_usd, 0)
      assert.isAtMost(budget.spent_usd, budget.usd)
      // What is left is less than the next one may cost.
      assert.isBelow(Math.round((budget.usd - budget.spent_usd) * 1e9), WORST)
      const [ledger] = yield* rowsIn(
        database,
        `SELECT sum(cost)::text AS cost, (SELECT sum(cost) FROM model_gateway.spend WHERE scope LIKE 'key:%')::text AS spend,
          (SELECT sum(cost) FROM model_gateway.rollup)::text AS rollup FROM model_gateway.ledger`
      )
      assert.strictEqual(ledger?.["cost"], String(Math.round(budget.spent_usd * 1e9)))
      assert.deepStrictEqual([ledger?.["spend"], ledger?.["rollup"]], [ledger?.["cost"], ledger?.["cost"]])
    })
  )

  it.live(
    "a key works everywhere once it is made, and nowhere once DELETE has returned, also where a gateway hangs",
    () =>
      Effect.gen(function* () {
        const { nodes, urls } = yield* three({ lease: "5s" })
        for (let round = 0; round < 5; round++) {
          const { id, secret } = yield* newKey(urls[round % 3]!, {})
          for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 200)
          assert.strictEqual(
            (yield* administrate(urls[(round + 1) % 3]!, `/admin/keys/${id}`, undefined, "DELETE")).status,
            200
          )
          for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 401)
        }
        const { id, secret } = yield* newKey(urls[0]!, {})
        for (const url of urls) assert.strictEqual((yield* chat(url, secret)).status, 200)
        nodes[1]!.signal("SIGSTOP")
        // Whatever reaches it while it hangs is answered when it goes on.
        const waiting = yield* Effect.forkChild(statuses([urls[1]!], secret, 20, 20))
        yield* administrate(urls[0]!, `/admin/keys/${id}`, undefined, "DELETE")
        const answers = yield* statuses([urls[0]!, urls[2]!], secret, 20)
        assert.strictEqual(counted(answers, 401), 20)
        nodes[1]!.signal("SIGCONT")
        const late = yield* Fiber.join(waiting)
        assert.strictEqual(counted(late, 200), 0)
        const after = yield* newKey(urls[0]!, {})
        yield* eventually(chat(urls[1]!, after.secret), ({ status }) => status === 200)
        assert.strictEqual((yield* chat(urls[1]!, secret)).status, 401)
      })
  )

  it.live("kill -9 of one: what it had open is booked, its budget and its slots are free, and the others go on", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      let isHeld = true
      const { baseUrl } = yield* upstream(({ body }) =>
        isHeld && body.messages[0].content === "held"
          ? { gate: new Promise(() => {}) }
          : { body: completion("yes", { usage }) }
      )
      const { args, extra, start } = yield* clusterOf({ database, provider: baseUrl })
      const [one, two] = yield* Effect.replicateEffect(start, 2)
      const { id, secret } = yield* newKey(two!.ready, {
        limits: { max_parallel: 3 },
        budgets: [{ usd: 0.01, window: "month" }]
      })
      assert.strictEqual((yield* chat(one!.ready, secret)).status, 200)
      yield* Effect.forkChild(
        Effect.exit(Effect.forEach([1, 2, 3], () => chat(one!.ready, secret, "held"), { concurrency: 3 }))
      )
      yield* eventually(rowsIn(database, "SELECT id FROM model_gateway.attempts_open"), (rows) => rows.length === 3)
      assert.strictEqual((yield* chat(two!.ready, secret)).status, 429)
      isHeld = false
      yield* one!.end("SIGKILL")
      yield* eventually(chat(two!.ready, secret), ({ status }) => status === 200)
      const booked = yield* rowsIn(
        database,
        "SELECT cost, reserved FROM model_gateway.ledger WHERE status = 'abandoned' AND cost > 0 AND cost <= reserved"
      )
      assert.lengthOf(booked, 3)
      const { json } = yield* administrate(two!.ready, `/admin/keys/${id}`)
      assert.strictEqual(json.budgets[0].reserved_usd, 0)
      const { ready } = yield* gatewayProcess(
        ["ledger", "verify", "--json", ...args],
        ({ stdout }) => (stdout.includes("\n") ? JSON.parse(stdout) : undefined),
        extra
      )
      assert.deepInclude(ready, { ok: true, differences: [] })
      assert.deepStrictEqual(
        yield* rowsIn(
          database,
          "SELECT node FROM model_gateway.shares WHERE node > 0 AND node NOT IN (SELECT id FROM model_gateway.nodes)"
        ),
        []
      )
    })
  )

  it.live("Postgres starts again in the middle: nothing is lost or doubled, and no budget is overspent", (context) =>
    Effect.gen(function* () {
      const programs = yield* Effect.promise(findPrograms)
      if (programs === undefined) return context.skip("needs a Postgres that it may kill")
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startServer({ bin: programs.bin, settings: forTests })),
        (started) => Effect.promise(() => started.remove())
      )
      const { start } = yield* clusterOf({ database: server.url(), provider: yield* answering, lease: "5s" })
      const nodes = yield* Effect.replicateEffect(start, 2)
      const urls = nodes.map(({ ready }) => ready)
      const { id, secret } = yield* newKey(urls[0]!, {
        budgets: [{ usd: 0.01, window: "month" }],
        limits: { rpm: 100_000 }
      })
      const load = yield* Effect.forkChild(statuses(urls, secret, 900, 12))
      yield* eventually(
        rowsIn(server.url(), "SELECT count(*)::int AS rows FROM model_gateway.ledger"),
        ([row]) => Number(row?.["rows"]) > 60
      )
      yield* Effect.promise(() => server.kill())
      yield* Effect.promise(() => server.start())
      const answers = yield* Fiber.join(load)
      yield* eventually(statuses(urls, secret, 2, 1), (more) => counted(more, 429) === 2)
      const { json } = yield* eventually(
        administrate(urls[0]!, `/admin/keys/${id}`),
        ({ json: { budgets } }) => budgets[0].reserved_usd === 0
      )
      const [budget] = json.budgets
      assert.isAtMost(budget.spent_usd, budget.usd)
      assert.isBelow(Math.round((budget.usd - budget.spent_usd) * 1e9), WORST)
      const [ledger] = yield* rowsIn(
        server.url(),
        `SELECT count(*) FILTER (WHERE cost > 0)::int AS rows, count(DISTINCT request_id) FILTER (WHERE cost > 0)::int AS requests, sum(cost)::text AS cost
          FROM model_gateway.ledger`
      )
      assert.strictEqual(ledger?.["rows"], ledger?.["requests"])
      assert.isAtLeast(Number(ledger?.["rows"]), counted(answers, 200))
      assert.strictEqual(ledger?.["cost"], String(Math.round(budget.spent_usd * 1e9)))
    })
  )

  it.live("reserve: behind asks the provider while the store is told; wait once it has the row", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const { baseUrl } = yield* upstream(({ body }) => {
        asked.push(body.messages[0].content)
        return { body: completion("yes", { usage }) }
      })
      const database = yield* freshDatabase
      const behind = yield* (yield* clusterOf({ database, provider: baseUrl, reserve: "behind" })).start
      const wait = yield* (yield* clusterOf({ database, provider: baseUrl })).start
      const { secret } = yield* newKey(behind.ready, { limits: { rpm: 1_000 }, budgets: [{ usd: 1, window: "month" }] })
      for (const url of [behind.ready, wait.ready]) assert.strictEqual((yield* chat(url, secret, "first")).status, 200)
      const locked = yield* Effect.forkChild(
        administer(database, "BEGIN", "LOCK TABLE model_gateway.attempts_open", "SELECT pg_sleep(1.5)", "COMMIT")
      )
      yield* eventually(
        rowsIn(
          database,
          "SELECT 1 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'model_gateway.attempts_open'::regclass"
        ),
        (rows) => rows.length === 1
      )
      const both = yield* Effect.forkChild(
        Effect.all([chat(behind.ready, secret, "behind"), chat(wait.ready, secret, "wait")], { concurrency: 2 })
      )
      yield* eventually(
        Effect.sync(() => asked.includes("behind")),
        Boolean
      )
      // No round trip was needed before it was asked: the store answers nobody.
      assert.notInclude(asked, "wait")
      yield* Fiber.join(locked)
      assert.deepStrictEqual(
        (yield* Fiber.join(both)).map(({ status }) => status),
        [200, 200]
      )
      assert.include(asked, "wait")
    })
  )
})
