/**
 * A gateway of several processes: this one owns the store and the administration, and hands connections out to its workers, which
 * answer callers of `/v1` and call providers. A worker that dies takes its own requests along and is started again; if this process
 * dies, all end.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Clock, Effect, Layer, Schedule } from "effect"
import * as Alerts from "../core/alerts/Alerts.ts"
import { AbandonedRule } from "../core/domain/AbandonedRule.ts"
import { About } from "../core/domain/About.ts"
import { IdempotencyQuota } from "../core/idempotency/Idempotency.ts"
import { AnswerSizes } from "../core/domain/AnswerSizes.ts"
import { CatalogueState, CatalogueStates } from "../core/domain/models/CatalogueState.ts"
import type { Settings } from "../core/domain/Settings.ts"
import { StoreHealth } from "../core/domain/StoreHealth.ts"
import { ResponseSettings } from "../core/responses/ResponseSettings.ts"
import { SignInCodes } from "../core/administration/SignInCodes.ts"
import { fleet, gatewayCore } from "../GatewayCore.ts"
import { systemAndAdmin } from "../http/node/AdminListener.ts"
import { HttpServer } from "../http/node/HttpServer.ts"
import { Readiness } from "../http/Readiness.ts"
import * as WebhookSenderLive from "../providers/transport/WebhookSenderLive.ts"
import { Transports } from "../providers/transport/Transports.ts"
import * as Reload from "../Reload.ts"
import { aboutOf, doors, store, telemetry } from "../Server.ts"
import { Crew } from "./Crew.ts"
import * as CrewNodes from "./CrewNodes.ts"
import * as CrewPool from "./CrewPool.ts"
import { answerForwarded } from "./Forward.ts"
import { hiring } from "./Hiring.ts"
import { workersOf } from "./HowMany.ts"
import * as OwnedStore from "./OwnedStore.ts"
import { settingsToSend } from "./SettingsOverIpc.ts"
import type { Start } from "./Worker.ts"

/** Beyond the time that requests have to end. */
const LAST_WORDS_MS = 10_000
/** Between a worker's death and the next one in its place, where they die at once; twice as long each time, up to the second figure. */
const FIRST_WAIT_MS = 100
const LONGEST_WAIT_MS = 5_000
/** Who lived as long did not die at once. */
const LIVED_MS = 10_000

/** As `Server.layer`. */
export const layer = (settings: Settings, load?: Reload.Load, file?: Reload.Show) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      const crew = new Crew()
      const socket = join(yield* privateFolder, "owner.sock")
      let inForce = settings
      const applied = (next: Settings) => {
        const { aliasRules, catalogue, deployments, failover, models, providers, router } = next
        inForce = { ...settings, providers, deployments, models, router, failover }
        if (aliasRules !== undefined) inForce = { ...inForce, aliasRules }
        if (catalogue !== undefined) inForce = { ...inForce, catalogue }
      }
      const startOf = (number: number): Start => ({
        settings: settingsToSend(inForce),
        reserve: settings.store.reserve,
        part: { index: number - 1, of: workersOf(settings) },
        socket
      })
      // What this process took over, every worker takes over; one that can't is ended, and the next one starts with it.
      const everywhere = Effect.suspend(() => crew.everyone("settings", settingsToSend(inForce)))
      const configuration = load === undefined ? Layer.empty : Reload.layer(settings, load, applied, file, everywhere)
      const admin = Layer.effectDiscard(
        Effect.flatMap(systemAndAdmin(settings.server), (listener) => answerForwarded(socket, listener))
      )
      return Layer.effect(HttpServer, staffed(crew, settings, startOf)).pipe(
        Layer.provideMerge(admin),
        Layer.provideMerge(Layer.merge(Readiness.layer, SignInCodes.layer)),
        Layer.provide(doors(settings)),
        Layer.provide(Layer.succeed(About, aboutOf(settings, startedAt))),
        Layer.provide(telemetry),
        Layer.provideMerge(
          Layer.merge(configuration, Layer.provide(Alerts.layer(settings.alerts), WebhookSenderLive.layer))
        ),
        Layer.provideMerge(Layer.merge(CrewPool.layer(crew), CrewNodes.layer(crew, workersOf(settings)))),
        Layer.provideMerge(gatewayCore),
        Layer.provide(
          Layer.mergeAll(
            fleet(settings),
            Transports.layer(() => inForce.providers)
          )
        ),
        Layer.provideMerge(OwnedStore.layer(crew)),
        Layer.provide(store(settings)),
        Layer.provide(Layer.succeed(AbandonedRule, settings.store.abandoned)),
        Layer.provide(Layer.succeed(ResponseSettings, settings.responses)),
        Layer.provide(Layer.succeed(IdempotencyQuota, settings.idempotency)),
        Layer.provide(Layer.succeed(AnswerSizes, settings.server.answerSizes)),
        Layer.provide(Layer.sync(CatalogueState, () => new CatalogueStates()))
      )
    })
  )

/** For the socket: nobody else may come in. */
const privateFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "model-gateway-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** Starts the workers, keeps their number, and lets them drain when the scope closes. */
const staffed = Effect.fnUntraced(function* (crew: Crew, settings: Settings, startOf: (number: number) => Start) {
  const readiness = yield* Readiness
  const health = yield* StoreHealth
  const hire = yield* hiring(crew, startOf)
  let isStopping = false

  const keep = (number: number, first: ReturnType<typeof hire>) =>
    Effect.gen(function* () {
      let hired = first
      let wait = FIRST_WAIT_MS
      for (;;) {
        yield* hired.gone
        if (isStopping) return
        const lived = (yield* Clock.currentTimeMillis) - hired.member.startedAt
        wait = lived > LIVED_MS ? FIRST_WAIT_MS : Math.min(2 * wait, LONGEST_WAIT_MS)
        yield* Effect.logError(`worker ${number} (process ${hired.member.pid}) died: another one takes its place`)
        yield* Effect.sleep(wait)
        if (isStopping) return
        crew.restarts++
        hired = yield* Effect.retry(
          Effect.tapError(Effect.try({ try: () => hire(number), catch: String }), (reason) =>
            Effect.logError(`worker ${number} could not be started: ${reason}`)
          ),
          Schedule.spaced(LONGEST_WAIT_MS)
        )
      }
    })

  const crewed = Array.from({ length: workersOf(settings) }, (_, index) => hire(index + 1))
  yield* Effect.addFinalizer(() =>
    Effect.gen(function* () {
      isStopping = true
      readiness.drain()
      const hired = [...crew.members]
      crew.tell("stop")
      const hurried = Effect.andThen(
        readiness.hurried,
        Effect.sync(() => crew.tell("hurry"))
      )
      yield* Effect.forkChild(hurried)
      const all = Effect.repeat(
        Effect.sync(() => crew.members.size),
        { schedule: Schedule.spaced("20 millis"), while: (left) => left > 0 }
      )
      yield* Effect.timeoutOption(
        all,
        settings.server.shutdownDelayMs + settings.server.shutdownGraceMs + LAST_WORDS_MS
      )
      yield* Effect.forEach(
        hired.filter((member) => crew.members.has(member)),
        ({ kill }) => kill,
        { concurrency: "unbounded", discard: true }
      )
    })
  )
  const [address] = yield* Effect.forEach(crewed, ({ ready }) => ready, { concurrency: "unbounded" })
  yield* Effect.forEach(crewed, (hired) => Effect.forkScoped(keep(hired.member.number, hired)), { discard: true })

  let told: string | undefined
  const tellTrouble = Effect.sync(() => {
    const trouble = health.trouble()
    if (trouble?.message === told) return
    told = trouble?.message
    crew.tell("store", trouble)
  })
  const inTrouble = { schedule: Schedule.spaced("50 millis"), while: () => health.trouble() !== undefined }
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(health.troubled, Effect.repeat(tellTrouble, inTrouble))))
  yield* Effect.forkScoped(Effect.repeat(crew.look, Schedule.spaced("1 second")))
  return address!
})
