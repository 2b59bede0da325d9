/** The `node:http` servers: one for everything, and a second port for administration where one is set. */
import type { Server } from "node:http"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { Settings } from "../../core/domain/Settings.ts"
import { createServer } from "../node/NodeHttp.ts"
import { followConnections } from "../node/ConnectionState.ts"
import { LastingResponse } from "../node/LastingResponse.ts"
import { refuseUnreadable } from "../node/ParserErrors.ts"
import { GatewayHandler } from "./GatewayHandler.ts"
import type { HttpListener } from "./ProxyListener.ts"

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
  static readonly layer = (settings: Settings["server"]) =>
    Layer.effect(
      HttpServer,
      Effect.gen(function* () {
        const { adminPort, host, reusePort } = settings
        const { drain, handle, handlePublic, interrupt, sockets } = yield* GatewayHandler
        const clock = yield* Clock.Clock
        const opened = (port: number, listener: HttpListener) => {
          const options = { ...limits(settings), shouldUpgradeCallback: sockets.wants }
          const server = createServer(options, listener)
          // Where Node ignores the option, it would take every wish for another protocol from the listener.
          if ("shouldUpgradeCallback" in server) server.on("upgrade", sockets.upgrade)
          // No header is dropped silently: their total size is bounded.
          server.maxHeadersCount = 0
          refuseUnreadable(server, () => clock.currentTimeMillisUnsafe())
          followConnections(server)
          return Effect.as(listen(server, host, port, reusePort), server)
        }
        const admin = adminPort === undefined ? undefined : yield* opened(adminPort, handle)
        const server = yield* opened(settings.port, admin === undefined ? handle : handlePublic)
        const servers = admin === undefined ? [server] : [server, admin]
        yield* Effect.addFinalizer(() =>
          Effect.gen(function* () {
            // The port stays open while draining, so that callers are told so instead of being refused a connection.
            yield* drain
            const closed = Effect.forEach(servers.map(close), (one) => one, { discard: true })
            yield* interrupt
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

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

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
    ServerResponse: LastingResponse
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
