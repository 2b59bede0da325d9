/** A standby that lacks the last commits takes over: the gateway says again what it lacks, and nothing is lost or booked twice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { startServer, forTests } from "../../../../../scripts/postgres/Server.ts"
import { withStandbys } from "../../../../../scripts/postgres/Programs.ts"
import * as ReadOnly from "../../../../model-gateway/src/store/reading/PostgresReadOnly.ts"
import { inspection } from "../../../../model-gateway/src/store/reading/PostgresVerify.ts"
import { isSkipped } from "../../support/postgres/Databases.ts"
import { administer, rowsIn } from "../../support/postgres/Queries.ts"
import { switchTo } from "../../support/postgres/Switch.ts"
import { eventually } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { readPrometheus, valueOf } from "../../telemetry/Prometheus.ts"

const programs = withStandbys()

if (!isSkipped && programs === undefined) console.log("SKIP tests with a standby: pg_basebackup not found")

const server = (standbyOf?: number) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startServer({
        bin: programs?.bin ?? "",
        settings: forTests,
        ...(standbyOf === undefined ? {} : { standbyOf })
      })
    ),
    (started) => Effect.promise(() => started.remove())
  )

const count = (url: string, what: string) =>
  Effect.map(rowsIn(url, `SELECT count(*)::int AS n FROM model_gateway.${what}`), ([row]) => Number(row?.["n"]))

describe.skipIf(isSkipped || programs === undefined)("an asynchronous standby", () => {
  it.live("is told what it lacks when it takes over: 0 lost, 0 doubled", () =>
    Effect.gen(function* () {
      const primary = yield* server()
      const standby = yield* server(primary.port)
      const address = yield* switchTo(primary.port)
      const gateway = yield* startGateway({
        yaml: `
store: { postgres: { url: "postgres://gateway@127.0.0.1:${address.port}/postgres", lease: 5s } }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [{ limit: 1e9, window: "day", timeZone: "UTC" }] })
      let answered = 0
      const chat = Effect.map(
        call(gateway.url, {
          path: "/v1/chat/completions",
          key: secret,
          body: { model: "demo/mini", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }
        }),
        ({ status }) => {
          if (status === 200) answered++
          return status
        }
      )
      const storm = (times: number) =>
        Effect.forEach(Array.from({ length: times }), () => chat, { concurrency: 8, discard: true })

      yield* storm(20)
      yield* eventually(count(standby.url(), "ledger"), (rows) => rows === 20)
      // It gets nothing from now on, and what it lacks was confirmed.
      yield* administer(standby.url(), "ALTER SYSTEM SET primary_conninfo = ''", "SELECT pg_reload_conf()")
      yield* eventually(rowsIn(standby.url(), "SELECT pid FROM pg_stat_wal_receiver"), ({ length }) => length === 0)
      yield* storm(60)
      assert.strictEqual(answered, 80)
      const last = "SELECT sum(cost)::text AS cost FROM model_gateway.ledger"
      const confirmed = yield* rowsIn(primary.url(), last)
      assert.isBelow(yield* count(standby.url(), "ledger"), 40)

      const during = yield* Effect.forkChild(storm(60))
      yield* Effect.promise(() => primary.kill())
      yield* rowsIn(standby.url(), "SELECT pg_promote(true)")
      address.turnTo(standby.port)
      yield* Fiber.join(during)
      yield* eventually(chat, (status) => status === 200)

      const url = standby.url()
      const requests = `SELECT count(*)::int AS rows, count(DISTINCT request_id)::int AS requests,
        count(*) FILTER (WHERE status = 'settled')::int AS settled, sum(cost)::text AS cost FROM model_gateway.ledger`
      const [books] = yield* eventually(rowsIn(url, requests), ([row]) => Number(row?.["settled"]) >= answered)
      assert.strictEqual(books?.["rows"], books?.["requests"])
      assert.strictEqual(books?.["settled"], answered)
      const each = Number(confirmed[0]?.["cost"]) / 80
      assert.strictEqual(Number(books?.["cost"]), each * answered)
      const { differences } = yield* Effect.provide(
        inspection,
        Layer.fresh(ReadOnly.layer({ url: Redacted.make(url) }))
      )
      assert.deepStrictEqual(differences, [])
      const metrics = readPrometheus((yield* call(gateway.url, { method: "GET", path: "/metrics" })).text)
      assert.isAbove(valueOf(metrics, "gateway_store_resent_flushes_total") ?? 0, 0)
      assert.isAtLeast(valueOf(metrics, "gateway_store_lease_age_seconds") ?? -1, 0)
    })
  )
})
