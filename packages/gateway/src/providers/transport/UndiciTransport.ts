/**
 * The live transport: undici, with kept-alive connections to each origin, for as long as the layer lives. A call costs
 * one handler object above bare undici. No redirects are followed and no compression is asked for: what the vendor sends is what
 * is read, and what is forwarded. No call waits for another one: there are as many connections as calls, and a call beyond the
 * bound fails at once.
 */
import { Readable } from "node:stream"
import { Clock, Effect, Layer, Scope } from "effect"
import {
  noLoad,
  Transport,
  TransportFailure,
  type UpstreamRequest,
  type WholeResponse
} from "../../core/pool/Transport.ts"
import type { Call } from "./Call.ts"
import type { Connections } from "./Connections.ts"
import { Deadlines } from "./Deadlines.ts"
import { OpenCall } from "./OpenCall.ts"
import { Origin } from "./Origin.ts"
import { isPieced } from "./UpstreamBody.ts"
import { WholeCall } from "./WholeCall.ts"

interface Upstream {
  readonly connections: Connections
  readonly origin: Origin
  /** The base URL's path, without a trailing slash. */
  readonly prefix: string
}

const make: Effect.Effect<Transport["Service"], never, Scope.Scope> = Effect.gen(function* () {
  const deadlines = new Deadlines(yield* Clock.Clock)
  yield* Effect.forkScoped(deadlines.run)
  const origins = new Map<string, Origin>()
  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...origins.values()].map((origin) => origin.destroy())))
  )

  const upstreams = new Map<string, Map<number, Upstream>>()
  const originOf = (name: string): Origin => {
    const origin = origins.get(name) ?? new Origin(name)
    origins.set(name, origin)
    return origin
  }
  const upstreamOf = ({ baseUrl, timeouts }: UpstreamRequest): Upstream | undefined => {
    const known = upstreams.get(baseUrl)?.get(timeouts.connect)
    if (known !== undefined) return known
    const url = URL.parse(baseUrl)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined
    const origin = originOf(url.origin)
    const connections = origin.connectedWithin(timeouts.connect)
    const upstream = { connections, origin, prefix: url.pathname.replace(/\/+$/, "") }
    upstreams.set(baseUrl, (upstreams.get(baseUrl) ?? new Map()).set(timeouts.connect, upstream))
    return upstream
  }

  const whole = (request: UpstreamRequest) =>
    Effect.callback<WholeResponse, TransportFailure>((resume) => {
      const upstream = upstreamOf(request)
      if (upstream === undefined) return resume(noAddress(request))
      if (isFull(upstream, request)) return resume(full(upstream))
      const call = new WholeCall(upstream.origin, request, deadlines, resume)
      send(upstream, request, call)
      return Effect.sync(() => call.close())
    })

  const open = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const upstream = upstreamOf(request)
    if (upstream === undefined) return yield* noAddress(request)
    if (isFull(upstream, request)) return yield* full(upstream)
    const call = new OpenCall(upstream.origin, request.timeouts, deadlines)
    // `acquireRelease` and `Effect.addFinalizer` keep all services for the release, and merge them there: two large maps a stream.
    yield* Scope.addFinalizer(
      yield* Effect.scope,
      Effect.sync(() => call.close())
    )
    return yield* call.opening(() => send(upstream, request, call))
  })

  /** A base URL that was never called has no calls. */
  const load = (baseUrl: string) => {
    const known = upstreams.get(baseUrl)?.values().next().value
    return known?.origin ?? noLoad
  }

  return { whole, open, load }
})

export const UndiciTransport = {
  make,
  layer: Layer.effect(Transport, make)
}

const isFull = ({ origin }: Upstream, { maxConnections = Infinity }: UpstreamRequest): boolean =>
  origin.isFull(maxConnections)

const send = ({ connections, prefix }: Upstream, request: UpstreamRequest, call: Call): void => {
  const { body, method = "POST" } = request
  call.goesOver(connections.take(), {
    path: prefix + request.path,
    method,
    headers: headersOf(request),
    body: method === "GET" ? null : isPieced(body) ? Readable.from(body.pieces()) : body,
    // The call watches its own limits.
    headersTimeout: 0,
    bodyTimeout: 0
  })
}

/** Names and values in turns, as undici writes them. */
const headersOf = ({ body, headers }: UpstreamRequest): Array<string> => {
  const list = ["accept-encoding", "identity"]
  if (isPieced(body)) list.push("content-length", String(body.length))
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !OWN_HEADERS.has(name.toLowerCase())) list.push(name, value)
  }
  return list
}

/** What a request says of them is left out: undici counts the bytes of all bodies but those in pieces. */
const OWN_HEADERS = new Set(["accept-encoding", "content-length"])

const noAddress = ({ baseUrl }: UpstreamRequest): TransportFailure =>
  new TransportFailure({ kind: "refused", message: `${JSON.stringify(baseUrl)} is no http or https address` })

const full = ({ origin }: Upstream): TransportFailure =>
  new TransportFailure({
    kind: "full",
    message: `${origin.name} has ${origin.open + origin.waiting} calls under way already`
  })
