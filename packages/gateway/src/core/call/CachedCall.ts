/** The response cache in one call: what it looks up, what it records of the response, and the response that it gives. */
import { Cause, Effect, type Scope, Stream } from "effect"
import type { StoreUnavailable } from "../domain/Errors.ts"
import { type Deployment, decisionName } from "../domain/Deployment.ts"
import type { Usage } from "../domain/Usage.ts"
import { bypassOf, cacheId } from "../cache/CacheKey.ts"
import { idsIn, withFreshIds } from "../cache/CacheEntry.ts"
import { type CacheHit, type CacheMiss, type CacheUse, type ResponseCache } from "../cache/ResponseCache.ts"
import { hostedTools } from "../bounds/HostedTools.ts"
import type { LiftedAnswer, StreamEvent } from "../operations/LiftedAnswer.ts"
import type { CacheReport, RoutingMetadata } from "../operations/RoutingMetadata.ts"
import type { Completion, CompletionStream } from "../pool/ProviderPool.ts"
import { CallReceipt } from "../receipts/CallReceipt.ts"
import type { CallContext } from "./CallContext.ts"
import type { Answer } from "./CallInput.ts"

/** How an ordinary response ends. */
const ENDS = new Set(["stop", "end_turn", "stop_sequence", "completed"])
const AT_LIMIT = new Set(["length", "max_tokens"])
const CALLS = new Set(["tool_calls", "tool_use", "function_call"])
/** Operations whose responses say no reason. */
const WITHOUT_REASON = new Set(["embeddings", "rerank"])
/** A call of the client's function; in a text its quotes would be escaped. */
const A_CALL = /"(?:tool_calls|function_call)":\s?[[{]|"type":\s?"(?:\w+_use|\w+_call)"/

/** What the cache of a process is made of. */
export interface CacheServices {
  readonly cache: ResponseCache
  readonly secret: Uint8Array
  /** Of gateway and catalogue. */
  readonly versions: string
}

/** A request that uses the cache and got no response from it. It records the response that a provider gives. */
export class CachedCall {
  private readonly context: CallContext
  private readonly use: CacheUse
  private readonly services: CacheServices
  private miss: CacheMiss | undefined
  private events: Array<StreamEvent> | undefined
  private isStored = false
  private why: string | undefined
  private startedAt = 0

  constructor(context: CallContext, use: CacheUse, services: CacheServices) {
    this.context = context
    this.use = use
    this.services = services
  }

  get report(): CacheReport {
    const { directives } = this.use
    if (this.why !== undefined) return { result: "bypass", detail: this.why }
    const reason = directives?.noCache === true ? "request" : this.miss?.isStale === true ? "stale" : "uri-miss"
    return { result: "miss", reason, isStored: this.isStored }
  }

  /** Undefined: a provider is called. */
  find(): Effect.Effect<CacheHit | undefined, never, Scope.Scope> {
    const { context, use } = this
    const [deployment] = context.decision.candidates as readonly [Deployment]
    const { request } = context.sentTo(deployment)
    this.startedAt = context.services.clock.currentTimeMillisUnsafe()
    this.why =
      use.directives?.noStore === true
        ? "no-store"
        : bypassOf(request, hostedTools(request, deployment).hosted.length > 0)
    const id = this.why === undefined ? this.idAt(deployment) : undefined
    if (id === undefined) {
      this.why ??= "size"
      return Effect.undefined
    }
    return Effect.map(this.services.cache.find(id, use), (found) => {
      if ("entry" in found) return found
      this.miss = found
      return undefined
    })
  }

  private idAt(deployment: Deployment): string | undefined {
    const { input, operation } = this.context
    const { secret, versions } = this.services
    const { request } = this.context.sentTo(deployment)
    const { forward, guarded, strict } = input
    const policy = guarded?.policy.id ?? ""
    const { owner } = this.use
    return cacheId({ owner, operation: operation.name, deployment, request, forward, strict, policy, versions }, secret)
  }

  /** The same stream. Its events are recorded as long as they may be stored. */
  recording(stream: CompletionStream): CompletionStream {
    if (this.miss === undefined) return stream
    const recorded: Array<StreamEvent> = []
    this.events = recorded
    let left = this.use.largestEntry
    const events = Effect.map(stream.events, (some) => {
      if (this.events !== recorded) return some
      for (const event of some) {
        if ("data" in event) left -= event.data.length
        recorded.push(event)
      }
      if (left < 0 || some.some(({ kind }) => kind === "failed" || kind === "malformed")) this.events = undefined
      return some
    })
    return { ...stream, events }
  }

  /** A complete response that is settled, for `cost`. */
  completed(
    deployment: Deployment,
    completion: Completion,
    usage: Usage,
    reasons: ReadonlyArray<string>,
    cost: number
  ) {
    const { body, dropped, raw, serviceTier, text } = completion
    const texts = [text ?? JSON.stringify(body)]
    this.keep({ body, raw, serviceTier, text, usage: completion.usage }, undefined, texts, deployment, usage, reasons, {
      cost,
      dropped
    })
  }

  /** A stream that ended well and is settled. */
  streamed(
    deployment: Deployment,
    usage: Usage,
    reasons: ReadonlyArray<string>,
    cost: number,
    dropped: ReadonlyArray<string>
  ) {
    const { events } = this
    if (events === undefined) return
    const texts = events.flatMap((event) => ("data" in event ? [event.data] : []))
    this.keep(undefined, events, texts, deployment, usage, reasons, { cost, dropped })
  }

  private keep(
    answer: LiftedAnswer | undefined,
    events: ReadonlyArray<StreamEvent> | undefined,
    texts: ReadonlyArray<string>,
    deployment: Deployment,
    usage: Usage,
    reasons: ReadonlyArray<string>,
    { cost, dropped }: { readonly cost: number; readonly dropped: ReadonlyArray<string> }
  ): void {
    const { context, services, use } = this
    const { input, operation, decision } = context
    if (this.miss === undefined || !this.isOrdinary(reasons, texts)) return
    const id = deployment === decision.candidates[0] ? this.miss.id : this.idAt(deployment)
    if (id === undefined) return
    this.isStored = true
    const entry = {
      at: context.services.clock.currentTimeMillisUnsafe(),
      cost,
      requestId: input.requestId,
      dropped,
      usage,
      answer,
      events,
      ids: idsIn(texts)
    }
    const responseId = operation.name === "responses" ? entry.ids.find((one) => one.startsWith("resp")) : undefined
    const miss = { ...this.miss, id }
    const keyId = input.caller.key.id
    const model = decisionName(deployment)
    context.services.background(services.cache.keep({ entry, use, miss, keyId, model, responseId }))
  }

  /** Neither cut, filtered, changed nor shortened by the gateway. */
  private isOrdinary(reasons: ReadonlyArray<string>, texts: ReadonlyArray<string>): boolean {
    const { input, operation } = this.context
    const { guarded, request } = input
    const { toolCalls } = this.use
    if (guarded?.verdicts.some(({ action, stage }) => stage === "response" && action !== "pass") === true) return false
    if (WITHOUT_REASON.has(operation.name)) return true
    const isEnd = (reason: string) =>
      ENDS.has(reason) || (toolCalls && CALLS.has(reason)) || (AT_LIMIT.has(reason) && request.maxOutput !== undefined)
    return reasons.length > 0 && reasons.every(isEnd) && (toolCalls || !texts.some((text) => A_CALL.test(text)))
  }

  /** The response of the cache, under ids of its own. It is counted, and costs nothing. */
  answer({ ageMs, entry, isCollapsed }: CacheHit): Effect.Effect<Answer, StoreUnavailable> {
    const { decision, input, operation, permit, services } = this.context
    const { guarded, keep, request } = input
    const [deployment] = decision.candidates as readonly [Deployment]
    const { cost: saved, dropped, requestId: fromRequest, usage } = entry
    const ttlMs = Math.max(0, this.use.ttlMs - ageMs)
    const cache: CacheReport = { result: "hit", ageMs, ttlMs, isCollapsed, saved, fromRequest }
    const { bucket, score } = decision
    const guardrail = guarded?.outcome
    const report: RoutingMetadata = {
      requestId: input.requestId,
      deployment,
      bucket,
      score,
      retries: 0,
      cost: 0,
      isPriced: true,
      dropped,
      cache,
      ...(guardrail === undefined ? undefined : { guardrail })
    }
    const counted = Effect.suspend(() => {
      if (input.departure !== undefined) input.departure.hasReceipt = true
      const now = services.clock.currentTimeMillisUnsafe()
      const ended = { input, decision, deployment, attempts: [], status: "ok" as const, now, refusal: undefined }
      services.events.ended(new CallReceipt({ ...ended, cache, startedAt: this.startedAt }))
      const { caller, requestId, tags } = input
      const booked = services.spend.cached({ requestId, caller, deployment, operation: operation.name, tags }, saved)
      return Effect.andThen(booked, Effect.ignore(permit.settle(0)))
    })
    const kept = (body: LiftedAnswer["body"] | undefined) =>
      keep === undefined || body === undefined ? Effect.succeed(true) : keep(body, usage, report, guarded?.masked)
    const { answer, events } = withFreshIds(entry)
    if (answer !== undefined) {
      const content = (isStored: boolean) => operation.withMetadata(answer, usage, { ...report, isStored }, request)
      return Effect.andThen(
        counted,
        Effect.map(kept(answer.body), (isStored): Answer => ({ kind: "whole", content: content(isStored), report }))
      )
    }
    const relay = operation.relay(request)
    let at = 0
    let settled: RoutingMetadata | undefined
    const next = Effect.suspend((): Effect.Effect<readonly [string], StoreUnavailable | Cause.Done> => {
      if (settled !== undefined) return Cause.done()
      if (at < events!.length) {
        const text = relay.push(events!.slice(at, (at += AT_ONCE)))
        return text === "" ? next : Effect.as(Effect.yieldNow, [text])
      }
      relay.close()
      return Effect.map(kept(relay.answer?.(usage)), (isStored) => {
        settled = report
        return [relay.ending({ ...report, isStored }, usage)]
      })
    })
    return Effect.as(counted, {
      kind: "stream",
      events: Stream.fromPull(Effect.succeed(next)),
      report,
      settled: () => settled,
      broken: relay.broken?.bind(relay)
    } satisfies Answer as Answer)
  }
}

/** Events that are written between two pauses for other requests. */
const AT_ONCE = 64
