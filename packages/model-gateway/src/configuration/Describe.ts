/** What would run, for people: the output of `model-gateway check`. No secrets. */
import type { AbandonedRule } from "@model-gateway/gateway/internal/core/domain/AbandonedRule"
import type { Quota } from "@model-gateway/gateway/internal/core/domain/Quota"
import { isWildcard } from "@model-gateway/gateway/internal/core/domain/Deployment"
import type { Presets } from "@model-gateway/gateway/internal/core/domain/Presets"
import { placeOf } from "@model-gateway/gateway/internal/core/domain/StorePlace"
import { priceKey, pricedPer } from "@model-gateway/gateway/internal/core/domain/pricing/Pricing"
import {
  type AliasRule,
  type ConfiguredPrice,
  type DeploymentSettings,
  type LogSettings,
  type MetricsAccess,
  metricsAccessOf,
  type ProviderSettings,
  type RouterSettings,
  type Settings
} from "@model-gateway/gateway/internal/core/domain/Settings"
import { type UsageClass, usageClasses } from "@model-gateway/gateway/internal/core/domain/Usage"
import { defaultTimeouts } from "@model-gateway/gateway/internal/config/sections/DeploymentsSection"
import { DEFAULT_CONNECTIONS } from "@model-gateway/gateway/internal/config/sections/ProvidersSection"

const BYTES_PER_MB = 1024 * 1024
const HOUR_MS = 3_600_000

/** The model that scores prompts. */
interface ModelCard {
  readonly name: string
  readonly date: string
}

/** What others know of the deployments, by id. */
interface KnownDeployments {
  /** Those with an unknown price, and with unknown reasoning. */
  readonly unpriced?: ReadonlySet<string>
  readonly unbounded?: ReadonlySet<string>
  readonly model?: ModelCard
  /** The operations that each has itself. */
  readonly serves?: ReadonlyMap<string, ReadonlyArray<string>>
}

/** Several lines, without a line break at the end. */
export const describeSettings = (settings: Settings, known: KnownDeployments = {}): string => {
  const {
    alerts,
    cache,
    content,
    failover,
    guardrails,
    idempotency,
    identity,
    issuers = [],
    logs,
    receipts,
    responses,
    server,
    store
  } = settings
  const grace = inWords(server.shutdownGraceMs)
  const aliases = Array.from(settings.models, ([alias, ids]): DescribedSetting => [
    alias,
    aliased(ids, settings.aliasRules?.get(alias))
  ])
  return [
    `server      http://${hostInUrl(server.host)}:${server.port}, bodies up to ${megabytes(server.maxBodyBytes)} MB, uploads up to ${megabytes(server.maxUploadBytes)} MB, ${inFlight(server.maxBytesInFlight)} for bodies in flight, shutdown waits up to ${grace} for requests${server.shutdownDelayMs === 0 ? "" : ` after ${inWords(server.shutdownDelayMs)} with /readyz at 503`}${server.publicPath === "/" ? "" : `, public path ${server.publicPath}`}`,
    ...(server.adminPort === undefined
      ? []
      : [
          `admin       http://${hostInUrl(server.host)}:${server.adminPort} serves /admin, /metrics and /ui, the other port does not`
        ]),
    ...(server.reusePort ? ["            other gateways on this store may listen on the same port (reuse_port)"] : []),
    `metrics     ${metrics[metricsAccessOf(server)]}`,
    `dashboard   ${server.ui ? `${server.publicPath.replace(/\/$/, "")}/ui/` : "off"}`,
    `logs        ${logs.format}; ${requests[logs.requests]}`,
    `store       ${storeInWords(store)}${abandonedReservations[store.abandoned]}`,
    `receipts    ${receipts.keepMs === 0 ? "not kept" : `kept for ${spanInWords(receipts.keepMs)}`}`,
    `responses   ${storedResponses(responses)}`,
    `idempotency responses are kept for 24h, ${upTo(idempotency)}`,
    ...(cache === undefined || cache.mode === "off" ? [] : [`cache       ${cached(cache)}`]),
    ...(alerts.length === 0 ? [] : [`alerts      ${alerts.map(alert).join(", ")}`]),
    ...(guardrails === undefined ? [] : [`guardrails  ${guarded(guardrails)}`]),
    ...(content === undefined ? [] : [`content     ${logged(content)}`]),
    ...(identity === undefined
      ? []
      : [`sign-in     ${identity.providers.map(({ issuer, name }) => `${name} (${issuer})`).join(", ")}`]),
    ...(issuers.length === 0
      ? []
      : [`tokens of   ${issuers.map(({ issuer, name }) => `${name} (${issuer})`).join(", ")}`]),
    `failover    ${counted(failover.attempts, "attempt")} in all, ${inWords(failover.baseDelayMs)} base delay, order ${failover.order ?? "as listed (bare model names: by weight)"}, stream recovery ${failover.streamRecovery}, ${retries(failover.retryBudget)}, session affinity ${failover.sessionAffinity ? "on" : "off"}, ${abandoned(failover.finishAbandonedMs)}`,
    `router      ${router(settings.router, known.model)}`,
    ...block("providers", settings.providers.map(provider)),
    ...block(
      "deployments",
      settings.deployments.map((one) => deployment(one, known))
    ),
    ...block("models", aliases),
    ...block('buckets of "auto"', buckets(settings.router))
  ].join("\n")
}

const router = (
  { cutPoints, keepPrompts = "off", model, preferShift, shadow }: RouterSettings,
  card: ModelCard | undefined
): string => {
  const named = card === undefined ? "" : ` (${card.name}, ${card.date})`
  const from =
    model === undefined
      ? "the shipped model"
      : model.startsWith("builtin@")
        ? `${model}, shipped`
        : `the model in ${model}`
  return sentence([
    `${from}${named}`,
    shadow ? "shadow mode: decisions are recorded, the strongest bucket serves auto" : "auto routes",
    preferShift === 0 || cutPoints.length === 0
      ? "callers can't move the cut points"
      : `callers can move the cut points by up to ${preferShift}`,
    ...(keepPrompts === "off" ? [] : [`keeps prompts: ${keepPrompts}`])
  ])
}

const inFlight = (bytes: number | undefined): string =>
  bytes === undefined ? "1/8 of the memory" : `${megabytes(bytes)} MB`

const storeInWords = ({ diskReserve, postgres, reserve, sqlite, synchronous }: Settings["store"]): string =>
  postgres === undefined
    ? `${sqlite} (synchronous: ${synchronous}), ${megabytes(diskReserve)} MB of disk reserved for the ledger`
    : `PostgreSQL at ${placeOf(postgres.url)}, schema ${postgres.schema}, ${postgres.cluster === undefined ? "" : `cluster ${postgres.cluster}, `}${postgres.connections + 4} connections, lease ${inWords(postgres.leaseMs)}, statements up to ${inWords(postgres.statementTimeoutMs)}, ${reserve === "wait" ? "requests wait for their ledger row" : "requests do not wait for their ledger row"}`

const storedResponses = ({ isStored, lifetimeMs, quota }: Settings["responses"]): string =>
  isStored ? `stored for ${spanInWords(lifetimeMs)}, ${upTo(quota)}` : "not stored"

const upTo = ({ all, perKey }: Quota): string => `up to ${megabytes(all)} MB, ${megabytes(perKey)} MB per key`

/** Receivers are not shown: some take a part of their address for a key. */
const alert = ({ at, on, scope }: Settings["alerts"][number]): string =>
  [
    on,
    ...(at === undefined ? [] : [`from ${Number((at * 100).toFixed(2))} %`]),
    ...(scope === undefined ? [] : [`of ${scope}`])
  ].join(" ")

const cached = ({ mode, namespace, quota, ttlMs }: NonNullable<Settings["cache"]>): string =>
  mode === "never"
    ? "off, whatever keys and teams say"
    : `${mode}, for ${inWords(ttlMs)}, shared by ${namespace}, at most ${megabytes(quota.all)} MB`

const guarded = ({ always, checks, keys, teams }: NonNullable<Settings["guardrails"]>): string => {
  const held = [
    ...(always.length === 0 ? [] : [`every request: ${always.join(", ")}`]),
    ...Array.from([...teams, ...keys], ([name, policies]) => `${name}: ${policies.join(", ")}`)
  ]
  const by = held.length === 0 ? "no policy holds without a request that adds one" : held.join("; ")
  return `${checks.map((check) => `${check.name} (${check.kind === "webhook" ? `webhook, ${check.onError} on error` : check.action})`).join(", ")}; ${by}`
}

const logged = ({ default: otherwise, keys, max, sinks, teams }: NonNullable<Settings["content"]>): string => {
  const levels = [...teams, ...keys].map(([name, level]) => `${name}: ${level}`)
  const all = [`${otherwise} by default`, ...levels, `at most ${max}`].join(", ")
  return `${all}; to ${sinks.map(({ kind, name }) => `${name} (${kind})`).join(", ")}`
}

const retries = ({ extra, percent, windowMs }: Settings["failover"]["retryBudget"]): string =>
  `at most ${extra} retries plus ${percent} % of the requests within ${inWords(windowMs)}`

const abandonedReservations: { readonly [Rule in AbandonedRule]: string } = {
  estimate: "",
  book: ", abandoned reservations are charged in full",
  void: ", abandoned reservations cost nothing"
}

const abandoned = (ms: number): string =>
  ms === 0
    ? "streams are closed when the client disconnects"
    : `streams are read for ${inWords(ms)} after the client disconnects`

const metrics: { readonly [Access in MetricsAccess]: string } = {
  public: "/metrics, without authentication",
  master_key: "/metrics, with the master key",
  off: "none served"
}

const requests: { readonly [Which in LogSettings["requests"]]: string } = {
  off: "no request is logged",
  errors: "a line for each request that failed",
  all: "a line for each request"
}

const aliased = (
  ids: ReadonlyArray<string>,
  { fallbacks, order, presets }: AliasRule = { order: undefined, fallbacks: [] }
): string => {
  const set = presetsInWords(presets).map((one) => `; ${one}`)
  const first = ids.filter((id) => !fallbacks.includes(id)).join(", ")
  const then = fallbacks.length === 0 ? "" : `; then ${fallbacks.join(", ")}`
  return `${first}${order === undefined ? "" : ` (order: ${order})`}${then}${set.join("")}`
}

type DescribedSetting = readonly [name: string, text: string]

/** Rows of two columns under a heading; nothing where there are no rows. */
const block = (heading: string, rows: ReadonlyArray<DescribedSetting>): ReadonlyArray<string> => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.length === 0
    ? []
    : ["", heading, ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`.trimEnd())]
}

const provider = (one: ProviderSettings): DescribedSetting => [
  one.name,
  sentence([
    one.vendor ?? "own endpoint",
    one.protocol,
    one.baseUrl,
    one.apiKeys.length === 0 ? "no key" : counted(one.apiKeys.length, "key"),
    one.maxConnections === DEFAULT_CONNECTIONS ? undefined : `at most ${counted(one.maxConnections, "connection")}`,
    one.connection?.proxy === undefined ? undefined : "through its own proxy",
    one.connection?.tls?.ca === undefined ? undefined : "with its own certificate authority",
    one.connection?.tls?.cert === undefined ? undefined : "with a client certificate",
    one.billsAfterDisconnect === undefined ? undefined : `bills after a disconnect: ${one.billsAfterDisconnect}`,
    ...Object.entries(one.options?.shown ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")} ${value}`),
    ...Object.keys(one.options?.secret ?? {}).map((name) => `a ${name.replaceAll("_", " ")}`),
    one.latencyMs === undefined ? undefined : `${inWords(one.latencyMs)} latency`,
    one.tokensPerSecond === undefined ? undefined : `${one.tokensPerSecond} tokens per second`
  ])
]

const NO_PRICE = "unknown price: refused for keys with a budget (set `price`)"
const NO_BOUND =
  "unbounded reasoning: refused for keys with a budget (set `bounds.reasoning_tokens` or `context_window`)"

const deployment = (one: DeploymentSettings, { serves, unbounded, unpriced }: KnownDeployments): DescribedSetting => [
  one.id,
  sentence([
    one.id === `${one.provider}/${one.model}` ? undefined : `${one.model} at ${one.provider}`,
    one.baseModel === undefined ? undefined : `base model ${one.baseModel}`,
    isWildcard(one) ? "any model that a caller names in the place of *" : undefined,
    one.price !== undefined ? price(one.price) : unpriced?.has(one.id) === true ? NO_PRICE : "price from the catalogue",
    one.contextWindow === undefined ? undefined : `window ${one.contextWindow} tokens`,
    one.maxOutputTokens === undefined ? undefined : `output up to ${one.maxOutputTokens} tokens`,
    one.weight === 1 ? undefined : `weight ${one.weight}`,
    one.priority === 0 ? undefined : `priority ${one.priority}`,
    one.maxInFlight === undefined ? undefined : `at most ${one.maxInFlight} at a time`,
    timeouts(one),
    bounds(one),
    unbounded?.has(one.id) === true && unpriced?.has(one.id) !== true ? NO_BOUND : undefined,
    one.inlineImages === true ? "images inline" : undefined,
    one.mediaHosts === undefined ? undefined : `media from ${one.mediaHosts.join(", ")}`,
    one.oneChoice === true ? "one choice per call" : undefined,
    one.jsonSchema === undefined ? undefined : `JSON schemas: ${one.jsonSchema.replace("_", " ")}`,
    one.serviceTier === undefined ? undefined : `service tier ${one.serviceTier}`,
    one.callerBilling === undefined ? undefined : "callers may choose the provider's billing",
    ...presetsInWords(one.presets),
    one.supports === undefined ? undefined : `supports ${one.supports.join(" ")}`,
    servesInWords(one.operations ?? serves?.get(one.id) ?? [])
  ])
]

/** Names alone: a value may be a secret. */
const presetsInWords = (presets: Presets | undefined): ReadonlyArray<string> =>
  presets === undefined
    ? []
    : (["defaults", "fixed"] as const).flatMap((which) => {
        const { extraBody = {}, ...others } = presets[which]
        const names = [...Object.keys(others), ...Object.keys(extraBody)]
        return names.length === 0
          ? []
          : [`${which} ${names.join(" ").replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`]
      })

const servesInWords = (operations: ReadonlyArray<string>): string | undefined =>
  operations.length === 0 ? undefined : `serves ${operations.join(" ")}`

const price = (given: ConfiguredPrice): string => {
  const tokens = usageClasses.flatMap(({ name, unit }) => (unit === "token" ? amount(given[name], name) : []))
  const others = usageClasses.flatMap(({ name, unit }) =>
    unit === "token" ? [] : amount(given[name], name).map((one) => `${one} per ${perWords(unit)}`)
  )
  const tiers = given.tiers?.map(({ above }) => `others above ${above} input tokens`) ?? []
  const services = Object.keys(given.serviceTiers ?? {}).map((name) => `others for ${name}`)
  const more = [...others, ...tiers, ...services].map((one) => `; ${one}`).join("")
  return `price from this file (USD per million: ${tokens.join(" / ")}${more})`
}

const amount = (usd: number | undefined, name: UsageClass): ReadonlyArray<string> =>
  usd === undefined ? [] : [`${usd} ${priceKey(name).replaceAll("_", " ")}`]

const perWords = (unit: keyof typeof pricedPer): string =>
  pricedPer[unit] === 1 ? unit : `${pricedPer[unit].toLocaleString("en")} ${unit}s`

const bounds = ({ bounds }: DeploymentSettings): string | undefined => {
  const said = Object.entries(bounds ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [`${value} ${name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}`]
  )
  return said.length === 0 ? undefined : `bounds ${said.join(" / ")}`
}

const timeoutNames = [
  ["connect", "connect"],
  ["firstToken", "first token"],
  ["response", "response"],
  ["idle", "idle"],
  ["total", "total"]
] as const

/** Only those that differ from the default. */
const timeouts = (one: DeploymentSettings): string | undefined => {
  const changed = timeoutNames.flatMap(([key, name]) => {
    const given = one.timeouts[key]
    return given === undefined || given === defaultTimeouts[key] ? [] : `${name} ${inWords(given)}`
  })
  return changed.length === 0 ? undefined : `timeouts ${changed.join(" / ")}`
}

const buckets = (router: RouterSettings): ReadonlyArray<DescribedSetting> =>
  router.buckets.map((bucket, index) => {
    const from = router.cutPoints[index - 1] ?? 0
    const to = router.cutPoints[index] ?? 1
    return [bucket.name, `score ${share(from)} to ${share(to)}: ${bucket.deployments.join(", ")}`]
  })

const share = (score: number): string => String(Number(score.toFixed(4)))

const sentence = (parts: ReadonlyArray<string | undefined>): string =>
  parts.filter((part) => part !== undefined).join(", ")

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const megabytes = (bytes: number): string => String(Number((bytes / BYTES_PER_MB).toFixed(2)))

/** An IPv6 address needs brackets in a URL. */
const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host)

/** `250ms`, `5s`: as the file would say it. */
const inWords = (milliseconds: number): string =>
  milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : `${milliseconds}ms`

/** `12h`, `30d`. */
const spanInWords = (milliseconds: number): string => {
  const hours = milliseconds / HOUR_MS
  return hours % 24 === 0 ? `${hours / 24}d` : `${hours}h`
}
