import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { HttpRouter } from "effect/http"
import { SignInCodes } from "../../src/core/admin/SignInCodes.ts"
import { EndUsers } from "../../src/core/keys/EndUsers.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { ProviderPool } from "../../src/core/pool/ProviderPool.ts"
import { noLoad } from "../../src/core/pool/Transport.ts"
import { ReceiptArchive } from "../../src/core/receipts/ReceiptArchive.ts"
import { ResponseRepository } from "../../src/core/responses/ResponseRepository.ts"
import { CachedResponses, CacheVitals } from "../../src/core/kept/KeptResponses.ts"
import { Idempotency } from "../../src/core/kept/Idempotency.ts"
import * as SqliteStore from "../../src/storage/sqlite/file/SqliteStore.ts"
import { ResponseStore } from "../../src/core/responses/ResponseStore.ts"
import { Nodes } from "../../src/core/admin/Nodes.ts"
import { StoreHealth } from "../../src/core/domain/StoreHealth.ts"
import { Telemetry } from "../../src/core/domain/Telemetry.ts"
import { Router } from "../../src/core/routing/Router.ts"
import { SpendLedger } from "../../src/core/ledger/SpendLedger.ts"
import { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import { LedgerJournal } from "../../src/core/ledger/LedgerJournal.ts"
import { StoreUnavailable } from "../../src/core/domain/Errors.ts"
import { IdentityRepository } from "../../src/core/admin/IdentityRepository.ts"
import { IdentityProviders } from "../../src/core/admin/IdentityProviders.ts"
import { SignIns } from "../../src/core/admin/SignIns.ts"
import { MachineSignIns } from "../../src/core/admin/MachineSignIns.ts"
import { Principals } from "../../src/core/admin/Principals.ts"
import { AdminSessions } from "../../src/core/admin/AdminSessions.ts"
import { AuditRepository } from "../../src/core/domain/AuditRepository.ts"
import { SessionRepository } from "../../src/core/admin/SessionRepository.ts"
import { AdminOrigin } from "../../src/http/admin/access/AdminOrigin.ts"
import { LiveReceipts } from "../../src/core/receipts/LiveReceipts.ts"
import { FleetInForce } from "../../src/core/domain/Fleet.ts"
import { ReceiptEvents } from "../../src/core/receipts/ReceiptEvents.ts"
import { Traffic } from "../../src/core/admin/Traffic.ts"
import { TrafficRepository } from "../../src/core/admin/TrafficRepository.ts"
import { AuthThrottle } from "../../src/http/shared/AuthThrottle.ts"
import { MasterKey } from "../../src/http/shared/MasterKey.ts"
import { Readiness } from "../../src/http/shared/Readiness.ts"
import { SystemAndAdmin } from "../../src/http/server/SystemAndAdmin.ts"
import { call } from "../support/RawHttp.ts"
import { masterKey } from "../support/RunningGateway.ts"
import { rowOf } from "./AdminClient.ts"

const down = Effect.fail(new StoreUnavailable({ message: "/data/gateway.db: disk I/O error" }))

/** A store that broke after the start. */
const brokenStore = Layer.mergeAll(
  Layer.mock(KeyRepository, {
    pepper: Effect.succeed(new Uint8Array(32)),
    insert: () => down,
    find: () => down,
    ids: () => Effect.succeed({ ids: [], hasMore: false, most: 0 }),
    list: () => down,
    findTeam: () => down,
    teams: () => down,
    keysOf: () => down,
    putTeam: () => down,
    changes: Stream.never
  }),
  Layer.mock(LedgerJournal, {
    lastId: Effect.succeed(0),
    abandonOpen: () => Effect.succeed(0),
    spend: () => down
  }),
  Layer.mock(ReceiptArchive, { add: () => {}, find: () => down, list: () => down }),
  Layer.mock(ResponseRepository, { prune: () => down, erase: () => down }),
  Layer.mock(TrafficRepository, { read: () => down, prune: () => down }),
  Layer.mock(CachedResponses, { held: down, erase: () => down, vitals: new CacheVitals() }),
  Layer.mock(AuditRepository, { add: () => down, list: () => down }),
  Layer.mock(Nodes, {
    list: Effect.succeed({ nodes: [], trouble: "it is down" }),
    vitals: undefined,
    sharing: undefined
  }),
  Layer.mock(IdentityRepository, { names: () => down }),
  Layer.mock(SessionRepository, { list: down, remove: () => down, find: () => down })
)

/** One that loses its mind where it is asked for a key. */
const insaneStore = Layer.mock(KeyRepository, {
  pepper: Effect.succeed(new Uint8Array(32)),
  ids: () => Effect.succeed({ ids: [], hasMore: false, most: 0 }),
  find: () => Effect.die(new Error("mgw_secret of /data/gateway.db")),
  list: () => Effect.succeedNone,
  changes: Stream.never
})

const pool = Layer.mock(ProviderPool, {
  status: Effect.die(new Error("no pool")),
  setRotation: () => down,
  operations: () => new Set(["chat"]),
  throughput: () => 0,
  isInRotation: () => true,
  isReady: () => true,
  whyNotReady: () => "",
  isHealthy: () => true,
  load: () => noLoad,
  hasOtherKey: () => false,
  inFlight: () => 0,
  outputRate: () => 0,
  expectedFirstToken: () => 0
})

const router = Layer.mock(Router, {
  models: () => [],
  bucketsOf: () => [],
  isPinned: () => false,
  strangers: () => [],
  answered: () => {}
})

const storeHealth = Layer.succeed(StoreHealth, {
  trouble: () => ({
    message: "The store is not available: /data/gateway.db is gone.",
    since: 0,
    reason: "refused" as const
  }),
  file: () => ({ path: "/data/gateway.db", bytes: 0, schema: 1 }),
  lagMs: () => 0,
  lastCommitMs: () => 0,
  commits: () => 0
})

const noFleet = Layer.succeed(FleetInForce, { follow: () => {} })
const telemetry = Layer.succeed(Telemetry, { count: () => {}, gauge: () => {}, prometheus: () => "" })
const origin = AdminOrigin.layer({ trustedProxies: [], publicPath: "/" })
const throttle = AuthThrottle.layer({ trustedProxies: [], authFailuresPerMinute: 20 })

/** The router behind a port of its own, without the proxy in front. */
const start = (store: typeof brokenStore) =>
  Effect.gen(function* () {
    const services = Layer.mergeAll(
      KeyStore.layer,
      Layer.mock(EndUsers, {}),
      SpendLedger.layer,
      ResponseStore.layer,
      Layer.provide(Idempotency.layer, SqliteStore.layerMemory),
      AdminSessions.layer(Redacted.make(masterKey)),
      Layer.provideMerge(
        Layer.provideMerge(Principals.layer, MachineSignIns.layer([])),
        Layer.merge(SignIns.none, IdentityProviders.none)
      ),
      Layer.provide(Layer.merge(Traffic.layer, LiveReceipts.layer), ReceiptEvents.layer)
    ).pipe(Layer.provide(store))
    const app = SystemAndAdmin.pipe(
      Layer.provide([Layer.orDie(services), pool, router, Readiness.layer, SignInCodes.layer]),
      Layer.provide(MasterKey.layer(Redacted.make(masterKey))),
      Layer.provide([storeHealth, telemetry, store, throttle, origin, noFleet, ReceiptEvents.layer])
    )
    const scope = yield* Effect.scope
    const handler = yield* NodeHttpServer.makeHandler(yield* HttpRouter.toHttpEffect(app), { scope })
    const server = createServer(handler)
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () => Effect.sync(() => server.close())
    )
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
    return (method: string, path: string, body?: unknown) => call(url, { method, path, body, key: masterKey })
  })

describe("a store that is down", () => {
  it.effect("is a 503 that says when to come back, never a 401, with nothing of the machine in it", () =>
    Effect.gen(function* () {
      const send = yield* start(brokenStore)
      for (const [method, path, body] of [
        ["POST", "/admin/keys", {}],
        ["GET", "/admin/keys", undefined],
        ["GET", "/admin/keys/key_000000000000", undefined],
        ["PATCH", "/admin/keys/key_000000000000", {}],
        ["DELETE", "/admin/keys/key_000000000000", undefined],
        ["POST", "/admin/keys/key_000000000000/rotate", {}],
        ["GET", "/admin/teams/a", undefined],
        ["PUT", "/admin/teams/a", {}],
        ["POST", "/admin/deployments/disable", { deployment: "a" }],
        ["POST", "/admin/deployments/enable", { deployment: "a" }],
        ["GET", "/admin/spend", undefined],
        ["GET", "/admin/traffic", undefined],
        ["GET", "/admin/requests", undefined],
        ["GET", "/admin/requests/rcpt_1", undefined],
        ["GET", "/admin/audit", undefined],
        ["GET", "/admin/teams", undefined],
        ["POST", "/admin/session", { master_key: masterKey }],
        ["GET", "/admin/sessions", undefined],
        ["DELETE", "/admin/sessions", undefined]
      ] as const) {
        const answer = yield* send(method, path, body)
        assert.deepStrictEqual(rowOf(answer), [503, "server_error", "store_unavailable", null], `${method} ${path}`)
        assert.match(answer.headers["retry-after"] ?? "", /^[1-9]\d*$/)
        assert.notInclude(answer.text, "/data")
      }
      assert.strictEqual((yield* send("GET", "/healthz")).status, 200)
      const nodes = yield* send("GET", "/admin/nodes")
      assert.deepStrictEqual([nodes.status, nodes.json.trouble], [200, "it is down"])
    })
  )

  it.effect("is why the gateway is not ready, and since when, again with nothing of the machine", () =>
    Effect.gen(function* () {
      const answer = yield* (yield* start(brokenStore))("GET", "/readyz")
      assert.deepStrictEqual(rowOf(answer), [503, "server_error", "store_unavailable", null])
      assert.deepStrictEqual(answer.json.failing, [
        { check: "store", since: "1970-01-01T00:00:00.000Z", reason: "refused" }
      ])
      assert.notInclude(answer.text, "/data")
    })
  )
})

describe("a fault of the gateway itself", () => {
  it.effect("is a 500 in the one shape, with nothing of what it was", () =>
    Effect.gen(function* () {
      const send = yield* start(Layer.merge(brokenStore, insaneStore))
      for (const path of ["/admin/keys/key_000000000000", "/admin/deployments"]) {
        const answer = yield* send("GET", path)
        assert.deepStrictEqual(rowOf(answer), [500, "server_error", "internal_error", null], path)
        assert.match(String(answer.headers["x-request-id"]), /^req_/)
        assert.notMatch(answer.text, /mgw_|gateway\.db|pool/)
      }
    })
  )
})
