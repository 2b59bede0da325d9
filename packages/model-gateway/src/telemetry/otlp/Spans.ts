/**
 * Receipt → spans, after the fact: one for the request and one for each call to a provider, with OpenTelemetry's GenAI attributes.
 * No prompt, no answer and no header is in a receipt, and so none is in a trace.
 */
import { OtlpResource, type OtlpTracer } from "effect/observability"
import { nanoToUsd } from "@model-gateway/gateway/internal/core/domain/Money"
import {
  errorOf,
  type Receipt,
  type ReceiptAttempt,
  type Refusal
} from "@model-gateway/gateway/internal/core/receipts/Receipt"
import { inputTokens, outputTokens } from "@model-gateway/gateway/internal/core/domain/Usage"
import { genAiOperation } from "@model-gateway/gateway/internal/telemetry/Conventions"
import { answeredWith, cacheWrites, requestOf, responseOf, serverOf } from "./Attributes.ts"
import { idsOf, parseTraceParent } from "./TraceContext.ts"

export type Span = OtlpTracer.TraceData["resourceSpans"][number]["scopeSpans"][number]["spans"][number]

const SERVER = 2
const CLIENT = 3
const UNSET = 0
const ERROR = 2

export const spansOf = (receipt: Receipt): Array<Span> => {
  const { at, attempts, durationMs, status, team } = receipt
  const ids = idsOf(receipt.requestId)
  const parent = parseTraceParent(receipt.traceParent)
  const traceId = parent?.traceId ?? ids.traceId
  const last = attempts[attempts.length - 1]
  const error = errorOf(receipt)
  if (receipt.refusal !== undefined) return [refusalSpan(receipt, receipt.refusal, traceId)]
  const request = span({
    traceId,
    spanId: ids.spanId(0),
    parentSpanId: parent?.spanId,
    name: `POST ${receipt.endpoint}`,
    kind: SERVER,
    from: at,
    to: at + durationMs,
    // A caller who leaves, or a limit that refuses, is not the gateway's fault.
    failure: status === "failed" || status === "cut" ? error : undefined,
    attributes: {
      "http.request.method": "POST",
      "http.route": receipt.endpoint,
      "url.path": receipt.endpoint,
      "http.response.status_code": answeredWith(receipt),
      ...requestOf(receipt),
      "gen_ai.conversation.id": receipt.sessionId,
      "user_agent.name": receipt.client,
      "gen_ai.request.model": receipt.requestedModel,
      ...(last?.outcome === "ok" ? responseOf(last) : undefined),
      "error.type": error,
      "gateway.request_id": receipt.requestId,
      "gateway.key_id": receipt.keyId,
      "gateway.key_name": receipt.keyName ?? undefined,
      "gateway.team": team ?? undefined,
      "gateway.status": status,
      "gateway.bucket": receipt.bucket,
      "gateway.score": receipt.score,
      "gateway.stream": receipt.stream,
      "gateway.retries": Math.max(0, attempts.length - 1),
      "gateway.cost_usd": receipt.priced
        ? nanoToUsd(attempts.reduce((sum, attempt) => sum + attempt.cost, 0))
        : undefined,
      "gateway.tags": receipt.tags.length === 0 ? undefined : receipt.tags
    }
  })
  const calls = attempts
    .filter(({ outcome }) => outcome !== "unsupported")
    .map((attempt, index) => callSpan(attempt, receipt, traceId, ids.spanId(index + 1), ids.spanId(0)))
  return [request, ...calls]
}

/** A request that was not routed: one span, or one for many where a key got the same error often. */
const refusalSpan = (receipt: Receipt, refusal: Refusal, traceId: string): Span => {
  const { at, durationMs, endpoint, keyId, requestId, requestedModel, team } = receipt
  const { code, count, httpStatus, method } = refusal
  return span({
    traceId,
    spanId: idsOf(requestId).spanId(0),
    parentSpanId: parseTraceParent(receipt.traceParent)?.spanId,
    name: endpoint === "" ? method : `${method} ${endpoint}`,
    kind: SERVER,
    from: at,
    to: at + durationMs,
    failure: receipt.status === "failed" ? code : undefined,
    attributes: {
      "http.request.method": method,
      "http.route": endpoint === "" ? undefined : endpoint,
      "http.response.status_code": httpStatus,
      "gen_ai.request.model": requestedModel === "" ? undefined : requestedModel,
      "error.type": code,
      "gateway.request_id": requestId,
      "gateway.key_id": keyId === "" ? undefined : keyId,
      "gateway.key_name": receipt.keyName ?? undefined,
      "gateway.team": team ?? undefined,
      "gateway.status": receipt.status,
      "gateway.refusals": count
    }
  })
}

const callSpan = (
  attempt: ReceiptAttempt,
  receipt: Receipt,
  traceId: string,
  spanId: string,
  parentSpanId: string
): Span => {
  const { at } = receipt
  const { firstTokenMs, outcome, startedMs, usage } = attempt
  const error = outcome === "ok" ? undefined : outcome
  const input = inputTokens(usage)
  const output = outputTokens(usage)
  return span({
    traceId,
    spanId,
    parentSpanId,
    name: `${genAiOperation(receipt.endpoint)} ${attempt.model}`,
    kind: CLIENT,
    from: at + startedMs,
    to: at + startedMs + attempt.durationMs,
    failure: outcome === "client_gone" ? undefined : error,
    attributes: {
      ...requestOf(receipt),
      "gen_ai.provider.name": attempt.provider,
      "gen_ai.request.model": attempt.model,
      ...(outcome === "ok" ? responseOf(attempt) : undefined),
      "gen_ai.response.time_to_first_chunk": firstTokenMs === null ? undefined : (firstTokenMs - startedMs) / 1000,
      "gen_ai.usage.input_tokens": input === 0 ? undefined : input,
      "gen_ai.usage.output_tokens": output === 0 ? undefined : output,
      "gen_ai.usage.cache_read.input_tokens": usage.cachedInput === 0 ? undefined : usage.cachedInput,
      "gen_ai.usage.cache_creation.input_tokens": cacheWrites(usage) || undefined,
      "gen_ai.usage.reasoning.output_tokens": usage.reasoning === 0 ? undefined : usage.reasoning,
      ...serverOf(attempt.baseUrl),
      "http.request.method": "POST",
      "http.response.status_code": attempt.httpStatus ?? undefined,
      "error.type": error,
      "gateway.upstream.message": attempt.error?.message,
      "gateway.upstream.code": attempt.error?.code ?? undefined,
      "gateway.upstream.type": attempt.error?.type ?? undefined,
      "gateway.deployment": attempt.deployment,
      "gateway.cost_usd": nanoToUsd(attempt.cost),
      "gateway.usage_estimated": attempt.estimated ? true : undefined
    },
    events: firstTokenMs === null ? [] : [{ name: "first_token", at: at + firstTokenMs }]
  })
}

interface SpanFields {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: number
  /** Epoch milliseconds. */
  readonly from: number
  readonly to: number
  readonly failure: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events?: ReadonlyArray<{ readonly name: string; readonly at: number }>
}

const span = ({ attributes, events = [], failure, from, to, ...same }: SpanFields): Span => ({
  ...same,
  startTimeUnixNano: nanoseconds(from),
  endTimeUnixNano: nanoseconds(to),
  attributes: present(attributes),
  droppedAttributesCount: 0,
  events: events.map((event) => ({
    name: event.name,
    timeUnixNano: nanoseconds(event.at),
    attributes: [],
    droppedAttributesCount: 0
  })),
  droppedEventsCount: 0,
  status: failure === undefined ? { code: UNSET } : { code: ERROR, message: failure },
  links: [],
  droppedLinksCount: 0
})

/** What has a value, as OTLP has it. */
const present = (attributes: Readonly<Record<string, unknown>>): Span["attributes"] => {
  const pairs: Span["attributes"] = []
  for (const key in attributes) {
    const value = attributes[key]
    if (value !== undefined) pairs.push({ key, value: OtlpResource.unknownToAttributeValue(value) })
  }
  return pairs
}

/** To the microsecond: more digits than a number can hold exactly. */
const nanoseconds = (epochMs: number): string => `${Math.round(epochMs * 1000)}000`
