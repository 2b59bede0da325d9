/**
 * A whole gateway in memory: real limits, router, ledger and protocols over scripted providers, without a socket, a file or a
 * sleep. Time is Effect's: under `it.effect` the `TestClock` moves it.
 *
 * ```ts
 * it.effect("fails over, and the limit is free again after a minute", () =>
 *   Effect.gen(function* () {
 *     const gateway = yield* TestGateway
 *     const key = yield* gateway.createKey({ limits: { rpm: 1 } })
 *     const answer = yield* gateway.chat(key, "fast", "Hello")
 *     assert.strictEqual(answer.headers["x-gateway-retries"], "1")
 *     assert.strictEqual((yield* gateway.chat(key, "fast", "Hello")).status, 429)
 *     yield* TestClock.adjust("60 seconds")
 *     assert.strictEqual((yield* gateway.chat(key, "fast", "Hello")).status, 200)
 *   }).pipe(
 *     Effect.provide(
 *       TestGateway.layer({
 *         deployments: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"],
 *         models: { fast: ["openai/gpt-5-mini", "anthropic/claude-haiku-4-5"] },
 *         scripts: { openai: [Script.status(503)], anthropic: [Script.answer("Hi there")] }
 *       })
 *     )
 *   )
 * )
 * ```
 */
import type { BudgetInput } from "@model-gateway/protocol"
import { Cause, Clock, Console, Context, Effect, Fiber, Layer, Logger, Result } from "effect"
import { parseSettings } from "../config/ParseSettings.ts"
import type { ConfigInvalid } from "../config/Problem.ts"
import type { JsonObject } from "../core/domain/Json.ts"
import { KeyStore } from "../core/keys/KeyStore.ts"
import type { NewKey } from "../core/keys/NewKey.ts"
import { ProviderPool, type Rotation } from "../core/pool/ProviderPool.ts"
import type { Settings } from "../core/domain/Settings.ts"
import { defaultBytesInFlight } from "../core/limits/BytesInFlight.ts"
import { SpendLedger } from "../core/ledger/SpendLedger.ts"
import type { Budget, Limits } from "../core/domain/Budget.ts"
import type { StoreUnavailable } from "../core/domain/Errors.ts"
import { Telemetry } from "../core/domain/Telemetry.ts"
import { fleet, openCore, rules } from "../GatewayCore.ts"
import { toBudget } from "../http/records/Limits.ts"
import { errorsFor } from "../http/errors/AnthropicErrorShape.ts"
import { AuthThrottle } from "../http/shared/AuthThrottle.ts"
import { unknownPath } from "../http/routing/UnknownPaths.ts"
import { MasterKey } from "../http/shared/MasterKey.ts"
import type { Endpoint } from "../http/routing/Endpoint.ts"
import { makeProxy } from "../http/proxy/Proxy.ts"
import { replyError } from "../http/proxy/Reply.ts"
import { Readiness } from "../http/shared/Readiness.ts"
import { newRequestId } from "../http/shared/RequestId.ts"
import type { Vendor } from "../core/pool/Vendor.ts"
import { ProviderRegistry } from "../providers/catalogue/ProviderRegistry.ts"
import { allVendors, knownVendors } from "../providers/vendors/Vendors.ts"
import * as SqliteStore from "../storage/sqlite/file/SqliteStore.ts"
import { MemoryReply, MemoryRequest, type Sent } from "./MemoryWire.ts"
import { Script, type Scripts } from "./Script.ts"
import { answerOf, responseOf, type TestAnswer } from "./TestAnswer.ts"

/** The configuration of a test: the sections of `gateway.yaml` with the same names, and a script for each upstream. */
export interface TestOptions {
  /** Known vendors need no entry: their keys are made up. */
  readonly providers?: { readonly [name: string]: JsonObject }
  readonly deployments: ReadonlyArray<string | JsonObject>
  readonly models?: { readonly [alias: string]: string | ReadonlyArray<string> }
  readonly router?: JsonObject
  readonly failover?: JsonObject
  readonly guardrails?: JsonObject
  /** Entries are in memory. */
  readonly cache?: JsonObject
  /** What of it is not about the socket: `max_body_mb`, `max_upload_mb`, `max_bytes_in_flight_mb`, `early_keepalive`, `auth_failures_per_minute`. */
  readonly server?: JsonObject
  /** Endpoints beside those of the gateway. */
  readonly endpoints?: ReadonlyArray<Endpoint>
  readonly scripts: Scripts
}

/** A key's fields, all with a default. Budgets as `POST /admin/keys` takes them, or as the rules have them. */
export type TestKey = Omit<NewKey, "budgets" | "limits"> & {
  readonly limits?: Partial<Limits>
  readonly budgets?: ReadonlyArray<Budget | BudgetInput>
}

export class TestGateway extends Context.Service<
  TestGateway,
  {
    /** Makes a virtual key: its secret. */
    readonly createKey: (key?: TestKey) => Effect.Effect<string, StoreUnavailable>
    /** Any request under `/v1`, with its credential among the headers. Never fails: errors are responses. Interruption is a client disconnect. */
    readonly send: (request: Sent) => Effect.Effect<TestAnswer>
    /**
     * For the client of a vendor: `new OpenAI({ apiKey: key, baseURL: "http://gateway/v1", fetch: gateway.fetch })`. The host does not
     * matter. A stream is complete when it has ended. Abort is a client disconnect.
     */
    readonly fetch: typeof fetch
    /** `POST /v1/chat/completions` with one user message; `fields` are added to the body. */
    readonly chat: (secret: string, model: string, prompt: string, fields?: JsonObject) => Effect.Effect<TestAnswer>
    /** The same with a body of your own, and tags as `X-Gateway-Tags` has them. */
    readonly request: (secret: string, body: JsonObject, tags?: ReadonlyArray<string>) => Effect.Effect<TestAnswer>
    /** All that was spent so far, in USD. */
    readonly spent: Effect.Effect<number, StoreUnavailable>
    /** Takes a deployment out of rotation, or puts it back. */
    readonly setRotation: Rotation["setRotation"]
  }
>()("gateway/testing/TestGateway") {
  /** The gateway, its script to look at, and the services behind it. */
  static readonly layer = (options: TestOptions) =>
    TestGateway.layerOver(options).pipe(Layer.provideMerge(Script.layer(options.scripts)))

  /**
   * The same without the five services: `layerOpen(options).pipe(Layer.provide(mine), Layer.provide(TestGateway.defaults(options)))` is a
   * gateway with a service of your own.
   */
  static readonly layerOpen = (options: TestOptions) =>
    Layer.unwrap(
      Effect.map(settingsOf(options), (settings) => Layer.provide(over(settings, options.endpoints), faultsShown))
    )

  /** The five services as the product has them, over the scripts of the options and a store in memory. */
  static readonly defaults = (options: TestOptions) =>
    Layer.unwrap(Effect.map(settingsOf(options), defaultsOf)).pipe(Layer.provideMerge(Script.layer(options.scripts)))

  /** The same over a `Transport` of your own. */
  static readonly layerOver = (options: Omit<TestOptions, "scripts">) =>
    Layer.unwrap(
      Effect.map(settingsOf(options), (settings) =>
        Layer.provide(TestGateway.layerFor(settings, options.endpoints), faultsShown)
      )
    )

  /** The same with the settings of a configuration file. */
  static readonly layerFor = (settings: Settings, endpoints?: ReadonlyArray<Endpoint>) =>
    Layer.provideMerge(over(settings, endpoints), defaultsOf(settings))
}

/** Over the caller's own services. */
const over = (settings: Settings, endpoints?: ReadonlyArray<Endpoint>) =>
  Layer.effect(TestGateway, make(settings.server, endpoints)).pipe(
    Layer.provide([MasterKey.layer(settings.masterKey), AuthThrottle.layer(settings.server), Readiness.layer]),
    Layer.provide(Layer.succeed(Telemetry, { count: () => {}, gauge: () => {}, prometheus: () => "" })),
    Layer.provideMerge(openCore)
  )

const defaultsOf = (settings: Settings) =>
  Layer.provideMerge(rules, Layer.mergeAll(fleet(settings), SqliteStore.layerMemory))

/** Writes the log lines of a 500 to the console of the process: a test's own console shows nothing. */
const faultsShown = Logger.layer(
  [
    Logger.make<unknown, void>(({ cause, logLevel, message }) => {
      if (logLevel !== "Error" && logLevel !== "Fatal") return
      const words = Array.isArray(message) ? message : [message]
      const faults = words.map((one) => (Cause.isCause(one) ? Cause.pretty(one) : one))
      Console.Console.defaultValue().error(...faults, ...(cause.reasons.length === 0 ? [] : [Cause.pretty(cause)]))
    })
  ],
  { mergeWithExisting: true }
)

const make = Effect.fnUntraced(function* (server: Settings["server"], endpoints?: ReadonlyArray<Endpoint>) {
  const keys = yield* KeyStore
  const ledger = yield* SpendLedger
  const pool = yield* ProviderPool
  const proxy = yield* makeProxy(
    { ...server, maxBytesInFlight: server.maxBytesInFlight ?? defaultBytesInFlight() },
    endpoints
  )

  const createKey = (key: TestKey = {}) =>
    keys
      .create({
        ...key,
        budgets: (key.budgets ?? []).map((one) => ("usd" in one ? toBudget(one) : one)),
        limits: { rpm: undefined, tpm: undefined, maxParallel: undefined, ...key.limits }
      })
      .pipe(Effect.map(({ secret }) => secret))

  const send = Effect.fnUntraced(function* (sent: Sent) {
    const now = yield* Clock.currentTimeMillis
    const reply = new MemoryReply()
    const match = proxy.match(sent.method, sent.path)
    const params = match !== undefined && "params" in match ? match.params : {}
    const request = new MemoryRequest(sent, reply, params, newRequestId(now))
    if (match === undefined) {
      reply.errors = errorsFor(request)
      replyError(reply, sent.method, request.echoedId, unknownPath(sent.method, sent.path), now)
      return answerOf(reply)
    }
    yield* Effect.uninterruptibleMask((restore) => {
      const answering = proxy.serve(match, request, reply)
      return Effect.onInterrupt(restore(Fiber.await(answering)), () => {
        reply.destroy()
        return proxy.left(request, answering) ? Effect.void : Fiber.await(answering)
      })
    })
    return answerOf(reply)
  })

  const request = (secret: string, body: JsonObject, tags: ReadonlyArray<string> = []): Effect.Effect<TestAnswer> =>
    send({
      method: "POST",
      path: "/v1/chat/completions",
      headers: {
        authorization: `Bearer ${secret}`,
        "content-type": "application/json",
        ...(tags.length === 0 ? {} : { "x-gateway-tags": tags.join(",") })
      },
      body
    })

  const run = Effect.runPromiseWith(yield* Effect.context<never>())

  return TestGateway.of({
    createKey,
    send,
    fetch: async (input, init) => {
      const given = new Request(input, init)
      const { pathname, search } = new URL(given.url)
      const body = new Uint8Array(await given.arrayBuffer())
      const headers = Object.fromEntries(given.headers)
      const sent = {
        method: given.method,
        path: pathname + search,
        headers,
        body: body.length === 0 ? undefined : body
      }
      return responseOf(await run(send(sent), { signal: given.signal }))
    },
    request,
    chat: (secret, model, prompt, fields = {}) =>
      request(secret, { model, messages: [{ role: "user", content: prompt }], ...fields }),
    spent: Effect.gen(function* () {
      const to = (yield* Clock.currentTimeMillis) + 1
      const all = { key: undefined, team: undefined, model: undefined, provider: undefined }
      const rows = yield* ledger.spend({ visibility: "all", from: 0, to, timeZone: "UTC", ...all, groupBy: [] })
      return rows.reduce((sum, row) => sum + row.cost, 0) / 1e9
    }),
    setRotation: pool.setRotation
  })
})

/** Opens nothing: the gateway under test has no `/admin`. */
const MASTER_KEY = "mk_pQ7vXw2LkT9sZr4NcB8hJd5GfY3mAe6U"

/** A provider of this vendor, with a made-up key and address. */
const madeUp = ({ baseUrl, name }: Vendor): JsonObject =>
  baseUrl === "" || baseUrl.includes("{")
    ? { api_key: "test", base_url: `https://${name}.test/v1` }
    : { api_key: "test" }

/** The vendors are those that `ProviderRegistry` has. */
const settingsOf = (given: Partial<TestOptions>): Effect.Effect<Settings, ConfigInvalid> =>
  Effect.flatMap(ProviderRegistry, (registry) => {
    const own = [...registry.vendors.values()].filter((vendor) => !allVendors.includes(vendor))
    return Effect.fromResult(parsed(given, [...knownVendors, ...own]))
  })

const parsed = (
  given: Partial<TestOptions>,
  vendors: ReadonlyArray<Vendor>
): Result.Result<Settings, ConfigInvalid> => {
  const { endpoints: _, scripts: __, ...options } = given
  const withKeys = vendors.filter((vendor) => vendor.apiKeyVariable !== undefined)
  const known = Object.fromEntries(withKeys.map((vendor) => [vendor.name, madeUp(vendor)]))
  const named = Object.entries(options.providers ?? {}).map(([name, fields]) => [name, { api_key: "none", ...fields }])
  const config = { master_key: MASTER_KEY, ...options, providers: { ...known, ...Object.fromEntries(named) } }
  return parseSettings(JSON.stringify(config), {
    file: "test.json",
    vendors,
    environment: {},
    readFile: () => Result.fail("a test reads no files")
  })
}
