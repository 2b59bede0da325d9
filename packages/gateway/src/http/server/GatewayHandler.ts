/** The gateway as a listener of `node:http`, for its own server or an application's: proxy paths, and all others behind. */
import { Clock, Context, Effect, Layer, Scheduler } from "effect"
import { SharedScheduler } from "../../core/collections/Together.ts"
import { defaultBytesInFlight } from "../../core/limits/BytesInFlight.ts"
import type { Settings } from "../../core/domain/Settings.ts"
import { inTurn } from "../node/ConnectionState.ts"
import { wellFormed } from "../node/ParserErrors.ts"
import { withoutAdministration } from "../node/PublicPaths.ts"
import { makeCors } from "../proxy/Cors.ts"
import { makeProxy } from "../proxy/Proxy.ts"
import { Readiness } from "../shared/Readiness.ts"
import { type HttpListener, proxyListener } from "./ProxyListener.ts"
import { type ResponsesSockets, responsesSockets } from "./ResponsesSockets.ts"

export class GatewayHandler extends Context.Service<
  GatewayHandler,
  {
    /** Handles any request, including `/admin`, `/metrics` and `/ui`. */
    readonly handle: HttpListener
    /** The same without administration: `/admin`, `/metrics` and `/ui` are unknown paths. */
    readonly handlePublic: HttpListener
    /** Waits for running requests, at most `server.shutdown_grace`; refuses new ones. Closing the Scope drains, then interrupts. */
    readonly drain: Effect.Effect<void>
    /** Cuts off the requests that still run, and closes the WebSockets. They are charged. */
    readonly interrupt: Effect.Effect<void>
    /** `/v1/responses` over WebSockets, for servers that give it their upgrades. */
    readonly sockets: Pick<ResponsesSockets, "wants" | "upgrade">
  }
>()("gateway/http/GatewayHandler") {
  /** `behind`: handles all paths but those of the proxy. */
  static readonly layer = <E, R>(settings: Settings["server"], behind: Effect.Effect<HttpListener, E, R>) =>
    Layer.effect(
      GatewayHandler,
      Effect.gen(function* () {
        const { corsOrigins, publicPath, shutdownDelayMs, shutdownGraceMs, stalledClientMs } = settings
        const { maxBytesInFlight = defaultBytesInFlight() } = settings
        const clock = yield* Clock.Clock
        const readiness = yield* Readiness
        const fallback = yield* behind
        const proxy = yield* Effect.provideService(
          makeProxy({ ...settings, maxBytesInFlight }),
          Scheduler.Scheduler,
          new SharedScheduler()
        )
        const sockets = yield* responsesSockets(proxy, { ...settings, maxBytesInFlight })
        const cors = makeCors(corsOrigins)
        const listenerOver = (rest: HttpListener) =>
          inTurn(
            wellFormed(
              () => clock.currentTimeMillisUnsafe(),
              proxyListener(proxy, cors, clock, stalledClientMs, publicPath, rest)
            )
          )
        const drained = Effect.gen(function* () {
          readiness.leave()
          yield* letBalancersLeave(shutdownDelayMs, readiness.hurried)
          readiness.drain()
          yield* sockets.leave
          yield* sayWhatFor(yield* proxy.count, shutdownGraceMs)
          yield* Effect.timeoutOption(Effect.raceFirst(proxy.drained, readiness.hurried), shutdownGraceMs)
          const left = yield* proxy.count
          if (left > 0) yield* Effect.logWarning(`shutting down: ${requests(left)} cut off and charged`)
        })
        const drain = yield* Effect.cached(drained)
        const interrupt = Effect.andThen(proxy.interrupt, sockets.end)
        yield* Effect.addFinalizer(() => Effect.andThen(drain, interrupt))
        return {
          handle: listenerOver(fallback),
          handlePublic: listenerOver(withoutAdministration(clock, fallback)),
          drain,
          interrupt,
          sockets
        }
      })
    )
}

/** Load balancers see `/readyz` fail and stop sending requests; those that still arrive are served. */
const letBalancersLeave = (delayMs: number, hurried: Effect.Effect<void>) =>
  delayMs === 0
    ? Effect.void
    : Effect.andThen(
        Effect.logInfo(
          `shutting down: serving for another ${delayMs / 1000} s with /readyz at 503 (server.shutdown_delay)`
        ),
        Effect.timeoutOption(hurried, delayMs)
      )

const requests = (count: number): string => (count === 1 ? "1 request" : `${count} requests`)

const sayWhatFor = (running: number, graceMs: number) =>
  running === 0
    ? Effect.logInfo("shutting down: no request is running")
    : Effect.logInfo(
        `shutting down: waiting for ${requests(running)}, at most ${graceMs / 1000} s (server.shutdown_grace); another signal ends the wait`
      )
