/**
 * The live transport: HTTP/1.1, with kept-alive connections to each origin, for as long as the layer lives. No redirects are followed
 * and no compression is asked for: what the vendor sends is what is read, and what is forwarded. No call waits for another one: there
 * are as many connections as calls, and a call beyond the bound fails at once.
 */
import { Clock, Effect, Layer, Scope } from "effect"
import {
  noLoad,
  Transport,
  TransportFailure,
  type UpstreamRequest,
  type WholeResponse
} from "../../core/pool/Transport.ts"
import type { Sending } from "./Call.ts"
import { Connections } from "./http1/Connections.ts"
import { Deadlines } from "./Deadlines.ts"
import { OpenCall } from "./OpenCall.ts"
import { Origin } from "./Origin.ts"
import { requestHead } from "./http1/RequestHead.ts"
import { WholeCall } from "./WholeCall.ts"

interface Upstream {
  readonly origin: Origin
  readonly connections: Connections
  /** The base URL's path, without a trailing slash. */
  readonly prefix: string
}

/** A request that can go out. */
interface Ready extends Upstream {
  readonly sending: Sending
}

const make: Effect.Effect<Transport["Service"], never, Scope.Scope> = Effect.gen(function* () {
  const deadlines = new Deadlines(yield* Clock.Clock)
  yield* Effect.forkScoped(deadlines.run)
  /** By base URL; those of one origin share its connections. */
  const upstreams = new Map<string, Upstream>()
  const origins = new Map<string, Omit<Upstream, "prefix">>()
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      isClosed = true
      for (const { connections } of origins.values()) connections.close()
    })
  )

  const upstreamOf = (baseUrl: string): Upstream | undefined => {
    const known = upstreams.get(baseUrl)
    if (known !== undefined) return known
    const url = URL.parse(baseUrl)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined
    const name = url.origin
    const shared = origins.get(name) ?? { origin: new Origin(name), connections: new Connections(name) }
    origins.set(name, shared)
    const upstream = { ...shared, prefix: url.pathname.replace(/\/+$/, "") }
    upstreams.set(baseUrl, upstream)
    return upstream
  }

  const prepare = (request: UpstreamRequest): Ready | TransportFailure => {
    const upstream = upstreamOf(request.baseUrl)
    if (upstream === undefined) return noAddress(request)
    const { connections, origin, prefix } = upstream
    if (isClosed) return failed("reset", origin, "was not called: the gateway is closing its connections")
    if (origin.isFull(request.maxConnections ?? Infinity)) {
      return failed("full", origin, `has ${origin.open + origin.waiting} calls under way already`)
    }
    const body = bodyOf(request)
    const asked = requestHead(connections.host, prefix + request.path, request, body?.length)
    if ("flaw" in asked) return failed("refused", origin, `can't be called: ${asked.flaw}`)
    return { connections, origin, prefix, sending: { head: asked.head, body } }
  }

  const whole = (request: UpstreamRequest) =>
    Effect.callback<WholeResponse, TransportFailure>((resume) => {
      const ready = prepare(request)
      if (ready instanceof TransportFailure) return resume(ready)
      const call = new WholeCall(ready, request, deadlines, resume)
      ready.connections.carry(call)
      return Effect.sync(() => call.close())
    })

  const open = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const ready = prepare(request)
    if (ready instanceof TransportFailure) return yield* ready
    const call = new OpenCall(ready.origin, ready.sending, request.timeouts, deadlines)
    // `acquireRelease` and `Effect.addFinalizer` keep all services for the release, and merge them there: two large maps a stream.
    yield* Scope.addFinalizer(
      yield* Effect.scope,
      Effect.sync(() => call.close())
    )
    return yield* call.opening(() => ready.connections.carry(call))
  })

  /** A base URL that was never called has no calls. */
  const load = (baseUrl: string) => upstreams.get(baseUrl)?.origin ?? noLoad

  return { whole, open, load }
})

export const HttpTransport = {
  make,
  layer: Layer.effect(Transport, make)
}

const bodyOf = ({ body, method }: UpstreamRequest): Sending["body"] => {
  if (method === "GET") return undefined
  return typeof body === "string" ? Buffer.from(body) : body
}

const noAddress = ({ baseUrl }: UpstreamRequest): TransportFailure =>
  new TransportFailure({ kind: "refused", message: `${JSON.stringify(baseUrl)} is no http or https address` })

const failed = (kind: TransportFailure["kind"], { name }: Origin, what: string): TransportFailure =>
  new TransportFailure({ kind, message: `${name} ${what}` })
