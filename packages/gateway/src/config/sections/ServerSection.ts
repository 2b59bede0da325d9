/** `server`, `logs`, `store` and `receipts`: how the gateway itself runs. */
import { X509Certificate } from "node:crypto"
import { isIP } from "node:net"
import { Schema, Result } from "effect"
import { abandonedRules } from "../../core/domain/AbandonedRule.ts"
import { loggedRequests, logFormats, metricsAccess, type Settings } from "../../core/domain/Settings.ts"
import { refuse, type Telling, refuseWith } from "../Decode.ts"
import type { Here } from "../Here.ts"
import { beside } from "../Paths.ts"
import { secret } from "../SecretSettings.ts"
import {
  DAY_MS,
  duration,
  durationOrOff,
  gone,
  group,
  integer,
  integerOr,
  list,
  oneOf,
  or,
  positive,
  required,
  span,
  text,
  textThat,
  yesOrNo
} from "../SettingValues.ts"

const BYTES_PER_MB = 1024 * 1024
const LARGEST_BODY_MB = 1024
const LARGEST_UPLOAD_MB = 4096
/** An event is one text, and must stay below the longest one that the runtime can hold. */
const LARGEST_EVENT_MB = 256

const TERABYTE_MB = 1024 * 1024
const MOST_IN_FLIGHT_MB = TERABYTE_MB
const MOST_RESERVE_MB = TERABYTE_MB
const DEFAULT_RESERVE_MB = 256

const bytesOf = (mb: number): number => Math.round(mb * BYTES_PER_MB)

const isNetwork = (value: string): boolean => {
  const [address = "", prefix, ...rest] = value.split("/")
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  const fits = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits)
  return bits > 0 && fits && rest.length === 0
}

const NETWORK = "an address or a network such as 10.0.0.0/8 or fd00::/8"

/** As browsers write it in `Origin`. */
const isOrigin = (value: string): boolean => value === "*" || /^[a-z][a-z0-9+.-]*:\/\/[^\s/?#@*A-Z]+$/.test(value)

const ORIGIN = 'an origin such as https://app.example.com, or "*"'

/** Nothing that would have to be written another way in a path or a cookie. */
const isPublicPath = (value: string): boolean =>
  /^\/(?:[\w~.-]+(?:\/[\w~.-]+)*\/?)?$/.test(value) && !/\/\.{1,2}(\/|$)/.test(value)

const PUBLIC_PATH = "a path such as / or /gateway, of letters, digits and any of . _ ~ -"

const PUBLIC_URL = "the address in the browser's address bar, such as https://gateway.example.com"

/** A page that is not encrypted is one of this machine. */
const isPublicUrl = (value: string): boolean => {
  const url = URL.parse(value)
  if (url === null || url.username !== "" || url.search !== "" || url.hash !== "") return false
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))
}

export const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+|\[::1\])$/.test(host)

const HOST = "a host name or address to listen on"

/** The port is a field of its own. */
const whyNoHost = (host: string): Telling | undefined => {
  if (isIP(host) !== 0 || /^[\w.-]+$/.test(host)) return undefined
  const inner = host.replace(/^[a-z]+:\/\//i, "").replace(/\/.*$/, "")
  const [, name, port] = /^\[?([\w.-]+|[0-9a-f:]*:[0-9a-f:]*)\]?(?::(\d+))?$/i.exec(inner) ?? []
  const instead = name === undefined ? "" : `; write host: ${name.includes(":") ? `"${name}"` : name}`
  const andPort = port === undefined ? "" : ` and port: ${port}`
  return ({ shown }) => ({ message: `${shown} is not ${HOST}${instead}${andPort}`, allowed: HOST })
}

export const Server = group({
  host: text(HOST)
    .check(refuse((host) => whyNoHost(host)))
    .pipe(or("127.0.0.1")),
  /** 0: any free one. */
  port: integer({ from: 0, to: 65_535 }).pipe(or(4100)),
  admin_port: Schema.optionalKey(integer({ from: 0, to: 65_535 })),
  max_body_mb: positive(LARGEST_BODY_MB).pipe(or(32)),
  max_upload_mb: positive(LARGEST_UPLOAD_MB).pipe(or(200)),
  /** Left out: a share of the memory. */
  max_bytes_in_flight_mb: Schema.optionalKey(integer({ from: 1, to: MOST_IN_FLIGHT_MB })),
  max_body_values: integer({ from: 1_000, to: 100_000_000 }).pipe(or(1_000_000)),
  max_event_mb: positive(LARGEST_EVENT_MB).pipe(or(1)),
  max_image_event_mb: positive(LARGEST_EVENT_MB).pipe(or(32)),
  max_answer_mb: positive(LARGEST_BODY_MB).pipe(or(64)),
  max_embeddings_answer_mb: positive(LARGEST_BODY_MB).pipe(or(256)),
  shutdown_delay: duration(0).pipe(or(0)),
  shutdown_grace: duration(0).pipe(or(300_000)),
  stalled_client: duration(1).pipe(or(60_000)),
  early_keepalive: durationOrOff(100).pipe(or(0)),
  headers_timeout: duration(100).pipe(or(20_000)),
  request_timeout: duration(100).pipe(or(120_000)),
  trusted_proxies: list(NETWORK, textThat(NETWORK, isNetwork)).pipe(or([])),
  auth_failures_per_minute: integer({ from: 1, to: 1_000_000 }).pipe(or(20)),
  cors: group({ origins: list(ORIGIN, textThat(ORIGIN, isOrigin)).pipe(or([])) }).pipe(or({ origins: [] })),
  public_path: textThat(PUBLIC_PATH, isPublicPath).pipe(or("/")),
  public_url: Schema.optionalKey(textThat(PUBLIC_URL, isPublicUrl)),
  /** Accepted for one release. */
  workers: Schema.optionalKey(integerOr("auto", "one for each core", { from: 1, to: 64 })),
  reuse_port: yesOrNo.pipe(or(false)),
  ui: yesOrNo.pipe(or(true)),
  metrics: Schema.optionalKey(oneOf("an access to /metrics", metricsAccess))
})

/** A second port for administration must differ from the first. */
export const checkAdminPort = (root: Here, { admin_port, port }: typeof Server.Type): void => {
  if (admin_port === undefined || admin_port !== port || port === 0) return
  field(root, "server", "admin_port")?.problem(
    `administration needs a port of its own: server.port is ${port}, too`,
    "another port, such as 4101"
  )
}

/** A SQLite file serves one gateway, so a second one cannot listen beside it. */
export const checkReusePort = (root: Here, reusePort: boolean, hasPostgres: boolean): void => {
  if (!reusePort || hasPostgres) return
  field(root, "server", "reuse_port")?.problem(
    "several gateways on one port need a store that they share: set store.postgres.url, or leave reuse_port out",
    "false with a store in a file"
  )
}

/** Warns about fields of older files that no longer act. */
export const warnOfOld = (
  root: Here,
  { workers }: typeof Server.Type,
  { postgres, reserve }: typeof Store.Type
): void => {
  if (workers !== undefined && workers !== 1) {
    warn(
      field(root, "server", "workers"),
      "a gateway is one process and ignores this; for more cores use a store on Postgres with server.reuse_port (docs/scaling.md)"
    )
  }
  if (reserve === "behind" && postgres === undefined) {
    warn(field(root, "store", "reserve"), "this acts on Postgres only; leave it out with a store in a file")
  }
}

const field = (root: Here, section: string, name: string): Here | undefined => root.field(section)?.field(name)

const warn = (field: Here | undefined, message: string): void => field?.report.warn(field.at, field.path, message)

export const serverSettings = (server: typeof Server.Type): Settings["server"] => ({
  host: server.host,
  port: server.port,
  adminPort: server.admin_port,
  maxBodyBytes: bytesOf(server.max_body_mb),
  maxUploadBytes: bytesOf(server.max_upload_mb),
  maxBodyValues: server.max_body_values,
  maxBytesInFlight: server.max_bytes_in_flight_mb === undefined ? undefined : bytesOf(server.max_bytes_in_flight_mb),
  answerSizes: {
    event: bytesOf(server.max_event_mb),
    imageEvent: bytesOf(server.max_image_event_mb),
    answer: bytesOf(server.max_answer_mb),
    embeddingsAnswer: bytesOf(server.max_embeddings_answer_mb)
  },
  shutdownDelayMs: server.shutdown_delay,
  shutdownGraceMs: server.shutdown_grace,
  stalledClientMs: server.stalled_client,
  earlyKeepaliveMs: server.early_keepalive || undefined,
  headersTimeoutMs: server.headers_timeout,
  requestTimeoutMs: server.request_timeout,
  trustedProxies: server.trusted_proxies,
  authFailuresPerMinute: server.auth_failures_per_minute,
  corsOrigins: server.cors.origins,
  ...(server.public_url === undefined ? {} : { publicUrl: server.public_url }),
  publicPath: server.public_path.replace(/(?<=.)\/$/, ""),
  reusePort: server.reuse_port,
  ui: server.ui,
  metrics: server.metrics
})

export const Logs = group({
  requests: oneOf("a choice of requests to log", loggedRequests).pipe(or("errors")),
  format: oneOf("a format of log lines", logFormats).pipe(or("text"))
})

const ADDRESS = "an address such as postgres://gateway@db.example.com:5432/gateway"

/** Nothing of it is shown: it may hold a password. */
const whyNoAddress = (value: string): string | undefined => {
  const url = URL.parse(value)
  if (url === null) return "this is no address (it is not shown)"
  if (!/^postgres(ql)?:$/.test(url.protocol)) return "this address does not begin with postgres:// (it is not shown)"
  return /^\/[^/]+$/.test(url.pathname) ? undefined : "this address names no database after its host (it is not shown)"
}

/** TLS ignores what is no certificate, and then finds the server's to be from nobody. */
const areCertificates = (text: string): boolean => {
  const found = text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g) ?? []
  return found.length > 0 && found.every(isCertificate)
}

const isCertificate = (pem: string): boolean => Result.isSuccess(Result.try(() => new X509Certificate(pem)))

const Postgres = group({
  url: required(
    "the address of the database, as ${DATABASE_URL}",
    secret(ADDRESS, (value) => {
      const message = whyNoAddress(value)
      return message === undefined
        ? undefined
        : { message: `${message}; write ${ADDRESS}`, allowed: ADDRESS, found: "another" }
    })
  ),
  ca: Schema.optionalKey(textThat("the certificate of an authority in PEM, as ${file:ca.pem}", areCertificates)),
  schema: textThat("a name of up to 48 small letters, digits and _", (text) =>
    /^[a-z_][a-z0-9_]{0,47}$/.test(text)
  ).pipe(or("model_gateway")),
  cluster: Schema.optionalKey(
    textThat("a name of up to 48 letters, digits, _, - and .", (text) => /^\w[\w.-]{0,47}$/.test(text))
  ),
  connections: integer({ from: 1, to: 500 }).pipe(or(4)),
  statement_timeout: duration(100).pipe(or(30_000)),
  lease: duration(1_000).pipe(or(10_000)),
  gateways: gone("any number of gateways works on one store: leave this out")
})

export const Store = group({
  sqlite: Schema.optionalKey(text("the path of the database file")),
  postgres: Schema.optionalKey(Postgres),
  synchronous: oneOf("a way to synchronise", ["full", "normal"]).pipe(or("full")),
  reserve: oneOf("whether a provider waits for its row", ["wait", "behind"]).pipe(or("wait")),
  abandoned: oneOf("a rule for abandoned reservations", abandonedRules).pipe(or("estimate")),
  disk_reserve_mb: Schema.optionalKey(integer({ from: 0, to: MOST_RESERVE_MB }))
}).check(
  refuse(({ disk_reserve_mb, postgres }) =>
    postgres === undefined || disk_reserve_mb === undefined
      ? undefined
      : () => ({
          message:
            "disk_reserve_mb is for a store in a file (sqlite): watch the disk of the database server, and leave it out",
          allowed: "nothing beside postgres",
          found: String(disk_reserve_mb)
        })
  ),
  refuseWith(
    "sqlite or postgres",
    ({ postgres, sqlite }) =>
      postgres === undefined || sqlite === undefined
        ? undefined
        : "a store is a file (sqlite) or a database (postgres), not both: leave one out",
    "both"
  )
)

/** A relative path of the database counts from the folder of `file`. */
export const storeSettings = (store: typeof Store.Type, file: string): Settings["store"] => {
  const { disk_reserve_mb = DEFAULT_RESERVE_MB, postgres, sqlite = "./gateway.db", ...same } = store
  return {
    ...same,
    sqlite: sqlite === ":memory:" ? sqlite : beside(file, sqlite),
    diskReserve: bytesOf(disk_reserve_mb),
    ...(postgres === undefined ? {} : { postgres: postgresSettings(postgres) })
  }
}

const postgresSettings = ({ ca, cluster, lease, statement_timeout, ...same }: typeof Postgres.Type) => ({
  ...same,
  ca,
  cluster,
  statementTimeoutMs: statement_timeout,
  leaseMs: lease
})

export const Receipts = group({ keep: span.pipe(or(30 * DAY_MS)) })
