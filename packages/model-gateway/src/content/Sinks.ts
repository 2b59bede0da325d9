/** Where records of content go: collectors and files, each with a list of its own. */
import { Clock, Effect, Redacted, Semaphore } from "effect"
import type { ContentSettings, ContentSink as SinkSettings } from "@model-gateway/gateway/internal/core/domain/Settings"
import { makeBatchExporter } from "../telemetry/otlp/BatchExporter.ts"
import type { OtlpSettings } from "../telemetry/otlp/OtlpSettings.ts"
import { type ContentItem, contentSpans } from "./ContentSpans.ts"
import { JsonlSink } from "./JsonlSink.ts"

export interface ContentSink {
  readonly name: string
  /** Never waits. */
  readonly push: (item: ContentItem) => void
  /** Sends what was pushed, where the sink does not do so by itself. */
  readonly flush: Effect.Effect<void>
  /** Requests. */
  readonly written: () => number
  readonly dropped: () => number
  /** Of what waits. */
  readonly bytes: () => number
  readonly find?: (requestId: string, endedAt: number) => Effect.Effect<string | undefined>
}

export const openSinks = (settings: ContentSettings, resource: OtlpSettings["resource"]) =>
  Effect.forEach(settings.sinks, (sink) =>
    sink.kind === "otlp" ? otlpSink(sink, settings.queueBytes, resource) : jsonlSink(sink)
  )

type Of<Kind extends SinkSettings["kind"]> = Extract<SinkSettings, { readonly kind: Kind }>

const otlpSink = Effect.fnUntraced(function* (
  { headers, name, protocol, url }: Of<"otlp">,
  queueBytes: number,
  resource: OtlpSettings["resource"]
) {
  const batches = {
    url,
    protocol,
    headers: Object.fromEntries(Array.from(headers, ([header, value]) => [header, Redacted.value(value)])),
    gzip: false,
    timeoutMs: 10_000,
    delayMs: 1_000,
    mostWaiting: queueBytes,
    mostAtOnce: 32
  }
  const { dropped, push, sent, weight } = yield* makeBatchExporter<ContentItem>(batches, resource, {
    signal: `content of ${name}`,
    spansOf: contentSpans,
    weightOf: ({ line }) => line.length
  })
  return { name, push, flush: Effect.void, written: sent, dropped, bytes: weight } satisfies ContentSink as ContentSink
})

const jsonlSink = Effect.fnUntraced(function* (settings: Of<"jsonl">) {
  const clock = yield* Clock.Clock
  const files = new JsonlSink(settings, clock)
  const oneAtATime = Semaphore.makeUnsafe(1)
  let lines: Array<string> = []
  let bytes = 0
  let written = 0
  let dropped = 0
  let failing = false
  yield* Effect.forkScoped(Effect.ignore(Effect.tryPromise(() => files.tidy(clock.currentTimeMillisUnsafe()))))

  const flush = Effect.gen(function* () {
    if (lines.length === 0) return
    const batch = lines
    lines = []
    const size = batch.reduce((sum, line) => sum + line.length, 0)
    const result = yield* Effect.exit(files.write(batch))
    bytes -= size
    const failed = result._tag === "Failure"
    if (failed) dropped += batch.length
    else written += batch.length
    if (failed === failing) return
    failing = failed
    yield* failed
      ? Effect.logWarning(`content is not written to ${settings.folder}: it is dropped until it can be`, result.cause)
      : Effect.logInfo(`content is written to ${settings.folder} again`)
  }).pipe(Semaphore.withPermit(oneAtATime), Effect.uninterruptible)

  const push = ({ line }: ContentItem): void => {
    lines.push(line)
    bytes += line.length
  }
  const find = (requestId: string, endedAt: number) =>
    Effect.orElseSucceed(
      Effect.andThen(
        flush,
        Effect.tryPromise(() => files.find(requestId, endedAt))
      ),
      () => undefined
    )
  const { name } = settings
  return {
    name,
    push,
    flush,
    written: () => written,
    dropped: () => dropped,
    bytes: () => bytes,
    find
  } satisfies ContentSink as ContentSink
})
