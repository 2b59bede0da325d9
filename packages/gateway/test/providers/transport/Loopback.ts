/** Real servers on loopback for the tests of the live transport. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import * as net from "node:net"
import type { AddressInfo } from "node:net"
import { Deferred, Effect, Latch } from "effect"
import type { UpstreamRequest } from "../../../src/core/pool/Transport.ts"

export interface Loopback {
  readonly port: number
  readonly baseUrl: string
  /** Connections accepted so far. */
  readonly accepted: () => number
  /** Connections that are open. */
  readonly open: () => number
  /** Opens when the first connection was closed. */
  readonly closed: Latch.Latch
}

export const listen = (server: net.Server) =>
  Effect.gen(function* () {
    const closed = Latch.makeUnsafe(false)
    const sockets = new Set<net.Socket>()
    let accepted = 0
    server.on("connection", (socket: net.Socket) => {
      accepted++
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => {
        sockets.delete(socket)
        closed.openUnsafe()
      })
    })
    yield* Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      })
    )
    const { port } = server.address() as AddressInfo
    return {
      port,
      baseUrl: `http://127.0.0.1:${port}/v1`,
      accepted: () => accepted,
      open: () => sockets.size,
      closed
    } satisfies Loopback
  })

/** An HTTP server. */
export const serve = (handle: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.suspend(() => listen(createServer(handle)))

/** A server that gets the raw connection once the request's first bytes are there. */
export const serveRaw = (handle: (socket: net.Socket) => void) =>
  Effect.suspend(() => listen(net.createServer((socket) => socket.once("data", () => handle(socket)))))

/** A server that takes connections and never says a word; `connected` is done with the first. */
export const serveSilence = Effect.gen(function* () {
  const connected = yield* Deferred.make<void>()
  const heard = yield* Deferred.make<void>()
  const server = net.createServer((socket) => {
    Deferred.doneUnsafe(connected, Effect.void)
    socket.on("data", () => Deferred.doneUnsafe(heard, Effect.void))
  })
  return { ...(yield* listen(server)), connected, heard }
})

/** A chat call with generous limits. */
export const post = (
  baseUrl: string,
  timeouts: Partial<UpstreamRequest["timeouts"]> = {},
  body = '{"model":"m"}'
): UpstreamRequest => ({
  baseUrl,
  path: "/chat/completions",
  headers: { "content-type": "application/json", authorization: "Bearer sk-test" },
  body,
  timeouts: { connect: 5000, firstToken: 60_000, idle: 60_000, total: 900_000, ...timeouts }
})

/** One turn of the event loop: what is in the sockets gets read. */
export const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
