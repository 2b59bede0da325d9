/**
 * A whole gateway in this process, as the composition root builds it, on a port of its own. What a test does to it goes through
 * that port; what it left in the books is read from its store.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { HostAddresses } from "../../src/providers/transport/PrivateHost.ts"
import { internet } from "../../src/providers/transport/PublicFetch.ts"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Context, Effect, Layer, Result, type Scope } from "effect"
import OpenAI, { type ClientOptions } from "openai"
import { parseSettings } from "../../src/config/ParseSettings.ts"
import { SignInCodes } from "../../src/core/admin/SignInCodes.ts"
import { IdentityRepository } from "../../src/core/admin/IdentityRepository.ts"
import { SessionRepository } from "../../src/core/admin/SessionRepository.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import type { NewKey } from "../../src/core/keys/NewKey.ts"
import { ProviderPool } from "../../src/core/pool/ProviderPool.ts"
import { ReceiptEvents } from "../../src/core/receipts/ReceiptEvents.ts"
import { HttpServer } from "../../src/http/server/HttpServer.ts"
import { Readiness } from "../../src/http/shared/Readiness.ts"
import { type MoreProviders, ProviderRegistry, registryOf } from "../../src/providers/catalogue/ProviderRegistry.ts"
import { knownVendors } from "../../src/providers/vendors/Vendors.ts"
import * as Server from "../../src/Server.ts"
import { FreeBytes } from "../../src/storage/sqlite/file/DiskReserve.ts"
import { type Answered, call } from "./RawHttp.ts"

export const masterKey = "p2Y3Y96tNPjhr8M+ZB/oguEYIrwPxX2sQDfgVoQ5OfZl"

/** Every answering demo model in its bucket, and some that misbehave. */
export const demoYaml = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/standard, demo/large, demo/reasoner, demo/status-500, demo/cut-3]
models: { failover: [demo/status-500, demo/mini], fast: [demo/mini] }
router:
  buckets: { simple: [demo/mini], standard: [demo/standard], complex: [demo/large], reasoning: [demo/reasoner] }
failover: { base_delay: 1ms }
`

export interface GatewayOptions {
  /** The configuration without master key and store; the demo provider's when left out. */
  readonly yaml?: string
  /** The store of an earlier gateway, for a restart; a new one when left out. */
  readonly store?: string
  /** Bytes that are free on the store's disk; the real ones when left out. */
  readonly freeBytes?: () => number
  /** Another master key than `masterKey`. */
  readonly masterKey?: string
  /** Vendors and protocols beside those that ship. */
  readonly more?: MoreProviders | undefined
}

/** A row of the ledger. Amounts in nano-USD. */
export interface LedgerRow {
  readonly request_id: string
  readonly attempt: number
  readonly key_id: string
  readonly deployment: string
  readonly operation: string
  readonly tags: string
  readonly status: "reserved" | "settled" | "void" | "abandoned"
  readonly reserved: number
  readonly cost: number
  readonly estimated: number
  readonly input: number
  readonly cached_input: number
  readonly cache_write: number
  readonly output: number
  readonly reasoning: number
  readonly price_source: string | null
  readonly price_version: string | null
  /** What is rare, as JSON. */
  readonly details: string | null
}

export interface RunningGateway {
  readonly url: string
  /** Of the port for administration; `url` where there is none. */
  readonly adminUrl: string
  readonly keys: KeyStore["Service"]
  readonly identities: IdentityRepository["Service"]
  readonly sessions: SessionRepository["Service"]
  readonly pool: ProviderPool["Service"]
  readonly readiness: Readiness["Service"]
  readonly requests: ReceiptEvents["Service"]
  /** A virtual key. Without limits, unless some are given. */
  readonly createKey: (key?: NewKey) => Effect.Effect<{ readonly id: string; readonly secret: string }>
  /** The vendor's own client. It does not retry, so that one call of a test is one request, unless it is told to. */
  readonly client: (secret: string, options?: ClientOptions) => OpenAI
  /** The code of a link that signs a browser in. */
  readonly signInCode: Effect.Effect<string>
  /** A call of the admin API with the master key. */
  readonly admin: (method: string, path: string, body?: object) => Effect.Effect<Answered>
  readonly ledger: Effect.Effect<ReadonlyArray<LedgerRow>>
}

/** Runs until the scope closes. It does not wait for streams that are still open then. */
export const startGateway = (options: GatewayOptions = {}): Effect.Effect<RunningGateway, never, Scope.Scope> =>
  Effect.orDie(start(options))

const start = Effect.fnUntraced(function* (options: GatewayOptions) {
  const store = options.store ?? (yield* temporaryStore)
  const parsed = parseSettings(`master_key: "${options.masterKey ?? masterKey}"\n${options.yaml ?? demoYaml}`, {
    file: "gateway.yaml",
    vendors: [...knownVendors, ...(options.more?.vendors ?? [])],
    environment: {},
    readFile: () => Result.fail("a test's configuration reads no files")
  })
  const read = yield* Effect.fromResult(parsed)
  const settings = {
    ...read,
    server: { ...read.server, host: "127.0.0.1", port: 0 },
    store: { ...read.store, sqlite: store }
  }
  const registry = Layer.succeed(ProviderRegistry, registryOf(options.more))
  const { freeBytes } = options
  const disk = freeBytes === undefined ? Layer.empty : Layer.succeed(FreeBytes, freeBytes)
  const addresses = yield* HostAddresses
  const context = yield* Layer.build(Layer.provide(Server.reloadable(settings), [registry, disk])).pipe(
    // No test looks up a name of the internet.
    Effect.provideService(HostAddresses, addresses === internet.resolve ? () => Promise.resolve([]) : addresses)
  )
  const { adminUrl, url } = Context.get(context, HttpServer)
  const keys = Context.get(context, KeyStore)
  const readiness = Context.get(context, Readiness)
  yield* Effect.addFinalizer(() => readiness.hurry)
  return {
    url,
    adminUrl,
    keys,
    identities: Context.get(context, IdentityRepository),
    sessions: Context.get(context, SessionRepository),
    pool: Context.get(context, ProviderPool),
    readiness,
    requests: Context.get(context, ReceiptEvents),
    createKey: (key = {}) =>
      keys.create(key).pipe(
        Effect.map(({ record, secret }) => ({ id: record.id, secret })),
        Effect.orDie
      ),
    client: (secret, given = {}) => new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, maxRetries: 0, ...given }),
    signInCode: Context.get(context, SignInCodes).issue,
    admin: (method, path, body) =>
      call(adminUrl, { method, path, key: masterKey, ...(body === undefined ? {} : { body }) }),
    ledger: Effect.sync(() => ledgerOf(store))
  } satisfies RunningGateway as RunningGateway
})

const unlimited = { rpm: undefined, tpm: undefined, maxParallel: undefined }

/** Limits of a key or team, those left out unlimited. */
export const limits = (given: Partial<typeof unlimited> | { rpm?: number; tpm?: number; maxParallel?: number }) => ({
  ...unlimited,
  ...given
})

/** All rows of a store, in the order they were made. Also while a gateway runs on it. */
export const ledgerOf = (store: string): ReadonlyArray<LedgerRow> => {
  const db = new DatabaseSync(store, { readOnly: true })
  try {
    return db.prepare("SELECT * FROM ledger ORDER BY id").all() as unknown as ReadonlyArray<LedgerRow>
  } finally {
    db.close()
  }
}

/** The path of a store that does not exist yet; its folder is gone when the scope closes. */
export const temporaryStore = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-acceptance-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "gateway.db")
)
