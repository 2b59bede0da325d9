/** `generateContent` and `countTokens` for callers of Google's own API: their answers come back as they are. */
import { Result } from "effect"
import { contentName } from "@model-gateway/protocol"
import { type ProviderFailure, truncated } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { tierNamed } from "../../../../core/domain/pricing/ServiceTier.ts"
import { noUsage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer, StreamEvent } from "../../../../core/operations/LiftedAnswer.ts"
import type { WireEvent } from "../../../../core/pool/Framing.ts"
import type { Dialect, StreamLifter, UpstreamCall } from "../../../../core/pool/Protocol.ts"
import { renamed } from "../../../bridges/Bridge.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { isObject, objectOf, objectOr, objectsIn, textOf } from "../../../json/LooseJson.ts"
import { MALFORMED } from "../../shared/JsonEvents.ts"
import { blocked, searchesIn } from "../answer/GeminiCandidates.ts"
import { readUsage } from "../answer/GeminiChatUsage.ts"
import { errorIn, reportedFailure } from "../GeminiErrors.ts"
import { modelPath } from "../GeminiModels.ts"
import { lower } from "../request/GeminiChatRequest.ts"

const failureIn = (body: unknown): ProviderFailure | undefined => {
  const error = errorIn(body)
  return error === undefined ? (isObject(body) ? blocked(body) : undefined) : reportedFailure(error)
}

const usageOf = (response: JsonObject, webSearches: number): Pick<LiftedAnswer, "usage" | "serviceTier"> => {
  const raw = objectOf(response["usageMetadata"])
  const usage = readUsage(raw)
  return { usage: usage && { ...usage, webSearches }, serviceTier: tierNamed(raw?.["serviceTier"]) }
}

const hasEnded = (candidate: JsonObject): boolean => textOf(candidate["finishReason"]) !== undefined

const lift: Dialect["lift"] = (text, call) => {
  const body = parseJson(text)
  const failure = failureIn(body)
  if (failure !== undefined) return Result.fail(failure)
  const candidates = objectsIn(objectOr(body)["candidates"])
  return isObject(body) && candidates.length > 0 && candidates.every(hasEnded)
    ? Result.succeed({ body, text, ...usageOf(body, searchesIn(candidates, call.deployment.facts)) })
    : Result.fail(truncated("the provider's response has no candidates that can be read"))
}

class ContentStream implements StreamLifter {
  private readonly call: UpstreamCall
  private last: JsonObject = {}
  private searches = 0
  private hasFinished = false
  private closed = false

  constructor(call: UpstreamCall) {
    this.call = call
  }

  push({ data }: WireEvent): ReadonlyArray<StreamEvent> {
    if (this.closed || data.trim() === "") return []
    const event = parseJson(data)
    const failure = failureIn(event)
    if (failure !== undefined) {
      this.closed = true
      return [{ kind: "failed", failure }]
    }
    if (!isObject(event)) return MALFORMED
    if (isObject(event["usageMetadata"])) this.last = event
    const candidates = objectsIn(event["candidates"])
    this.searches = Math.max(this.searches, searchesIn(candidates, this.call.deployment.facts))
    const isLast = candidates.some(hasEnded)
    this.hasFinished ||= isLast
    const says = isLast || candidates.some((one) => objectsIn(objectOr(one["content"])["parts"]).length > 0)
    return onePart(event, candidates).map((one, index, all) => ({
      kind: isLast && index === all.length - 1 ? "finish" : says ? "content" : "lifecycle",
      data: JSON.stringify(one)
    }))
  }

  end(): ReadonlyArray<StreamEvent> {
    if (this.closed || !this.hasFinished) return []
    this.closed = true
    const { serviceTier, usage } = usageOf(this.last, this.searches)
    return [
      ...(usage === undefined ? [] : [{ kind: "usage" as const, data: "", usage, serviceTier }]),
      { kind: "done" }
    ]
  }
}

/** An event of several parts as several events: guardrails follow a text from event to event by its place. */
const onePart = (event: JsonObject, candidates: ReadonlyArray<JsonObject>): ReadonlyArray<JsonObject> => {
  const [{ content, finishReason, ...candidate } = {}] = candidates
  const parts = objectsIn(objectOr(content)["parts"])
  if (candidates.length !== 1 || parts.length < 2) return [event]
  return parts.map((part, index) => {
    const reason = index === parts.length - 1 && finishReason !== undefined ? { finishReason } : {}
    return { ...event, candidates: [{ ...candidate, content: { ...objectOr(content), parts: [part] }, ...reason }] }
  })
}

const stream = (call: UpstreamCall): StreamLifter => new ContentStream(call)

/** Requests were read into those of chat, which have places for all that is Google's alone. */
export const GeminiContent: Dialect = { lower: (call) => renamed(lower(call), contentName), lift, stream }

/** Google's own count, which is free: https://ai.google.dev/api/tokens (2026-11-28). Vertex takes the request itself. */
export const GeminiCount: Dialect = {
  lower: (call) =>
    Result.map(lower({ ...call, maxOutput: undefined, strict: false }), (wire) => {
      const { model, vendor } = call.deployment
      const whole = { model: `models/${model}`, ...(JSON.parse(wire.body) as JsonObject) }
      const body = vendor === "vertex" ? wire.body : JSON.stringify({ generateContentRequest: whole })
      return { ...wire, path: `${modelPath(model)}:countTokens`, body }
    }),
  lift: (text) => {
    const body = parseJson(text)
    const failure = failureIn(body)
    if (failure !== undefined) return Result.fail(failure)
    const { totalTokens } = objectOr(body)
    return typeof totalTokens === "number"
      ? Result.succeed({ body: { input_tokens: totalTokens }, usage: noUsage })
      : Result.fail(truncated("the provider's response is not a count"))
  },
  stream
}
