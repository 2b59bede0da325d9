/** A worker: it answers callers of `/v1` and calls providers. All that lasts is its owner's. */
import { Effect, Fiber, Layer } from "effect"
import { fleet, fleetOf, workerCore } from "../GatewayCore.ts"
import { Generations } from "../Generations.ts"
import { AbandonedRule } from "../core/domain/AbandonedRule.ts"
import { defaultBytesInFlight } from "../core/limits/BytesInFlight.ts"
import { AnswerSizes } from "../core/domain/AnswerSizes.ts"
import type { Settings } from "../core/domain/Settings.ts"
import type { ProcessVitals } from "../core/nodes/Workers.ts"
import { ProviderPool } from "../core/pool/ProviderPool.ts"
import { ReceiptEvents } from "../core/receipts/ReceiptEvents.ts"
import { ResponseSettings } from "../core/responses/ResponseSettings.ts"
import { AuthThrottle } from "../http/AuthThrottle.ts"
import { MasterKey } from "../http/MasterKey.ts"
import { HttpServer } from "../http/node/HttpServer.ts"
import { Readiness } from "../http/Readiness.ts"
import { ProviderRegistry } from "../providers/catalogue/ProviderRegistry.ts"
import { Transports } from "../providers/transport/Transports.ts"
import { ownVitals } from "../telemetry/metrics/ProcessMetrics.ts"
import { type Channel, InWords } from "./Channel.ts"
import { forwarding } from "./Forward.ts"
import { receiptLine } from "./ReceiptOverIpc.ts"
import { settingsReceived } from "./SettingsOverIpc.ts"
import * as WorkerPorts from "./WorkerPorts.ts"

/** What a worker is given when it starts. */
export interface Start {
  readonly settings: unknown
  readonly reserve: WorkerPorts.Reserve
  /** Of this worker's part of what is limited for the whole machine. */
  readonly part: Part
  /** The owner's socket. */
  readonly socket: string
}

export interface Part {
  /** 0 is the first. */
  readonly index: number
  readonly of: number
}

const STATE_EVERY = "1 second"

/** Serves until it is told to stop, then drains. `channel` is open. `beside`: what runs once it serves. */
export const serveAsWorker = Effect.fnUntraced(function* (channel: Channel, start: Start, beside: Effect.Effect<void>) {
  const settings = partOf(settingsReceived(start.settings), start.part)
  let { providers } = settings
  const core = workerCore.pipe(
    Layer.provideMerge(WorkerPorts.layer(channel, start.reserve)),
    Layer.provide([fleet(settings), Transports.layer(() => providers)])
  )
  const http = HttpServer.layer(settings.server, Effect.succeed(forwarding(start.socket))).pipe(
    Layer.provideMerge(Readiness.layer),
    Layer.provide([MasterKey.layer(settings.masterKey), AuthThrottle.layer(settings.server)])
  )
  const gateway = http.pipe(
    Layer.provideMerge(core),
    Layer.provide([
      Layer.succeed(AbandonedRule, settings.store.abandoned),
      Layer.succeed(ResponseSettings, settings.responses),
      Layer.succeed(AnswerSizes, settings.server.answerSizes)
    ])
  )
  const serving = Effect.gen(function* () {
    const generations = yield* Generations
    const pool = yield* ProviderPool
    const events = yield* ReceiptEvents
    const readiness = yield* Readiness
    const { vendors } = yield* ProviderRegistry
    const run = Effect.runForkWith(yield* Effect.context<never>())
    let keepsPrompts = isKept(settings)
    events.listen((receipt, prompt) => {
      const line = new InWords((name) => receiptLine(receipt, name))
      if (keepsPrompts && prompt !== undefined) channel.mention("receipt", line, prompt)
      else channel.mention("receipt", line)
    })
    channel.answer("settings", (sent: unknown) => {
      const next = partOf(settingsReceived(sent), start.part)
      return Effect.map(Effect.orDie(generations.replace(fleetOf(next, vendors))), () => {
        providers = next.providers
        keepsPrompts = isKept(next)
      })
    })
    channel.answer("rotate", (ids: ReadonlyArray<string>, inRotation: boolean) =>
      Effect.asVoid(Effect.ignore(pool.setRotation(ids, inRotation)))
    )
    channel.answer("reset", (ids: ReadonlyArray<string>) => Effect.asVoid(Effect.ignore(pool.reset(ids))))
    channel.listen("hurry", () => void run(readiness.hurry))
    const vitals = yield* ownVitals
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(tellState(channel, pool, vitals), Effect.sleep(STATE_EVERY)))
    )
    channel.tell("ready", { ...(yield* HttpServer) })
    yield* Effect.forkScoped(beside)
    return yield* Effect.never
  })
  const fiber = yield* Effect.forkChild(Effect.provide(serving, gateway))
  const run = Effect.runForkWith(yield* Effect.context<never>())
  channel.listen("stop", () => void run(Fiber.interrupt(fiber)))
  return yield* Fiber.await(fiber)
}, Effect.scoped)

const isKept = ({ router }: Settings): boolean => router.keepPrompts !== undefined && router.keepPrompts !== "off"

const tellState = (channel: Channel, pool: ProviderPool["Service"], vitals: ProcessVitals) =>
  Effect.map(pool.status, (all) => {
    channel.tell("state", {
      vitals: { ...vitals },
      deployments: all.map(({ deployment: { id }, health, inFlight, keys }) => ({ id, health, inFlight, keys })),
      loads: Object.fromEntries(
        all.map(({ deployment: { id } }) => {
          const { open, waiting } = pool.load(id)
          return [id, { open, waiting }]
        })
      )
    })
  })

/** The memory, and what providers and deployments can take at once, is divided among the workers, at least one for each. */
const partOf = (settings: Settings, { index, of }: Part): Settings => {
  const share = (all: number) => Math.max(1, Math.floor(all / of) + (index < all % of ? 1 : 0))
  return {
    ...settings,
    server: {
      ...settings.server,
      maxBytesInFlight: share(settings.server.maxBytesInFlight ?? defaultBytesInFlight())
    },
    providers: settings.providers.map((one) => ({ ...one, maxConnections: share(one.maxConnections) })),
    deployments: settings.deployments.map((one) => ({
      ...one,
      maxInFlight: one.maxInFlight === undefined ? undefined : share(one.maxInFlight)
    }))
  }
}
