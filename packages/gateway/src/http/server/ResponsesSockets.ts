/** `/v1/responses` over WebSockets. A connection runs one response at a time; each is a request of its own for `Proxy.ts`. */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Duplex } from "node:stream"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { WebSocketServer } from "@effect/platform-node/NodeWS"
import { Clock, Effect, Fiber, Latch, Queue, Result, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Socket } from "effect/socket"
import { SharedCapacity } from "../../core/limits/BytesInFlight.ts"
import { ConnectionMemory } from "../../core/responses/ConnectionMemory.ts"
import { SocketRefused, WebSocketNotServed } from "../errors/RequestErrors.ts"
import type { EndpointError } from "../errors/WireError.ts"
import { NodeReply } from "../node/NodeReply.ts"
import { NodeRequest } from "../node/NodeRequest.ts"
import { malformedIn } from "../node/ParserErrors.ts"
import { SocketReply, SocketRequest, turnHeaders } from "../node/SocketTurn.ts"
import type { Proxy, RunningRequest } from "../proxy/Proxy.ts"
import type { EndpointOptions } from "../routing/Endpoint.ts"
import { pathOf } from "../routing/Routes.ts"
import { Readiness } from "../shared/Readiness.ts"
import { echoedRequestId, newRequestId } from "../shared/RequestId.ts"

export interface ResponsesSockets {
  /** For `shouldUpgradeCallback` of `node:http`: any other wish for another protocol is left unmet. */
  readonly wants: (request: IncomingMessage) => boolean
  /** For its event `upgrade`. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  /** Closes idle connections, and each other one when its response has ended. */
  readonly leave: Effect.Effect<void>
  /** Closes all. Completes when they are closed. */
  readonly end: Effect.Effect<void>
}

/** A connection ends after so long, or after so long without a response. */
const LIFETIME = "60 minutes"
const IDLE = "15 minutes"
/** Proxies in front cut connections that are silent for a minute. */
const PING_EVERY = "30 seconds"
/** How long a client may take to close its side. */
const CLOSING = "1 second"
const MOST_FRAGMENTS = 1024
/** Connections that may be open in this process, and of them those of one key. */
const MOST = 4096
const MOST_OF_KEY = 256
/** What connections remember, as a share of the bytes in flight. */
const MEMORY_SHARE = 4
/** How often the bytes of incomplete messages are counted. */
const COUNT_EVERY = "1 second"

interface SocketOptions extends Pick<EndpointOptions, "maxBodyBytes" | "maxBytesInFlight"> {
  readonly publicPath: string
  readonly stalledClientMs: number
}

export const responsesSockets = Effect.fnUntraced(function* (proxy: Proxy, options: SocketOptions) {
  const { maxBodyBytes, maxBytesInFlight, publicPath, stalledClientMs } = options
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const readiness = yield* Readiness
  const memories = new SharedCapacity(maxBytesInFlight / MEMORY_SHARE)
  const arriving = new SharedCapacity(maxBytesInFlight)
  const open = new SharedCapacity(MOST, MOST_OF_KEY)
  const leaving = Latch.makeUnsafe(false)
  const turnMatch = proxy.match("GET", PATH)!
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: maxBodyBytes,
    maxFragments: MOST_FRAGMENTS
  })
  const ping = Effect.sync(() => server.clients.forEach((client) => client.ping()))
  yield* Effect.forkScoped(Effect.forever(Effect.delay(ping, PING_EVERY)))

  const newId = () => newRequestId(clock.currentTimeMillisUnsafe())

  /** Answers a handshake as any other request. */
  const refused = (incoming: IncomingMessage, response: ServerResponse, failure: EndpointError) => {
    const requestId = newId()
    const echoedId = echoedRequestId(incoming.headers["x-request-id"]) ?? requestId
    response.shouldKeepAlive = false
    const request = new NodeRequest(incoming, response, { params: {}, requestId, echoedId })
    const reply = new NodeReply(response, stalledClientMs)
    return Effect.as(Fiber.await(proxy.serve({ failure }, request, reply)), HttpServerResponse.empty())
  }

  /** Counts a connection of the key until the Scope closes. */
  const opened = (keyId: string) =>
    Effect.suspend(() => {
      const full = open.take(keyId, 1)
      return full === undefined
        ? Effect.addFinalizer(() => Effect.sync(() => open.add(keyId, -1)))
        : new WebSocketNotServed({ full: { of: full, most: full === "key" ? MOST_OF_KEY : MOST } })
    })

  const connected = Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const incoming = NodeHttpServerRequest.toIncomingMessage(request) as IncomingMessage
    const { headers: given, socket } = incoming
    const caller = malformedIn(incoming) ?? proxy.admit({ headers: given, remoteAddress: socket.remoteAddress })
    const admitted = yield* Effect.result(Effect.tap(caller, ({ key }) => opened(key.id)))
    if (Result.isFailure(admitted)) {
      const response = NodeHttpServerRequest.toServerResponse(request) as ServerResponse
      return yield* refused(incoming, response, admitted.failure)
    }
    const keyId = admitted.success.key.id
    const upgraded = yield* request.upgrade
    const { pull } = yield* upgraded.reader
    const writer = yield* upgraded.writer
    const frames = yield* Queue.unbounded<string | Socket.CloseEvent>()
    yield* Effect.forkScoped(Stream.runForEach(Stream.fromQueue(frames), writer.write))

    const headers = turnHeaders(incoming)
    const connection = new ConnectionMemory(memories, keyId)
    let complete = socket.bytesRead
    let counted = 0
    /** Cuts the connection if messages that are not complete exceed the bytes that its key, or all keys, may have in flight. */
    const count = () => {
      const more = socket.bytesRead - complete - counted
      if (more > 0 && arriving.take(keyId, more) !== undefined) return void socket.destroy()
      if (more < 0) arriving.add(keyId, more)
      counted += more
    }
    yield* Effect.forkScoped(Effect.forever(Effect.delay(Effect.sync(count), COUNT_EVERY)))
    let running: readonly [SocketRequest, RunningRequest] | undefined
    let isExpired = false
    const send = (frame: string | Socket.CloseEvent) => void Queue.offerUnsafe(frames, frame)

    const serve = (frame: string | Uint8Array, failure?: SocketRefused) => {
      const reply = new SocketReply(socket, stalledClientMs, send)
      const from = { headers, remoteAddress: socket.remoteAddress, requestId: newId(), connection }
      const turn = new SocketRequest(frame, reply, from)
      const answering = proxy.serve(failure === undefined ? turnMatch : { failure }, turn, reply)
      if (failure === undefined) running = [turn, answering]
      answering.addObserver(() => {
        if (running?.[1] === answering) running = undefined
        if (reply.status === 401) send(new Socket.CloseEvent(1008, "the key is no longer valid"))
        else closeIfOver()
      })
    }
    /** Between two responses. */
    const closeIfOver = () => {
      if (running !== undefined) return
      if (readiness.isDraining()) return send(new Socket.CloseEvent(1012, "the gateway is shutting down"))
      if (!isExpired) return
      isExpired = false
      serve("", new SocketRefused({ why: "expired" }))
      send(new Socket.CloseEvent(1000, "the connection has reached its lifetime"))
    }
    const expire = Effect.sync(() => {
      isExpired = true
      closeIfOver()
    })
    yield* Effect.forkScoped(Effect.delay(expire, LIFETIME))
    yield* Effect.forkScoped(Effect.andThen(leaving.await, Effect.sync(closeIfOver)))
    const next = Effect.flatMap(Effect.timeoutOption(pull, IDLE), (batch) =>
      Effect.suspend(() => {
        if (batch._tag === "None") {
          if (running === undefined) send(new Socket.CloseEvent(1000, "the connection was idle"))
          return Effect.void
        }
        complete = socket.bytesRead
        for (const frame of batch.value) {
          serve(frame, running === undefined ? undefined : new SocketRefused({ why: "in_flight" }))
        }
        return socket.writableNeedDrain ? drained(socket) : Effect.void
      })
    )
    const left = Effect.sync(() => {
      if (running !== undefined) proxy.left(...running)
      connection.clear()
      arriving.add(keyId, -counted)
    })
    return yield* Effect.ensuring(Effect.forever(next), left)
  }).pipe(
    // However a connection ends.
    Effect.orElseSucceed(() => HttpServerResponse.empty()),
    Effect.scoped
  )
  const upgrade = yield* NodeHttpServer.makeUpgradeHandler(Effect.succeed(server), connected, { scope })

  const sockets: ResponsesSockets = {
    wants: ({ headers, method, url = "" }) =>
      method === "GET" &&
      headers.upgrade?.toLowerCase() === "websocket" &&
      pathOf(publicPath !== "/" && url.startsWith(publicPath) ? url.slice(publicPath.length) : url) === PATH,
    upgrade,
    leave: Effect.asVoid(leaving.open),
    end: Effect.gen(function* () {
      yield* leaving.open
      const open = [...server.clients]
      const closed = Effect.callback<void>((resume) => {
        let left = open.length
        const one = () => (--left > 0 ? undefined : resume(Effect.void))
        for (const client of open) client.once("close", one)
        if (left === 0) resume(Effect.void)
      })
      yield* Effect.timeoutOption(closed, CLOSING)
      open.forEach((client) => client.terminate())
    })
  }
  return sockets
})

/** Completes when the client has read what was written, or is gone. A client that does not read is served no further message. */
const drained = (socket: Duplex) =>
  Effect.callback<void>((resume) => {
    const done = () => resume(Effect.void)
    socket.once("drain", done).once("close", done)
    return Effect.sync(() => socket.off("drain", done).off("close", done))
  })

const PATH = "/v1/responses"
