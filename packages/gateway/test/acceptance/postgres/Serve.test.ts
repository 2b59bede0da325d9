/** `serve` on a store on Postgres, through its port: what it remembers over a crash, who else may start, and what a store that goes away does. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPrograms } from "../../../../../scripts/postgres/Programs.ts"
import { forTests, startServer } from "../../../../../scripts/postgres/Server.ts"
import { freshDatabase, isSkipped } from "../../support/postgres/Databases.ts"
import { administer, databaseOn, rowsIn } from "../../support/postgres/Queries.ts"
import { gatewayProcess, listening } from "../../support/GatewayProcess.ts"
import { eventually } from "../../support/Patience.ts"
import { call } from "../../support/RawHttp.ts"
import { masterKey } from "../../support/RunningGateway.ts"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "gateway-on-postgres-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** The arguments of `serve`, with the address in the environment as it should be. */
const configured = Effect.fnUntraced(function* (url: string) {
  const config = join(yield* folder, "gateway.yaml")
  const yaml = `
master_key: "${masterKey}"
server: { port: 0 }
store: { postgres: { url: "\${DATABASE_URL}", lease: 1s } }
providers: { demo: { vendor: demo } }
deployments: [demo/mini]
`
  yield* Effect.sync(() => writeFileSync(config, yaml))
  const extra = { environment: { DATABASE_URL: url } }
  const args = ["--config", config]
  return Object.assign(gatewayProcess(["serve", ...args], listening, extra), { arguments: args, extra })
})

const chat = (url: string, key: string) =>
  call(url, {
    path: "/v1/chat/completions",
    key,
    body: { model: "demo/mini", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }
  })

/** So many lines of JSON. */
const lines =
  (count: number) =>
  ({ stdout }: { readonly stdout: string }): ReadonlyArray<Readonly<Record<string, unknown>>> | undefined => {
    const all = stdout.split("\n").filter((line) => line !== "")
    return all.length < count ? undefined : all.map((line) => JSON.parse(line))
  }

const newKey = (url: string) =>
  Effect.map(
    call(url, { path: "/admin/keys", key: masterKey, body: { budgets: [{ usd: 1, window: "day" }] } }),
    ({ json }) => String(json.key)
  )

const statusOf = (url: string, path: string) => Effect.map(call(url, { method: "GET", path }), ({ status }) => status)

describe.skipIf(isSkipped)("serve on Postgres", () => {
  it.live("blocks an end user on every gateway, and sets no such limits while an older gateway is there", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const gateway = yield* configured(database)
      const { ready: url } = yield* gateway
      const { ready: other } = yield* gateway
      const key = yield* newKey(url)
      const id = /mgw_([^_]*)_/.exec(key)?.[1] ?? ""
      const path = `/admin/end-users/key:key_${id}/ann`
      const block = call(url, { method: "PUT", path, key: masterKey, body: { blocked: true } })
      const as = (at: string) =>
        call(at, {
          path: "/v1/chat/completions",
          key,
          headers: { "x-gateway-end-user": "ann" },
          body: { model: "demo/mini", max_tokens: 20, messages: [{ role: "user", content: "Hi" }] }
        })
      assert.strictEqual((yield* as(other)).status, 200)
      yield* administer(
        database,
        "INSERT INTO model_gateway.nodes (id, name, space, pid, lease_ms) VALUES (9, 'old', 'elsewhere', 1, 600000)"
      )
      const refused = yield* block
      assert.deepStrictEqual([refused.status, refused.json.error.code], [409, "older_gateways"])
      assert.include(refused.json.error.message, "old")
      yield* administer(database, "DELETE FROM model_gateway.nodes WHERE id = 9")
      assert.strictEqual((yield* block).status, 200)
      for (const at of [url, other]) assert.strictEqual((yield* as(at)).json.error.code, "end_user_blocked")
    })
  )

  it.live("remembers keys and spend over kill -9, and starts again at once", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const serve = yield* configured(database)
      const first = yield* serve
      const key = yield* newKey(first.ready)
      for (let count = 0; count < 3; count++) assert.strictEqual((yield* chat(first.ready, key)).status, 200)
      // What a crash leaves open.
      yield* administer(
        database,
        `INSERT INTO model_gateway.attempts_open (node, id, request_id, attempt, at, key_id, team, provider, model, deployment, tags, reserved, operation)
          SELECT id, 1000, 'req_lost', 0, ${Date.now()}, 'key_x', '', 'demo', 'mini', 'demo/mini', '', 77, 'chat' FROM model_gateway.nodes`
      )
      yield* first.end("SIGKILL")
      const second = yield* serve
      assert.strictEqual((yield* chat(second.ready, key)).status, 200)
      const [row] = yield* rowsIn(
        database,
        "SELECT status, cost::int AS cost FROM model_gateway.ledger WHERE request_id = 'req_lost'"
      )
      assert.deepStrictEqual(row, { status: "abandoned", cost: 77 })
      assert.strictEqual(yield* second.end("SIGTERM"), 0)
      assert.deepStrictEqual(yield* rowsIn(database, "SELECT id FROM model_gateway.nodes"), [])
      assert.deepStrictEqual(yield* rowsIn(database, "SELECT id FROM model_gateway.attempts_open"), [])
      const [books] = yield* rowsIn(
        database,
        "SELECT count(*)::int AS rows, sum(cost)::text AS cost FROM model_gateway.ledger"
      )
      assert.strictEqual(books?.["rows"], 5)
      const { arguments: args, extra } = serve
      const verified = yield* gatewayProcess(["ledger", "verify", "--json", ...args], lines(1), extra)
      assert.deepInclude(verified.ready[0], { ok: true, rows: 5, differences: [] })
      const exported = yield* gatewayProcess(["ledger", "export", "--format", "jsonl", ...args], lines(5), extra)
      assert.deepStrictEqual(exported.ready.map(({ status }) => String(status)).toSorted(), [
        "abandoned",
        "settled",
        "settled",
        "settled",
        "settled"
      ])
      yield* administer(
        database,
        "UPDATE model_gateway.spend SET cost = cost + 1 WHERE slot = (SELECT max(slot) FROM model_gateway.spend)"
      )
      const { message } = yield* Effect.flip(gatewayProcess(["ledger", "verify", ...args], () => undefined, extra))
      assert.match(message, /ended with 1/)
      assert.match(message, /The ledger of 127\.0\.0\.1:\d+\/\w+ is not consistent: \d+ difference/)
    })
  )

  it.live("says of an address that leads nowhere what is wrong, with exit code 1", () =>
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const wrong = yield* Effect.flip(
        yield* configured(databaseOn(database, "nothing").replace("gateway@", "gateway:geheim@"))
      )
      assert.match(wrong.message, /ended with 1 .*\n.*database "nothing" does not exist; create it/)
      assert.notInclude(wrong.message, "geheim")
      assert.notMatch(wrong.message, /\n\s+at /)
    })
  )

  it.live("a store that goes away: 503 for new work after the lease, and all is well when it is back", (context) =>
    Effect.gen(function* () {
      const programs = yield* Effect.promise(findPrograms)
      if (programs === undefined) return context.skip("needs a Postgres that it may kill")
      const server = yield* Effect.acquireRelease(
        Effect.promise(() => startServer({ bin: programs.bin, settings: forTests })),
        (started) => Effect.promise(() => started.remove())
      )
      const { ready: url, stderr } = yield* yield* configured(server.url())
      const key = yield* newKey(url)
      assert.strictEqual((yield* chat(url, key)).status, 200)
      assert.strictEqual(yield* statusOf(url, "/readyz"), 200)
      yield* Effect.promise(() => server.kill())
      yield* eventually(statusOf(url, "/readyz"), (status) => status === 503)
      const refused = yield* chat(url, key)
      assert.deepStrictEqual([refused.status, refused.json.error?.code], [503, "store_unavailable"])
      assert.strictEqual(yield* statusOf(url, "/healthz"), 200)
      yield* Effect.promise(() => server.start())
      yield* eventually(statusOf(url, "/readyz"), (status) => status === 200)
      assert.strictEqual((yield* eventually(chat(url, key), ({ status }) => status === 200)).status, 200)
      assert.notMatch(stderr(), /\n\s+at /)
    })
  )
})
