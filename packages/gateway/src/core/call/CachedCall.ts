/** The response cache in one call: what it looks up, what it records of a provider's response, and the response that it gives. */
import { type CacheReport, isOrdinaryEnd, responseIds } from "@model-gateway/protocol"
import { Cause, Effect, type Scope, Stream } from "effect"
import { hostedTools } from "../bounds/HostedTools.ts"
import { answerOf, type CachedContent, contentOf, textsOf } from "../cache/CacheEntry.ts"
import { bypassOf, cacheId } from "../cache/CacheKey.ts"
import type { CacheHit, CacheMiss, CacheUse, ResponseCache } from "../cache/ResponseCache.ts"
import { type Deployment, decisionName } from "../domain/Deployment.ts"
import type { StoreUnavailable } from "../domain/Errors.ts"
import type { JsonObject } from "../domain/Json.ts"
import type { Usage } from "../domain/Usage.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { CompletionStream } from "../pool/ProviderPool.ts"
import { CallReceipt } from "../receipts/CallReceipt.ts"
import type { CallContext } from "./CallContext.ts"
import type { Answer } from "./CallInput.ts"

/** Operations whose responses give no reason for their end. */
const WITHOUT_REASON = new Set(["embeddings", "rerank"])
/** Events that are written between two pauses for other requests. */
const AT_ONCE = 64

interface CacheServices {
  readonly cache: ResponseCache
  readonly secret: string
  /** Of gateway and catalogue. */
  readonly versions: string
}

export class CachedCall {
  private readonly context: CallContext
  private readonly use: CacheUse
  private readonly services: CacheServices
  private miss: CacheMiss | undefined
  private events: Array<StreamEvent> | undefined
  private isStored = false
  private bypass: string | undefined
  private readonly startedAt: number

  constructor(context: CallContext, use: CacheUse, services: CacheServices) {
    this.context = context
    this.use = use
    this.services = services
    this.startedAt = context.services.clock.currentTimeMillisUnsafe()
  }

  /** Of a response that a provider gave. */
  get report(): CacheReport {
    const { bypass, isStored, miss, use } = this
    if (bypass !== undefined) return { result: "bypass", detail: bypass }
    const isAsked = use.directives?.noCache === true
    return { result: "miss", reason: isAsked ? "request" : miss?.isStale === true ? "stale" : "uri-miss", isStored }
  }

  /** Undefined: a provider is called. */
  find(): Effect.Effect<CacheHit | undefined, never, Scope.Scope> {
    const { context, services, use } = this
    const deployment = context.decision.candidates[0]!
    const { request } = context.sentTo(deployment)
    const isRefused = use.directives?.noStore === true
    const isAsked = (context.input.guarded?.policy.webhooks.response.length ?? 0) > 0
    const runsTools = hostedTools(request, deployment).hosted.length > 0
    this.bypass = isRefused ? "no-store" : isAsked ? "webhook" : bypassOf(request, runsTools)
    const id = this.bypass === undefined ? this.idAt(deployment) : undefined
    if (id === undefined) {
      this.bypass ??= "size"
      return Effect.undefined
    }
    return Effect.map(services.cache.find(id, use), (found) => {
      if ("entry" in found) return found
      this.miss = found
      return undefined
    })
  }

  private idAt(deployment: Deployment): string | undefined {
    const { input, operation } = this.context
    const { request } = this.context.sentTo(deployment)
    const { secret, versions } = this.services
    const { forward, guarded, strict } = input
    const of = { owner: this.use.owner, operation: operation.name, deployment, request, forward, strict, versions }
    return cacheId({ ...of, policy: guarded?.policy.id ?? "" }, secret)
  }

  /** The same stream. Its events are recorded as long as they may be stored. */
  recording(stream: CompletionStream): CompletionStream {
    const recorded: Array<StreamEvent> = []
    let left = this.use.largestEntry
    this.events = recorded
    const record = (events: ReadonlyArray<StreamEvent>) => {
      if (left < 0) return
      for (const event of events) {
        if (event.kind === "failed" || event.kind === "malformed") left = -1
        else if (event.kind === "finish" && event.isEndGuessed === true) left = -1
        else if ("data" in event) left -= event.data.length
        recorded.push(event)
      }
      if (left < 0) this.events = undefined
    }
    return { ...stream, events: Effect.tap(stream.events, (events) => Effect.sync(() => record(events))) }
  }

  /** Stores the response of an attempt that ended well and was settled, unless it was cut, filtered, changed or shortened. */
  settled(
    answer: LiftedAnswer | "stream",
    deployment: Deployment,
    usage: Usage,
    reasons: ReadonlyArray<string>,
    report: RoutingMetadata
  ) {
    const { context, events, miss, services, use } = this
    const { decision, input, operation } = context
    const { guarded, request } = input
    if (miss === undefined || (answer === "stream" ? events === undefined : answer.isEndGuessed === true)) return
    if (guarded?.verdicts.some(({ action, stage }) => stage === "response" && action !== "pass") === true) return
    const content: CachedContent = answer === "stream" ? { events: events! } : contentOf(answer)
    const texts = textsOf(content)
    const limits = { hasLimit: request.maxOutput !== undefined, toolCalls: use.toolCalls }
    if (!WITHOUT_REASON.has(operation.name) && !isOrdinaryEnd(reasons, texts, limits)) return
    const id = deployment === decision.candidates[0] ? miss.id : this.idAt(deployment)
    if (id === undefined) return
    this.isStored = true
    const { cost, dropped, requestId } = report
    const ids = responseIds(texts)
    const at = context.services.clock.currentTimeMillisUnsafe()
    const responseId = operation.name === "responses" ? ids.find((one) => one.startsWith("resp_")) : undefined
    const place = { keyId: input.caller.key.id, model: decisionName(deployment), responseId }
    const entry = { at, cost: cost ?? 0, requestId, dropped, usage, content, ids }
    context.services.background(services.cache.keep({ ...miss, id }, entry, use, place))
  }

  /** The response of the cache. It is counted, and costs nothing. */
  answer({ ageMs, entry, isCollapsed }: CacheHit): Effect.Effect<Answer, StoreUnavailable> {
    const { decision, input, operation } = this.context
    const { captured, guarded, keep, request, requestId } = input
    const { cost: saved, dropped, requestId: fromRequest, usage } = entry
    const ttlMs = Math.max(0, this.use.ttlMs - ageMs)
    const cache = { result: "hit", ageMs, ttlMs, isCollapsed, saved, fromRequest } as const
    const { bucket, candidates, score } = decision
    const made = {
      requestId,
      deployment: candidates[0]!,
      bucket,
      score,
      retries: 0,
      cost: 0,
      isPriced: true,
      dropped,
      cache
    }
    const guardrail = guarded?.outcome
    const report: RoutingMetadata = guardrail === undefined ? made : { ...made, guardrail }
    const kept = (body: JsonObject | undefined) =>
      keep === undefined || body === undefined ? Effect.succeed(true) : keep(body, usage, report, guarded?.masked)
    const answer = answerOf(entry)
    captured?.begin()
    if ("body" in answer) captured?.complete(answer)
    else captured?.add(answer)
    if ("body" in answer) {
      const written = Effect.map(kept(answer.body), (isStored): Answer => {
        const content = operation.withMetadata(answer, usage, { ...report, isStored }, request)
        return { kind: "whole", content, report }
      })
      return Effect.andThen(this.counted(cache), written)
    }
    const relay = operation.relay(request)
    let at = 0
    let settled: RoutingMetadata | undefined
    const next = Effect.suspend((): Effect.Effect<readonly [string], StoreUnavailable | Cause.Done> => {
      if (settled !== undefined) return Cause.done()
      if (at < answer.length) {
        const text = relay.push(answer.slice(at, (at += AT_ONCE)))
        return text === "" ? next : Effect.as(Effect.yieldNow, [text])
      }
      relay.close()
      return Effect.map(kept(relay.answer?.(usage)), (isStored) => {
        settled = report
        return [relay.ending({ ...report, isStored }, usage)]
      })
    })
    const events = Stream.fromPull(Effect.succeed(next))
    return Effect.as(this.counted(cache), { kind: "stream", events, report, settled: () => settled })
  }

  /** One request in the receipts and the ledger, and none of the expected tokens. */
  private counted(cache: CacheReport & { readonly result: "hit" }): Effect.Effect<void> {
    const { decision, input, operation, permit, services } = this.context
    const { caller, departure, requestId, tags } = input
    const deployment = decision.candidates[0]!
    const { startedAt } = this
    return Effect.suspend(() => {
      if (departure !== undefined) departure.hasReceipt = true
      const now = services.clock.currentTimeMillisUnsafe()
      const call = { input, decision, deployment, attempts: [], refusal: undefined }
      const receipt = new CallReceipt({ ...call, status: "ok", now, cache, startedAt })
      input.captured?.ended(receipt, input.request)
      services.events.ended(receipt)
      const booked = { requestId, caller, deployment, operation: operation.name, tags }
      return Effect.andThen(services.spend.cached(booked, cache.saved), Effect.ignore(permit.settle(0)))
    })
  }
}
