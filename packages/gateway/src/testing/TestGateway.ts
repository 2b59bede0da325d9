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
import { Clock, Context, Effect, Fiber, Layer, Result, Stream } from "effect"
import { parseSettings } from "../config/ParseSettings.ts"
import type { ConfigInvalid } from "../config/Problem.ts"
import type { JsonObject } from "../core/domain/Json.ts"
import { chat } from "../core/operations/chat/Chat.ts"
import { Departure } from "../core/call/Departure.ts"
import { Gateway } from "../core/call/Gateway.ts"
import { KeyStore, type NewKey } from "../core/keys/KeyStore.ts"
import { parseChat } from "../core/operations/ParseChat.ts"
import { ProviderPool } from "../core/pool/ProviderPool.ts"
import { RateLimiter } from "../core/limits/RateLimiter.ts"
import type { Settings } from "../core/domain/Settings.ts"
import { SpendLedger } from "../core/ledger/SpendLedger.ts"
import type { Limits } from "../core/domain/Budget.ts"
import type { StoreUnavailable } from "../core/domain/Errors.ts"
import { answerHeaders } from "../http/proxy/AnswerHeaders.ts"
import { errorEvent } from "../http/proxy/Reply.ts"
import { newRequestId } from "../http/RequestId.ts"
import { wireError } from "../http/WireError.ts"
import { knownVendors } from "../providers/vendors/Vendors.ts"
import { fleet, gatewayCore } from "../GatewayCore.ts"
import * as SqliteStore from "../storage/sqlite/file/SqliteStore.ts"
import { Script, type Scripts } from "./Script.ts"

/** The configuration of a test: the sections of `gateway.yaml` with the same names, and a script for each upstream. */
export interface TestOptions {
  /** Known vendors need no entry: their keys are made up. */
  readonly providers?: { readonly [name: string]: JsonObject }
  readonly deployments: ReadonlyArray<string | JsonObject>
  readonly models?: { readonly [alias: string]: string | ReadonlyArray<string> }
  readonly router?: JsonObject
  readonly failover?: JsonObject
  readonly scripts: Scripts
}

/** What a caller would see on the wire. Header names are in lower case. */
export interface TestAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  /** The JSON of a plain answer or of an error; empty for a stream. */
  readonly body: JsonObject
  /** A stream's data events in order, parsed; `[DONE]` is the string. */
  readonly events: ReadonlyArray<unknown>
  /** The text of the answer, streamed or not; "" for an error. */
  readonly text: string
}

/** A key's fields, all with a default. */
export type TestKey = Partial<Omit<NewKey, "limits">> & { readonly limits?: Partial<Limits> }

export class TestGateway extends Context.Service<
  TestGateway,
  {
    /** Makes a virtual key: its secret. */
    readonly createKey: (key?: TestKey) => Effect.Effect<string, StoreUnavailable>
    /** `POST /v1/chat/completions` with one user message; `fields` are added to the body. Never fails: errors are answers. */
    readonly chat: (secret: string, model: string, prompt: string, fields?: JsonObject) => Effect.Effect<TestAnswer>
    /** The same with a body of your own, and tags as `X-Gateway-Tags` has them. Interrupted: the caller hung up. */
    readonly request: (secret: string, body: JsonObject, tags?: ReadonlyArray<string>) => Effect.Effect<TestAnswer>
    /** All that was spent so far, in USD. */
    readonly spent: Effect.Effect<number, StoreUnavailable>
    /** Takes a deployment out of rotation, or puts it back. */
    readonly setRotation: ProviderPool["Service"]["setRotation"]
  }
>()("gateway/testing/TestGateway") {
  /** The gateway, its script to look at, and the services behind it. */
  static readonly layer = (options: TestOptions) =>
    TestGateway.layerOver(options).pipe(Layer.provideMerge(Script.layer(options.scripts)))

  /** The same over a `Transport` of your own. */
  static readonly layerOver = (options: Omit<TestOptions, "scripts">) =>
    Layer.unwrap(
      Effect.map(Effect.fromResult(settingsOf(options)), (settings) =>
        Layer.effect(TestGateway, make).pipe(
          Layer.provideMerge(gatewayCore),
          Layer.provide(Layer.mergeAll(fleet(settings), SqliteStore.layerMemory))
        )
      )
    )
}

const make = Effect.gen(function* () {
  const keys = yield* KeyStore
  const gateway = yield* Gateway
  const limiter = yield* RateLimiter
  const ledger = yield* SpendLedger
  const pool = yield* ProviderPool

  const createKey = (key: TestKey = {}) =>
    keys
      .create({
        name: null,
        team: null,
        models: [],
        budgets: [],
        tags: [],
        metadata: {},
        onUnknownPrice: undefined,
        expiresAt: null,
        ...key,
        limits: { rpm: undefined, tpm: undefined, maxParallel: undefined, ...key.limits }
      })
      .pipe(Effect.map(({ secret }) => secret))

  const scope = yield* Effect.scope
  const answered = Effect.fnUntraced(function* (
    secret: string,
    body: JsonObject,
    tags: ReadonlyArray<string>,
    departure: Departure
  ) {
    const caller = yield* keys.authenticate(secret)
    const request = yield* Effect.fromResult(parseChat(body, Buffer.byteLength(JSON.stringify(body))))
    const answer = yield* gateway.call(chat, {
      requestId: newRequestId(yield* Clock.currentTimeMillis),
      caller,
      endpoint: "/v1/chat/completions",
      request,
      noFallback: false,
      strict: false,
      streamRecovery: undefined,
      tags: [...caller.key.tags, ...tags],
      departure
    })
    const headers = answerHeaders(answer.report, yield* limiter.allowances(caller), ledger.remaining(caller))
    if (answer.kind === "whole") {
      const body = JSON.parse(answer.text) as JsonObject
      return { status: 200, headers, body, events: [], text: textOf([body]) }
    }
    const wire = yield* Stream.mkString(
      answer.events.pipe(
        Stream.catch((error) => Stream.fromEffect(Effect.map(Clock.currentTimeMillis, (now) => errorEvent(error, now))))
      )
    )
    const events = eventsIn(wire)
    return { status: 200, headers, body: {}, events, text: textOf(events) }
  })

  /** Interruption is the caller's leaving: the request may go on without it, as it does behind the port. */
  const leavable = <A, E>(run: (departure: Departure) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.uninterruptibleMask((restore) => {
      const departure = new Departure()
      return Effect.flatMap(Effect.forkIn(restore(run(departure)), scope), (fiber) =>
        Effect.onInterrupt(restore(Fiber.join(fiber)), () => {
          const later = departure.leave(() => fiber.interruptUnsafe())
          return later === undefined ? Fiber.await(fiber) : Effect.forkIn(later, scope)
        })
      )
    })

  const request = (secret: string, body: JsonObject, tags: ReadonlyArray<string> = []): Effect.Effect<TestAnswer> =>
    leavable((departure) => Effect.scoped(answered(secret, body, tags, departure))).pipe(
      Effect.catch((error) =>
        Effect.map(Clock.currentTimeMillis, (now): TestAnswer => {
          const { body, headers, status } = wireError(error, now)
          return { status, headers, body, events: [], text: "" }
        })
      )
    )

  return TestGateway.of({
    createKey,
    request,
    chat: (secret, model, prompt, fields = {}) =>
      request(secret, { model, messages: [{ role: "user", content: prompt }], ...fields }),
    spent: Effect.gen(function* () {
      const to = (yield* Clock.currentTimeMillis) + 1
      const all = { key: undefined, team: undefined, model: undefined, provider: undefined }
      const rows = yield* ledger.spend({ from: 0, to, timeZone: "UTC", ...all, groupBy: [] })
      return rows.reduce((sum, row) => sum + row.cost, 0) / 1e9
    }),
    setRotation: pool.setRotation
  })
})

/** Opens nothing: the gateway under test has no `/admin`. */
const MASTER_KEY = "mk_pQ7vXw2LkT9sZr4NcB8hJd5GfY3mAe6U"

const settingsOf = (given: Partial<TestOptions>): Result.Result<Settings, ConfigInvalid> => {
  const { scripts: _, ...options } = given
  const vendors = knownVendors.filter((vendor) => vendor.apiKeyVariable !== undefined)
  const known = Object.fromEntries(vendors.map((vendor) => [vendor.name, { api_key: "test" }]))
  const named = Object.entries(options.providers ?? {}).map(([name, fields]) => [name, { api_key: "none", ...fields }])
  const config = { master_key: MASTER_KEY, ...options, providers: { ...known, ...Object.fromEntries(named) } }
  return parseSettings(JSON.stringify(config), {
    file: "test.json",
    vendors: knownVendors,
    environment: {},
    readFile: () => Result.fail("a test reads no files")
  })
}

const eventsIn = (wire: string): ReadonlyArray<unknown> =>
  wire
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => event.slice("data: ".length))
    .map((data): unknown => (data === "[DONE]" ? data : JSON.parse(data)))

interface Spoken {
  readonly choices?: ReadonlyArray<{
    readonly delta?: { readonly content?: string | null }
    readonly message?: { readonly content?: string | null }
  }>
}

const textOf = (bodies: ReadonlyArray<unknown>): string =>
  bodies
    .flatMap((body) => (body as Spoken).choices ?? [])
    .map((choice) => (choice.delta ?? choice.message)?.content ?? "")
    .join("")
