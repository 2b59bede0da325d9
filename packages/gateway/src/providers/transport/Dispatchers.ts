/**
 * The undici dispatchers of the transport: direct, through the proxies of the environment, and as the configuration says. All speak
 * HTTP/1.1: over HTTP/2 one lost connection loses all of its calls.
 */
import { isIP } from "node:net"
import type { SecureContext } from "node:tls"
import { Config, Effect, Option, Redacted } from "effect"
import type { buildConnector, Dispatcher, Pool } from "undici"
import type { UpstreamConnection, UpstreamTls } from "../../core/domain/Connection.ts"
import { ProxyFailed } from "./TransportFailures.ts"

/** Loaded with the first call over HTTP: the demo, and a gateway that nobody calls, do without. */
export type Undici = typeof import("undici")

/** How long an idle connection is kept, in ms, where the provider does not say. */
const KEEP_ALIVE_MS = 30_000
/** Where it does say, the connection is closed this much earlier: a request that meets the provider's own close is lost. */
const CLOSED_BEFORE_MS = 2_000
/**
 * Ends attempts to connect whose call was given up, in ms. The time limits of a call are those of its deployment (`Deadlines.ts`), so
 * undici has no others.
 */
const CONNECT_MS = 60_000

const options = {
  allowH2: false,
  connections: null,
  pipelining: 1,
  connectTimeout: CONNECT_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveTimeoutThreshold: CLOSED_BEFORE_MS
} satisfies Pool.Options

/** `HTTPS_PROXY` and its like. */
export interface ProxyVariables {
  readonly http: string
  readonly https: string
  readonly exceptions: string
}

const variable = (name: string) =>
  Config.String(name.toLowerCase()).pipe(
    Config.orElse(() => Config.String(name)),
    Config.option,
    Effect.map(Option.getOrElse(() => ""))
  )

/** Names in lower case come first, as in curl. Empty: none. */
export const proxyVariables: Effect.Effect<ProxyVariables> = Effect.orDie(
  Effect.all({ http: variable("HTTP_PROXY"), https: variable("HTTPS_PROXY"), exceptions: variable("NO_PROXY") })
)

export interface Way {
  readonly dispatcher: Dispatcher
  /** The proxy that they may go through, without its password. */
  readonly proxy: string | undefined
}

export class Dispatchers {
  private readonly undici: Undici
  private readonly variables: ProxyVariables
  private readonly byEnvironment: Dispatcher | undefined
  private readonly configured = new Map<string, Dispatcher>()

  constructor(undici: Undici, variables: ProxyVariables) {
    this.undici = undici
    this.variables = variables
    if (variables.http !== "" || variables.https !== "") this.byEnvironment = this.environmentAgent(undefined)
  }

  to(address: URL, { proxy, tls }: UpstreamConnection = {}): Way {
    if (proxy !== undefined) {
      const uri = Redacted.value(proxy)
      const dispatcher = this.kept(
        ["proxy", uri],
        tls,
        () => new this.undici.ProxyAgent({ ...this.proxied(tls, uri), uri })
      )
      return { dispatcher, proxy: shownProxy(uri) }
    }
    const { byEnvironment } = this
    if (byEnvironment === undefined || isLoopback(address.hostname)) {
      const { origin } = address
      const connect = { ...tlsOptions(tls), allowH2: false }
      const pool = () => new this.undici.Pool(origin, { ...options, connect })
      return { dispatcher: this.kept(["direct", origin], tls, pool), proxy: undefined }
    }
    const { http, https } = this.variables
    return {
      dispatcher: tls === undefined ? byEnvironment : this.kept(["environment"], tls, () => this.environmentAgent(tls)),
      proxy: shownProxy((address.protocol === "https:" && https) || http)
    }
  }

  close(): void {
    for (const one of [this.byEnvironment, ...this.configured.values()]) void one?.destroy()
  }

  private environmentAgent(tls: UpstreamTls | undefined): Dispatcher {
    const { exceptions, http, https } = this.variables
    const proxies = { httpProxy: http, httpsProxy: https, noProxy: exceptions }
    return new this.undici.EnvHttpProxyAgent({ ...this.proxied(tls, http, https), ...proxies })
  }

  private proxied(tls: UpstreamTls | undefined, ...proxies: ReadonlyArray<string>) {
    const origins = proxies.map((proxy) => URL.parse(proxy)?.origin)
    const pool = (origin: URL | string, given: object): Dispatcher => {
      const all: Pool.Options = { ...options, ...given }
      const { connect } = all
      if (typeof connect !== "function" || !origins.includes(new URL(origin).origin))
        return new this.undici.Pool(origin, all)
      const named: buildConnector.connector = (to, done) =>
        connect(to, (...[error, socket]) =>
          error === null ? done(null, socket) : done(new ProxyFailed(shownProxy(String(origin)), error), null)
        )
      return new this.undici.Pool(origin, { ...all, connect: named })
    }
    const trusted = tls?.ca === undefined ? {} : tlsOptions({ ca: tls.ca })
    return {
      ...options,
      clientFactory: pool,
      factory: pool,
      proxyTls: { ...trusted, allowH2: false },
      requestTls: { ...tlsOptions(tls), allowH2: false }
    }
  }

  private kept(way: ReadonlyArray<string>, tls: UpstreamTls | undefined, make: () => Dispatcher): Dispatcher {
    const { ca, cert, key } = tls ?? {}
    const name = JSON.stringify([way, ca, cert, key && Redacted.value(key)])
    const known = this.configured.get(name)
    if (known !== undefined) return known
    const made = make()
    this.configured.set(name, made)
    return made
  }
}

/** One context for all connections: Node would read the certificates for each. */
const tlsOptions = (tls: UpstreamTls | undefined): { readonly secureContext?: SecureContext } => {
  if (tls === undefined) return {}
  const { createSecureContext, getCACertificates } = process.getBuiltinModule("node:tls")
  const { ca, cert, key } = tls
  return {
    secureContext: createSecureContext({
      ...(ca === undefined ? {} : { ca: [...getCACertificates("default"), ca] }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key: Redacted.value(key) })
    })
  }
}

/** A proxy of the environment is never asked for this machine. */
const isLoopback = (hostname: string): boolean => {
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  if (isIP(host) === 4) return host.startsWith("127.")
  return host === "::1" || host === "localhost" || host.endsWith(".localhost")
}

/** Without a user name and password. */
const shownProxy = (proxy: string): string => URL.parse(proxy)?.origin ?? "of the environment"
