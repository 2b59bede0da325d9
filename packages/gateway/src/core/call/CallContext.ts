/** What a call knows: its request, the routing decision, the services it uses, and what its request costs at a deployment. */
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { LiftedAnswer } from "../operations/LiftedAnswer.ts"
import type { CacheReport } from "@model-gateway/protocol"
import { type Clock, Effect, Result } from "effect"
import { boundOf, needsLook } from "../bounds/Bounds.ts"
import { knownFields, type SentFields, withoutBilling } from "../bounds/BoundFields.ts"
import { closerInput } from "../bounds/CountedInput.ts"
import { estimateAnswer } from "../bounds/Estimate.ts"
import { hostedTools, withMaxUses } from "../bounds/HostedTools.ts"
import { type MediaTokens, mediaTokens } from "../bounds/MediaTokens.ts"
import { type TierPlan, tierPlan } from "../bounds/TierPlan.ts"
import type { Deployment } from "../domain/Deployment.ts"
import type { InvalidField } from "../domain/Errors.ts"
import { Unsupported } from "../domain/Failures.ts"
import { joinedPresets } from "../domain/Presets.ts"
import type { Bound } from "../domain/pricing/Bound.ts"
import { isFree } from "../domain/pricing/Pricing.ts"
import type { Usage } from "../domain/Usage.ts"
import { hasBudget } from "../keys/Caller.ts"
import { covers } from "../keys/CallerScope.ts"
import type { Intent, Reservation } from "../ledger/Reservation.ts"
import type { Baseline } from "../ledger/Savings.ts"
import type { SpendLedger } from "../ledger/SpendLedger.ts"
import type { Permit } from "../limits/Admitted.ts"
import type { RateLimiter } from "../limits/RateLimiter.ts"
import { isLimited } from "../limits/Subject.ts"
import { type Look, type Measures, measure, unmeasured } from "../media/Measure.ts"
import type { CallRequest } from "../operations/CallRequest.ts"
import type { Operation } from "../operations/Operation.ts"
import { withPresets } from "../operations/Presets.ts"
import type { Produced } from "../operations/ProducedText.ts"
import type { UpstreamCall } from "../pool/Protocol.ts"
import type { CompletionStream, DeploymentHealth } from "../pool/ProviderPool.ts"
import type { ReceiptEvents } from "../receipts/ReceiptEvents.ts"
import type { Decision } from "../routing/Decision.ts"
import { providerSent, routesItself } from "../routing/ProviderChoice.ts"
import type { CallInput } from "./CallInput.ts"
import type { AttemptTarget } from "./Failover.ts"
import type { OutputLimits } from "./OutputLimits.ts"
import { unseenClass, withUnseen } from "./Unseen.ts"

/** A request that was admitted and routed. `baseline`: what its cost is compared with; undefined where there is no comparison. */
interface RoutedCall {
  readonly operation: Operation
  readonly input: CallInput
  readonly decision: Decision
  readonly permit: Permit
  /** That the request is expected to use. */
  readonly tokens: number
  readonly baseline: Baseline | undefined
}

/** `unread`: why the operator's parameters can't be in this request. */
interface SentRequest extends SentFields {
  readonly deployment: Deployment
  readonly unread: Unsupported | undefined
  /** The service tier to request, and the most expensive one that may respond. */
  readonly tier: TierPlan
}

interface CallServices {
  readonly spend: SpendLedger["Service"]
  readonly limiter: Pick<RateLimiter["Service"], "admitRules">
  readonly health: Pick<DeploymentHealth, "outputRate">
  readonly events: ReceiptEvents["Service"]
  readonly clock: Clock.Clock
  readonly outputLimits: OutputLimits
  /** Runs what no request waits for. */
  readonly background: (work: Effect.Effect<void>) => void
}

/** The response cache, which records the response that a provider gives. */
interface CacheRecording {
  readonly report: CacheReport
  readonly recording: (stream: CompletionStream) => CompletionStream
  readonly settled: (
    answer: LiftedAnswer | "stream",
    deployment: Deployment,
    usage: Usage,
    reasons: ReadonlyArray<string>,
    report: RoutingMetadata
  ) => void
}

export class CallContext {
  readonly operation: Operation
  readonly input: CallInput
  readonly decision: Decision
  readonly permit: Permit
  readonly services: CallServices
  /** Set where the request uses the response cache. */
  cached: CacheRecording | undefined
  /** Whether any budget bounds the request. */
  readonly hasBudget: boolean
  private readonly tokens: number
  private readonly baseline: Baseline | undefined
  /** Sizes, pages and seconds of the parts other than text, as far as they are known. */
  private measures: Measures = unmeasured
  /** Fetches images on the web for their sizes. */
  private look: Look | undefined
  private sent: SentRequest | undefined
  private bound: { readonly deployment: Deployment; readonly found: Bound | Unsupported } | undefined

  constructor({ baseline, decision, input, operation, permit, tokens }: RoutedCall, services: CallServices) {
    this.operation = operation
    this.input = input
    this.decision = decision
    this.permit = permit
    this.tokens = tokens
    this.baseline = baseline
    this.services = services
    this.hasBudget = hasBudget(input.caller)
    this.cached = undefined
  }

  /** The client disconnected while the request went on: no further attempt is made. */
  get isDisconnected(): boolean {
    return this.input.departure?.isGone === true
  }

  /** Measures the parts other than text. Images on the web are fetched only where a candidate needs their sizes. */
  measureMedia(look: Look): Effect.Effect<void> {
    this.look = look
    const { media } = this.input.request
    const measures = measure(media, needsLook(media, this.decision.candidates) ? look : undefined)
    return Effect.map(measures, (found) => void (this.measures = found))
  }

  /** The request with the operator's parameters. Fields that choose who pays, and under a budget unknown ones, are removed. */
  sentTo(deployment: Deployment): SentRequest {
    if (this.sent?.deployment === deployment) return this.sent
    const { choice } = this.input.request
    const asked = this.withProvider(deployment)
    const presets = joinedPresets(this.decision.presets?.get(deployment), deployment.presets)
    const preset = presets === undefined ? undefined : withPresets(this.operation, asked, presets, deployment)
    const request = preset !== undefined && Result.isSuccess(preset) ? preset.success : asked
    const unread =
      preset !== undefined && Result.isFailure(preset) ? notReadable(preset.failure, deployment) : undefined
    const billed = deployment.callerBilling === "allow" ? { request, removed: [] } : withoutBilling(request)
    const isCounted = deployment.price !== undefined && !isFree(deployment.price)
    const known =
      isCounted && this.hasBudget && this.input.caller.key.unknownFields === "remove"
        ? knownFields(billed.request, this.operation.readAs ?? this.operation.name, deployment.vendor)
        : { request: billed.request, removed: [] }
    const wishes = routesItself(deployment) ? [] : (choice?.wishes ?? [])
    const removed = [...wishes, ...billed.removed, ...known.removed]
    const tier = tierPlan(deployment, known.request, this.hasBudget || choice?.maxPrice !== undefined)
    this.sent = { deployment, request: known.request, removed, unread, tier }
    return this.sent
  }

  /** OpenRouter chooses among hosts of its own by the caller's `provider`, which no other provider is sent. */
  private withProvider(deployment: Deployment): CallRequest {
    const { request } = this.input
    const { choice = request.choice } = this.decision
    const provider = choice === undefined || !routesItself(deployment) ? undefined : providerSent(choice)
    return provider === undefined ? request : { ...request, body: { ...request.body, provider } }
  }

  /** The caller's fields that are left out or changed at a deployment. `dropped`: those of its protocol. */
  adaptedAt(deployment: Deployment, dropped: ReadonlyArray<string>): ReadonlyArray<string> {
    const { removed } = this.sentTo(deployment)
    return removed.length === 0 ? dropped : [...removed, ...dropped]
  }

  /** The deployments to call, in order. Under a budget, those that can bound the request come first. */
  candidates(): ReadonlyArray<Deployment> {
    const { candidates } = this.decision
    if (!this.hasBudget || this.isBoundAt(candidates[0]!)) return candidates
    const bounded = candidates.filter((deployment) => this.isBoundAt(deployment))
    return bounded.length === 0 ? candidates : bounded
  }

  private isBoundAt(deployment: Deployment): boolean {
    if (deployment.price === undefined) return true
    const { request, unread } = this.sentTo(deployment)
    const found = unread ?? boundOf(request, deployment, this.measures)
    this.bound = { deployment, found }
    return !(found instanceof Unsupported)
  }

  /** What to reserve for an attempt: the most that it can cost, which must be known under a budget; else as much as is known. */
  intent({ deployment, number }: AttemptTarget): Intent | Unsupported {
    const { caller, requestId, strict, tags } = this.input
    const { removed, request, tier, unread } = this.sentTo(deployment)
    if (unread !== undefined) return unread
    if (strict && removed.length > 0) return notKnown(removed[0]!, deployment)
    const known = this.bound?.deployment === deployment ? this.bound.found : undefined
    const found = known ?? boundOf(request, deployment, this.measures)
    const isBound = !(found instanceof Unsupported)
    if (!isBound && deployment.price !== undefined && this.hasBudget) return found
    const bound = isBound ? found : undefined
    return {
      requestId,
      attempt: number,
      caller,
      deployment,
      operation: this.operation.name,
      inputBound: bound?.input ?? request.textBound,
      bound,
      isBound,
      countInput: Effect.suspend(() => this.closer(deployment, bound)),
      countUnits: request.billing?.closerUnits?.(deployment),
      assumedOutput: this.services.outputLimits.of(deployment),
      maxOutput: request.maxOutput,
      choices: request.choices,
      tags,
      baseline: this.baseline,
      tier: tier.dearest,
      orStandard: tier.orStandard,
      outputRate: this.rateAt(deployment)
    }
  }

  /** Admits an attempt under the limits of the model rules for its deployment; undefined where there are none. */
  admitRules(deployment: Deployment) {
    const { caller } = this.input
    if (caller.more === undefined) return undefined
    const rules = caller.more.filter((one) => one.kind === "rule" && isLimited(one.limits) && covers(one, deployment))
    return rules.length === 0 ? undefined : this.services.limiter.admitRules(rules, caller.key.id, this.tokens)
  }

  /** Undefined where the provider does not charge by the token, or generates and charges after a disconnect. */
  private rateAt(deployment: Deployment): number | undefined {
    const { billsAfterDisconnect: billed = "none" } = deployment
    const { billing, stream } = this.sentTo(deployment).request
    if (billing !== undefined || billed === "all" || (billed === "plain" && !stream)) return undefined
    const rate = this.services.health.outputRate(deployment.id)
    return rate > 0 ? rate : undefined
  }

  /** The input to reserve where the bound does not fit: images on the web are measured and text is counted. */
  private closer(deployment: Deployment, bound: Bound | undefined): Effect.Effect<number> {
    const { request } = this.sentTo(deployment)
    if (bound === undefined) return NO_CLOSER_INPUT
    if (request.billing !== undefined) return Effect.succeed(bound.input)
    const { media } = request
    const isUnseen = media.some((part) => part.kind === "image" && !this.measures.has(part.path))
    const { look } = this
    if (!isUnseen || look === undefined) return closerInput(request, deployment, bound)
    return Effect.flatMap(measure(media, look), (measures) => {
      this.measures = measures
      const closer = boundOf(request, deployment, measures)
      return closerInput(request, deployment, closer instanceof Unsupported ? bound : closer)
    })
  }

  upstreamCall({ deployment, instead, portable, triedKeys }: AttemptTarget, reservation: Reservation): UpstreamCall {
    const { caller, departure, forward, held, strict } = this.input
    const { request, tier } = this.sentTo(deployment)
    const { at, maxOutput, toolUses } = reservation
    return {
      operation: this.operation.name,
      request: toolUses === undefined ? request : withMaxUses(request, toolUses, deployment.bounds?.toolCalls),
      deployment,
      maxOutput: request.maxOutput ?? maxOutput,
      serviceTier: tier.send,
      strict,
      now: at,
      callerId: caller.key.id,
      hasBudget: this.hasBudget,
      onLeave: departure?.hear,
      instead,
      triedKeys,
      portable,
      forward,
      held
    }
  }

  /** Only the end of the response reports what tools that the vendor runs read and cost. */
  hasHostedTools(deployment: Deployment): boolean {
    return this.hasBudget && hostedTools(this.sentTo(deployment).request, deployment).hosted.length > 0
  }

  /** The estimated usage of an attempt whose provider reported none, from its start until the call of this method. */
  estimatedUsage(reservation: Reservation, produced: Produced): Effect.Effect<Usage> {
    const { at, deployment } = reservation
    const { request } = this.sentTo(deployment)
    const ms = this.services.clock.currentTimeMillisUnsafe() - at
    const unseen = request.billing === undefined ? unseenClass(deployment, request, produced) : undefined
    const seen = Effect.flatMap(this.media(deployment), (media) => estimateAnswer(request, deployment, produced, media))
    if (unseen === undefined) return seen
    const rate = this.services.health.outputRate(deployment.id)
    return Effect.map(seen, (usage) => withUnseen(usage, unseen, reservation, request, ms, rate))
  }

  private media(deployment: Deployment): Effect.Effect<MediaTokens | undefined> {
    const { request } = this.input
    if (request.media.length === 0) return Effect.undefined
    const seen = this.measures === unmeasured ? measure(request.media, undefined) : Effect.succeed(this.measures)
    return Effect.map(seen, (measures) => mediaTokens(request, deployment, measures, this.hasBudget))
  }
}

const notReadable = ({ message, param }: InvalidField, { id }: Deployment) =>
  new Unsupported({
    param,
    message: `the gateway's configuration adds parameters to this request at ${id}, and with them it is not valid: ${message}`
  })

const notKnown = (param: string, { id }: Deployment) =>
  new Unsupported({
    param,
    message: `\`${param}\` is removed before a request is sent to ${id}, because its cost is not covered by the budget: leave it out, or send the request without X-Gateway-Strict`
  })

/** A request without a bound has no closer one. It gets here only without a budget, where nothing has to fit. */
const NO_CLOSER_INPUT = Effect.succeed(Number.POSITIVE_INFINITY)
