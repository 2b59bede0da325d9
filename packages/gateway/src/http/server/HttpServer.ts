/** The `node:http` servers: the proxy on its fast path, the rest behind it, and a second port for administration where one is set. */
import type { Server } from "node:http"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { defaultBytesInFlight } from "../../core/limits/BytesInFlight.ts"
import type { Settings } from "../../core/domain/Settings.ts"
import { createServer } from "../node/NodeHttp.ts"
import { Incoming } from "../node/Incoming.ts"
import { closeLingering } from "../node/LingeringClose.ts"
import { Outgoing } from "../node/Outgoing.ts"
import { Readiness } from "../shared/Readiness.ts"
import { withoutAdministration } from "../node/PublicPaths.ts"
import { type Listener, type OutgoingListener, proxyListener } from "./ProxyListener.ts"
import { makeCors } from "../proxy/Cors.ts"
import { makeProxy } from "../proxy/Proxy.ts"
import { refuseUnreadable, wellFormed } from "../node/ParserErrors.ts"

/** The server can't listen on its address. `message` says why, and what to do. */
export class CannotListen extends Schema.TaggedError<CannotListen>()("CannotListen", {
  message: Schema.String
}) {}

/** The server listens. `port` is the real one where the settings asked for any. */
export class HttpServer extends Context.Service<
  HttpServer,
  {
    readonly host: string
    readonly port: number
    readonly url: string
    /** Where `/admin`, `/metrics` and `/ui` are: `url`, unless `server.admin_port` is set. */
    readonly adminUrl: string
  }
>()("gateway/http/HttpServer") {
  /** `behind`: what answers all but the proxy's paths. */
  static readonly layer = <E, R>(settings: Settings["server"], behind: Effect.Effect<Listener, E, R>) =>
    Layer.effect(
      HttpServer,
      Effect.gen(function* () {
        const {
          adminPort,
          earlyKeepaliveMs,
          host,
          maxBodyBytes,
          maxBodyValues,
          maxBytesInFlight = defaultBytesInFlight(),
          maxUploadBytes,
          reusePort,
          shutdownDelayMs,
          shutdownGraceMs,
          stalledClientMs
        } = settings
        const clock = yield* Clock.Clock
        const now = () => clock.currentTimeMillisUnsafe()
        const fallback = yield* behind
        const proxy = yield* makeProxy({
          maxBodyBytes,
          maxBodyValues,
          maxBytesInFlight,
          maxUploadBytes,
          earlyKeepaliveMs
        })
        const cors = makeCors(settings.corsOrigins)
        const listenerWith = (rest: OutgoingListener) =>
          proxyListener(proxy, cors, clock, stalledClientMs, settings.publicPath, rest)
        const readiness = yield* Readiness
        const opened = (port: number, listener: OutgoingListener) => {
          const handle = wellFormed(now, listener)
          const server = createServer(limits(settings), (request, response) => response.inTurn(request, handle))
          // No header is dropped silently: their total size is bounded.
          server.maxHeadersCount = 0
          refuseUnreadable(server, now)
          closeLingering(server)
          return Effect.as(listen(server, host, port, reusePort), server)
        }
        const admin = adminPort === undefined ? undefined : yield* opened(adminPort, listenerWith(fallback))
        const rest = admin === undefined ? fallback : withoutAdministration(clock, fallback)
        const server = yield* opened(settings.port, listenerWith(rest))
        const servers = admin === undefined ? [server] : [server, admin]
        yield* Effect.addFinalizer(() =>
          Effect.gen(function* () {
            readiness.leave()
            yield* letBalancersLeave(shutdownDelayMs, readiness.hurried)
            readiness.drain()
            yield* sayWhatFor(yield* proxy.count, shutdownGraceMs)
            // The port stays open while draining, so that callers are told so instead of being refused a connection.
            yield* Effect.timeoutOption(Effect.raceFirst(proxy.drained, readiness.hurried), shutdownGraceMs)
            const left = yield* proxy.count
            if (left > 0) yield* Effect.logWarning(`shutting down: ${requests(left)} cut off and charged`)
            const closed = Effect.forEach(servers.map(close), (one) => one, { discard: true })
            yield* proxy.interrupt
            yield* Effect.timeoutOption(closed, LAST_WORDS_MS)
            yield* Effect.sync(() => servers.forEach((one) => one.closeAllConnections()))
            yield* closed
          })
        )
        const url = (of: Server) => `http://${host.includes(":") ? `[${host}]` : host}:${portOf(of)}`
        return { host, port: portOf(server), url: url(server), adminUrl: url(admin ?? server) }
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

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

const requests = (count: number): string => (count === 1 ? "1 request" : `${count} requests`)

const sayWhatFor = (running: number, graceMs: number) =>
  running === 0
    ? Effect.logInfo("shutting down: no request is running")
    : Effect.logInfo(
        `shutting down: waiting for ${requests(running)}, at most ${graceMs / 1000} s (server.shutdown_grace); another signal ends the wait`
      )

/** Time for the last events of cut streams to reach their clients. */
const LAST_WORDS_MS = 1_000

/** Connections that may wait to be accepted; the system may allow fewer. With Node's 511 a burst turns callers away. */
const BACKLOG = 4096

/** Limits against clients that send slowly or send too many headers. Milliseconds. */
const limits = ({ headersTimeoutMs, requestTimeoutMs }: Settings["server"]) => {
  const headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs)
  return {
    headersTimeout,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: Math.min(5_000, headersTimeout / 2),
    maxHeaderSize: 32 * 1024,
    requireHostHeader: false,
    IncomingMessage: Incoming,
    ServerResponse: Outgoing
  }
}

const listen = (server: Server, host: string, port: number, reusePort: boolean) =>
  Effect.callback<void, CannotListen>((resume) => {
    server.once("error", (error: NodeJS.ErrnoException) => resume(Effect.fail(cannotListen(error, host, port))))
    server.listen({ port, host, backlog: BACKLOG, reusePort }, () => resume(Effect.void))
  })

const cannotListen = (error: NodeJS.ErrnoException, host: string, port: number) =>
  new CannotListen({
    message:
      error.code === "EADDRINUSE"
        ? `port ${port} on ${host} is in use: stop what listens there, or choose another with --port`
        : error.code === "EACCES"
          ? `port ${port} needs more rights than this process has: choose one above 1023 with --port`
          : error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND"
            ? `${host} is not an address of this machine: choose another with --host`
            : error.code === "ENOTSUP" || error.code === "ENOSYS" || error.code === "ENOPROTOOPT"
              ? "this system can't share a port between processes: leave server.reuse_port out and give each gateway a port"
              : `can't listen on ${host}:${port}: ${error.message}`
  })

/** Accepts no new connections and closes idle ones at once. Completes when the last one is closed. */
const close = (server: Server): Effect.Effect<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeIdleConnections()
  return Effect.promise(() => closed)
}
