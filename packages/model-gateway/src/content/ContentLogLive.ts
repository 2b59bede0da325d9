/**
 * Logs the content of requests. A request puts references into a list, nothing else; records are made beside the requests, and each sink
 * has a list of its own. What does not fit into `queue_mb` is dropped and counted, and no request waits for a sink.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Clock, Effect, Latch, Layer, Metric, Result, Schema } from "effect"
import { Metrics as Definitions, RequestContent } from "@model-gateway/protocol"
import { loadPatterns } from "@model-gateway/gateway/internal/core/guardrails/PatternRule"
import { rulesOf } from "@model-gateway/gateway/internal/core/guardrails/Guardrails"
import {
  type GuardrailSettings,
  type LocalCheck,
  personalData
} from "@model-gateway/gateway/internal/core/domain/Guardrail"
import {
  type ContentLevel,
  contentLevels,
  type ContentSettings
} from "@model-gateway/gateway/internal/core/domain/Settings"
import type { Caller } from "@model-gateway/gateway/internal/core/keys/Caller"
import type { CallRequest } from "@model-gateway/gateway/internal/core/operations/CallRequest"
import { ContentLog } from "@model-gateway/gateway/internal/core/receipts/ContentLog"
import { Meters } from "@model-gateway/gateway/internal/telemetry/metrics/Meters"
import type { OtlpSettings } from "../telemetry/otlp/OtlpSettings.ts"
import { idsOf, parseTraceParent } from "../telemetry/otlp/TraceContext.ts"
import { ContentCapture } from "./ContentCapture.ts"
import { contentOf, type LoggedContent } from "./ContentRecord.ts"
import { type ContentSink, openSinks } from "./Sinks.ts"

const BATCH_AFTER = "1 second"

export const layer = (
  settings: ContentSettings,
  guardrails: GuardrailSettings | undefined,
  resource: OtlpSettings["resource"]
) => Layer.effect(ContentLog, make(settings, guardrails, resource)).pipe(Layer.provide(NodeHttpClient.layerUndici))

const make = Effect.fnUntraced(function* (
  settings: ContentSettings,
  guardrails: GuardrailSettings | undefined,
  resource: OtlpSettings["resource"]
) {
  yield* loadPatterns
  const clock = yield* Clock.Clock
  const meters = new Meters(yield* Metric.MetricRegistry)
  const { mostCharacters, queueBytes } = settings
  const rules = { redact: redacting(settings, guardrails?.checks ?? []), mostCharacters }
  const sinks = yield* openSinks(settings, resource)
  const hasSome = Latch.makeUnsafe(false)
  let waiting: Array<{ readonly logged: LoggedContent; readonly bytes: number }> = []
  let bytesWaiting = 0
  let dropped = 0
  const bytes = () => sinks.reduce((sum, sink) => sum + sink.bytes(), bytesWaiting)
  meters.gauge(Definitions.contentQueue, {}, bytes)
  for (const sink of sinks) {
    const labels = { sink: sink.name }
    meters.counter(Definitions.contentRecords, { ...labels, result: "written" }, sink.written)
    meters.counter(Definitions.contentRecords, { ...labels, result: "dropped" }, () => dropped + sink.dropped())
  }

  const drain = Effect.gen(function* () {
    const batch = waiting
    waiting = []
    for (const { bytes, logged } of batch) {
      const record = Result.try(() => recordOf(logged, contentOf(logged, rules)))
      bytesWaiting -= bytes
      if (Result.isFailure(record)) dropped++
      else for (const sink of sinks) sink.push(record.success)
      yield* Effect.yieldNow
    }
    yield* Effect.forEach(sinks, ({ flush }) => Effect.forkChild(flush), { discard: true })
  })
  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      drain,
      Effect.forEach(sinks, ({ flush }) => flush, { discard: true })
    )
  )
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* hasSome.await
        yield* Effect.sleep(BATCH_AFTER)
        hasSome.closeUnsafe()
        yield* drain
      })
    )
  )

  const ended = (logged: LoggedContent, request: CallRequest): void => {
    const size = sizeOf(logged, request)
    if (bytes() + size > queueBytes) {
      dropped++
      return
    }
    waiting.push({ logged, bytes: size })
    bytesWaiting += size
    hasSome.openUnsafe()
  }

  const files = sinks.flatMap(({ find }) => find ?? [])
  return ContentLog.of({
    begin: (operation, caller, asked) => {
      const level = levelOf(settings, caller, asked)
      return level === "none" ? undefined : new ContentCapture(operation, level, mostCharacters, ended)
    },
    find: ({ at, durationMs, requestId }) =>
      Effect.gen(function* () {
        for (const find of files) {
          const line = yield* find(requestId, at + durationMs)
          if (line !== undefined) return Result.getOrUndefined(decodeContent(line))
        }
        return undefined
      }).pipe(Effect.provideService(Clock.Clock, clock))
  })
})

const decodeContent = Schema.decodeUnknownResult(Schema.fromJsonString(RequestContent))

const place = (level: ContentLevel): number => contentLevels.indexOf(level)

/** The strictest of all that are said about it. */
const levelOf = (
  { default: otherwise, keys, max, teams }: ContentSettings,
  { key: { id, name, team } }: Caller,
  asked: ContentLevel | undefined
): ContentLevel => {
  const ofKey = keys.get(id) ?? (name === null ? undefined : keys.get(name))
  const ofTeam = team === null ? undefined : teams.get(team)
  const said = ofKey === undefined && ofTeam === undefined ? [otherwise] : [ofKey ?? "full", ofTeam ?? "full"]
  return [max, asked ?? "full", ...said].reduce((one, other) => (place(one) <= place(other) ? one : other))
}

const everything: ReadonlyArray<LocalCheck> = [
  { name: "secrets", kind: "secrets", action: "mask" },
  { name: "pii", kind: "pii", action: "mask", detect: personalData }
]

const redacting = ({ redact }: ContentSettings, checks: GuardrailSettings["checks"]) => {
  const local = checks.flatMap((check) => (check.kind === "webhook" ? [] : check))
  const chosen = redact === undefined ? everything : local.filter(({ name }) => redact.includes(name))
  return chosen.flatMap(rulesOf).map((rule) => ({ ...rule, action: "mask" as const }))
}

/** About what it takes in memory: prompts are bounded by their texts, files by their base64. */
const sizeOf = ({ events, response }: LoggedContent, { media, textBound }: CallRequest): number =>
  textBound +
  media.reduce((sum, { source }) => sum + (source?.length ?? 0), 0) +
  events.reduce((sum, event) => sum + event.length, 0) +
  (response === undefined ? 0 : lengthOf(response))

const lengthOf = (value: unknown): number =>
  typeof value === "string"
    ? value.length
    : typeof value === "object" && value !== null
      ? Object.values(value).reduce((sum: number, one) => sum + lengthOf(one), 16)
      : 8

/** A line of a file, and what it is made from. */
const recordOf = ({ receipt }: LoggedContent, content: RequestContent): Parameters<ContentSink["push"]>[0] => {
  const { at, attempts, deployment, durationMs, endpoint, keyId, keyName, requestedModel, status, stream, team } =
    receipt
  const traceId = parseTraceParent(receipt.traceParent)?.traceId ?? idsOf(receipt.requestId).traceId
  const line = JSON.stringify({
    v: 1,
    ...content,
    trace_id: traceId,
    at: new Date(at).toISOString(),
    duration_ms: durationMs,
    endpoint,
    key_id: keyId,
    key_name: keyName,
    team,
    end_user: receipt.endUser ?? null,
    session_id: receipt.sessionId ?? null,
    model: requestedModel,
    deployment,
    status,
    stream,
    attempts: attempts.length,
    guardrails: receipt.guardrails ?? []
  })
  return { receipt, content, line: `${line}\n` }
}
