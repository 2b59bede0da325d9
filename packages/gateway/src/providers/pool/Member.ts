/** One deployment of the running gateway: its protocol, its keys, its health, and how a request to it is made. */
import { Effect, Redacted, Result } from "effect"
import { writesBeyondLimit } from "../../core/bounds/BeyondLimit.ts"
import type { CallTimeouts, Deployment, Timeouts } from "../../core/domain/Deployment.ts"
import { ProviderFailure } from "../../core/domain/Failures.ts"
import type { OperationName } from "../../core/domain/OperationName.ts"
import { noOptions } from "../../core/domain/ProviderOptions.ts"
import { AuthFailed, type AuthHeaders, type ReadyAuth } from "../../core/pool/Auth.ts"
import type { Health, HealthReport, Ticket } from "../../core/pool/Health.ts"
import type { KeyPool, KeyReport } from "../../core/pool/KeyPool.ts"
import type { Dialect, Protocol, UpstreamCall, WireRequest } from "../../core/pool/Protocol.ts"
import type { Transport, UpstreamRequest } from "../../core/pool/Transport.ts"
import type { DeploymentStanding } from "../../core/routing/TrafficHistory.ts"
import { operationsOf } from "../bridges/Bridge.ts"
import type { Registry } from "../catalogue/ProviderRegistry.ts"
import { accountOf, ConversationKeys } from "./ConversationKey.ts"
import { Dialects } from "./Dialects.ts"
import { portable, withSecondAttempt } from "./PortableHistory.ts"
import { suspectOf } from "./ProviderKeys.ts"

// Providers and proxies repeat in an error what they were sent. First our own credentials are struck out by value, then other people's
// keys by their looks, and then what is too long: a key that was cut before would show its beginning.

/** Characters of a provider's message that are passed on, and of each of its other words. */
const MAX_MESSAGE = 2000
const MAX_WORD = 200

const MARK = "[redacted]"
/** Shorter ones would strike out ordinary words. */
const SHORTEST = 8

const HALF = /[\uD800-\uDBFF]$/

/** Keys of any vendor, whole or half hidden behind asterisks, and whatever a message calls an API key. */
const SECRETS =
  /\b(?:sk|pk|rk|gsk|xai|mgw|hf)[-_][\w*.-]{4,}|\bAIza[\w*-]{8,}|\bBearer\s+[\w*.~+/-]{8,}=*|[\w-]{0,40}\*{3,}[\w-]*/gi
const NAMED_SECRET = /(api[ _-]?key(?: provided)?\s*[:=]\s*)[^\s,;]{6,}/gi

const configuredSecrets = ({
  apiKeys,
  options = noOptions
}: Pick<Deployment, "apiKeys" | "options">): ReadonlyArray<string> =>
  worthHiding([...apiKeys, ...Object.values(options.secret)].map(Redacted.value))

/** Tokens in the headers that an authentication made, without the word before them (`Bearer`). */
const secretsIn = (headers: AuthHeaders): ReadonlyArray<string> =>
  worthHiding(Object.values(headers).map((value) => value.replace(/^\S+ (?=\S+$)/, "")))

const worthHiding = (secrets: ReadonlyArray<string>): ReadonlyArray<string> =>
  secrets.filter((secret) => secret.length >= SHORTEST)

export const withoutSecrets = (failure: ProviderFailure, secrets: ReadonlyArray<string>): ProviderFailure => {
  const shown = (text: string, most: number): string => {
    const own = secrets.reduce((rest, secret) => rest.replaceAll(secret, MARK), text)
    // The patterns run over a bounded text.
    const clean = own
      .slice(0, most * 2)
      .replace(SECRETS, MARK)
      .replace(NAMED_SECRET, `$1${MARK}`)
    // Not inside of a character.
    return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(HALF, "")}…`
  }
  const shownWord = (text: string | null) => (text === null ? null : shown(text, MAX_WORD))
  return new ProviderFailure({
    ...failure,
    message: shown(failure.message, MAX_MESSAGE),
    type: shownWord(failure.type),
    code: shownWord(failure.code),
    param: shownWord(failure.param)
  })
}

export class PoolMember {
  readonly deployment: Deployment
  readonly protocol: Protocol
  readonly dialects: Dialects
  readonly operations: ReadonlySet<OperationName>
  readonly health: Health
  readonly keys: KeyPool
  /** By key, where there are several. */
  private readonly accounts: ReadonlyArray<string>
  private readonly conversations: ConversationKeys | undefined
  inRotation = true
  /** Whether each request is signed by an effect of its own. */
  readonly isSigned: boolean
  private readonly auth: ReadyAuth | undefined
  /** By key: the authentication headers that do not depend on a request. */
  private readonly authentications: ReadonlyArray<AuthHeaders>
  private readonly transport: Transport["Service"]
  private readonly secrets: ReadonlyArray<string>
  /** Those of the last signed request: tokens that run out. */
  private passing: ReadonlyArray<string> = []
  /** The shortest time limit for a complete response. */
  private readonly leastTimeouts: CallTimeouts
  private readonly registry: Registry
  /** Of a wildcard: its models that were called, which share its health and its keys. */
  private readonly models = new WeakMap<Deployment, PoolMember>()

  constructor(
    { deployment, health, keys }: DeploymentStanding,
    registry: Registry,
    transport: Transport["Service"],
    auth: ReadyAuth | undefined
  ) {
    this.registry = registry
    this.deployment = deployment
    this.health = health
    this.keys = keys
    this.transport = transport
    this.secrets = configuredSecrets(deployment)
    this.protocol = registry.protocol(deployment.protocol)
    this.leastTimeouts = within(deployment.timeouts, deployment.timeouts.response)
    const speaks = spokenBy(deployment, this.protocol, registry)
    this.operations = operationsOf(speaks, registry.bridges)
    this.dialects = new Dialects(speaks, registry.bridges, deployment.routes)
    this.auth = auth
    this.isSigned = auth?.kind === "perRequest"
    this.authentications =
      auth?.kind === "static" && deployment.apiKeys.length > 0
        ? deployment.apiKeys.map((key) => auth.headers(Redacted.value(key)))
        : [{}]
    this.accounts = deployment.apiKeys.length > 1 ? deployment.apiKeys.map((key) => accountOf(Redacted.value(key))) : []
    this.conversations = this.accounts.length > 1 ? new ConversationKeys(this.accounts) : undefined
  }

  of(deployment: Deployment): PoolMember {
    if (deployment.wildcard === undefined) return this
    const known = this.models.get(deployment)
    if (known !== undefined) return known
    const { auth, health, keys, registry, transport } = this
    const made = new PoolMember({ deployment, health, keys }, registry, transport, auth)
    this.models.set(deployment, made)
    return made
  }

  isReady(now: number): boolean {
    return this.health.isReady(now) && this.keys.isReady(now) && this.hasRoom
  }

  whyNotReady(now: number): string {
    if (!this.health.isReady(now)) return "its circuit is open"
    if (!this.keys.isReady(now)) return "its provider's keys are rate limited or refused"
    return "it has as many calls in flight as it may have"
  }

  /** Tokens a second: the fastest generation seen so far, else an assumption for this kind of deployment. */
  get outputRate(): number {
    return this.health.outputRate(assumedRate(this.deployment))
  }

  isHealthy(now: number): boolean {
    return this.health.isHealthy() && this.keys.isHealthy(now) && this.hasRoom
  }

  private get hasRoom(): boolean {
    const { baseUrl, maxConnections, maxInFlight } = this.deployment
    if (maxInFlight !== undefined && this.health.inFlight >= maxInFlight) return false
    if (maxConnections === undefined) return true
    const { open, waiting } = this.transport.load(baseUrl)
    return open + waiting < maxConnections
  }

  /** A response in one piece has no first token before its last. */
  wholeTimeouts({ request }: UpstreamCall): CallTimeouts {
    const { timeouts } = this.deployment
    const learnt = this.health.answerTimes.longestFor(request.maxOutput)
    return learnt <= timeouts.response ? this.leastTimeouts : within(timeouts, Math.min(learnt, timeouts.total))
  }

  /** The caller of a complete response left. The call may go on. */
  callerLeft(ticket: Ticket, { callerId, request }: UpstreamCall, began: number, now: number): void {
    const usual = this.health.answerTimes.usualFor(request.maxOutput) ?? this.deployment.timeouts.response
    if (callerId !== undefined && now - began > usual) this.health.overdue(ticket, now, callerId)
  }

  request(
    wire: WireRequest,
    timeouts: CallTimeouts,
    key: number,
    answer: Pick<UpstreamRequest, "largestAnswer" | "held"> = {}
  ): UpstreamRequest {
    const { baseUrl, connection, maxConnections, query } = this.deployment
    return {
      baseUrl: wire.baseUrl ?? baseUrl,
      path: query === undefined ? wire.path : `${wire.path}${wire.path.includes("?") ? "&" : "?"}${query}`,
      headers: { "content-type": "application/json", ...wire.headers, ...this.authentications[key] },
      body: wire.form ?? (wire.splice === undefined ? wire.body : wire.splice(wire.body)),
      timeouts,
      ...answer,
      maxConnections,
      connection
    }
  }

  /** The request with its authentication. The wait for it is limited like that for a connection. */
  signed(request: UpstreamRequest, key: number): Effect.Effect<UpstreamRequest, AuthFailed> {
    if (this.auth?.kind !== "perRequest") return Effect.succeed(request)
    const { connect } = request.timeouts
    return this.auth.headers(request, this.deployment.apiKeys[key]).pipe(
      Effect.map((headers) => {
        this.passing = secretsIn(headers)
        return { ...request, headers: { ...request.headers, ...headers } }
      }),
      Effect.timeoutOrElse({
        duration: connect,
        orElse: () => Effect.fail(new AuthFailed({ message: `the authentication took longer than ${connect} ms` }))
      })
    )
  }

  failed(ticket: Ticket, key: number, began: number, now: number, failure: ProviderFailure, call: UpstreamCall): void {
    this.health.failed(ticket, now, failure, now - began)
    this.keys.failed(key, began, now, failure, () => suspectOf(call))
  }

  abandoned(ticket: Ticket, key: number, began: number): void {
    this.health.abandoned(ticket)
    this.keys.released(key, began)
  }

  /** The key for a call that begins at `began`, and the call with its account. */
  taken(asked: UpstreamCall, began: number): { readonly key: number; readonly call: UpstreamCall } {
    const key = this.keys.take(began, asked.triedKeys, this.conversations?.preferred(asked, began))
    const account = this.accounts[key]
    const call = asked.portable === true ? portable(asked) : asked
    return { key, call: account === undefined ? call : { ...call, account } }
  }

  worked(key: number, began: number, now: number, call: UpstreamCall): void {
    this.keys.worked(key, began)
    this.conversations?.keep(call, key, now)
    if (call.instead !== undefined) this.dialects.learn(call)
  }

  /** As others may see it. If there are several keys, failover must know which one failed. */
  told(failure: ProviderFailure, key: number, call: UpstreamCall): ProviderFailure {
    const clean = withSecondAttempt(withoutSecrets(failure, [...this.secrets, ...this.passing]), call)
    return this.keys.size === 1 ? clean : new ProviderFailure({ ...clean, message: clean.message, key })
  }

  /** Without a usable key nothing can be called, so the circuit is open. */
  report(now: number): HealthReport {
    const health = this.health.report(now)
    const circuit = health.circuit === "open" ? health.circuit : this.keys.circuit(now)
    return circuit === "closed" ? health : { ...health, circuit }
  }

  keyReport(now: number): ReadonlyArray<KeyReport> {
    return this.deployment.apiKeys.length === 0 ? [] : this.keys.report(now)
  }
}

const spokenBy = (
  { endpoints = new Map(), operations }: Deployment,
  { speaks }: Protocol,
  registry: Registry
): Protocol["speaks"] => {
  const native = [...speaks].filter(([operation]) => operations === undefined || operations.has(operation))
  const others = [...endpoints].flatMap(([operation, { baseUrl, protocol }]): typeof native => {
    const { failure, speaks } = registry.protocol(protocol)
    const dialect = speaks.get(operation)
    return dialect === undefined ? [] : [[operation, elsewhere(dialect, baseUrl, failure)]]
  })
  return new Map([...native, ...others])
}

const elsewhere = (dialect: Dialect, baseUrl: string, failure: Protocol["failure"]): Dialect => ({
  ...dialect,
  lower: (call) => Result.map(dialect.lower(call), (wire) => ({ ...wire, baseUrl })),
  failure
})

const UNLIMITED_SERVER_RATE = 1_000

/** Undefined: the default. If the output limit bounds nothing, only time does. */
const assumedRate = ({ assumedRate: known, bounds }: Deployment): number | undefined =>
  writesBeyondLimit(bounds) === Number.POSITIVE_INFINITY ? Math.max(UNLIMITED_SERVER_RATE, known ?? 0) : known

const within = ({ connect, idle }: Timeouts, total: number): CallTimeouts => ({
  connect,
  firstToken: total,
  idle,
  total
})
