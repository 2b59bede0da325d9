/**
 * The live transport: undici, with one pool of kept-alive connections per origin, for as long as the layer lives. A call costs
 * one handler object above bare undici. No redirects are followed and no compression is asked for: what the vendor sends is what
 * is read, and what is forwarded.
 */
import { Clock, Effect, Layer, type Scope } from "effect"
import { Pool } from "undici"
import { Transport, TransportFailure, type UpstreamRequest, type WholeResponse } from "../../core/Transport.ts"
import type { Call } from "./Call.ts"
import { Deadlines } from "./Deadlines.ts"
import { OpenCall } from "./OpenCall.ts"
import { WholeCall } from "./WholeCall.ts"

/** Per origin. A streamed answer holds its connection to the end, so this bounds the calls under way there. */
const CONNECTIONS = 256
/** How long an idle connection is kept, in ms, where the upstream does not say how long it keeps it. */
const KEEP_ALIVE_MS = 30_000

interface Upstream {
  readonly pool: Pool
  readonly origin: string
  /** The base URL's path, without a trailing slash. */
  readonly prefix: string
}

const make: Effect.Effect<Transport["Service"], never, Scope.Scope> = Effect.gen(function* () {
  const deadlines = new Deadlines(yield* Clock.Clock)
  yield* Effect.forkScoped(deadlines.run)
  const pools = new Map<string, Pool>()
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...pools.values()].map((pool) => pool.destroy()))))

  const upstreams = new Map<string, Map<number, Upstream>>()
  const upstreamOf = ({ baseUrl, timeouts }: UpstreamRequest): Upstream | undefined => {
    const known = upstreams.get(baseUrl)?.get(timeouts.connect)
    if (known !== undefined) return known
    const url = URL.parse(baseUrl)
    if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined
    // The limit for connecting belongs to the pool: deployments that differ in it don't share one.
    const poolId = `${url.origin} ${timeouts.connect}`
    const pool = pools.get(poolId) ?? newPool(url.origin, timeouts.connect)
    pools.set(poolId, pool)
    const upstream = { pool, origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") }
    upstreams.set(baseUrl, (upstreams.get(baseUrl) ?? new Map()).set(timeouts.connect, upstream))
    return upstream
  }

  const whole = (request: UpstreamRequest) =>
    Effect.callback<WholeResponse, TransportFailure>((resume) => {
      const upstream = upstreamOf(request)
      if (upstream === undefined) return resume(noAddress(request))
      const call = new WholeCall(upstream.origin, request.timeouts, deadlines, resume)
      send(upstream, request, call)
      return Effect.sync(() => call.close())
    })

  const open = Effect.fnUntraced(function* (request: UpstreamRequest) {
    const upstream = upstreamOf(request)
    if (upstream === undefined) return yield* noAddress(request)
    const call = new OpenCall(upstream.origin, request.timeouts, deadlines)
    yield* Effect.addFinalizer(() => Effect.sync(() => call.close()))
    return yield* call.opening(() => send(upstream, request, call))
  })

  return { whole, open }
})

export const UndiciTransport = {
  make,
  layer: Layer.effect(Transport, make)
}

const newPool = (origin: string, connectTimeout: number): Pool =>
  new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectTimeout,
    // One connection per call: closing it is what tells the vendor that nobody listens any more.
    allowH2: false
  })

const send = ({ pool, prefix }: Upstream, request: UpstreamRequest, call: Call): void => {
  pool.dispatch(
    {
      path: prefix + request.path,
      method: "POST",
      headers: { ...request.headers, "accept-encoding": "identity" },
      body: request.body,
      // The call watches its own limits.
      headersTimeout: 0,
      bodyTimeout: 0
    },
    call
  )
}

const noAddress = ({ baseUrl }: UpstreamRequest): TransportFailure =>
  new TransportFailure({ kind: "refused", message: `${JSON.stringify(baseUrl)} is no http or https address` })
