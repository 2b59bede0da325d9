/**
 * Writes log lines in batches, off the event loop. Whoever writes a line only puts it into a list; when nobody reads what is written,
 * lines are dropped and counted, and nothing waits.
 */
import { Context, Effect, Latch, Layer, Metric } from "effect"
import { Metrics as Definitions } from "@model-gateway/protocol"
import { Meters } from "@model-gateway/gateway/internal/telemetry/metrics/Meters"

/** Where the lines go. Completes when they are written; never fails. */
export class LogOutput extends Context.Service<LogOutput, { readonly write: (text: string) => Effect.Effect<void> }>()(
  "gateway/telemetry/LogOutput"
) {}

/** Lines of so many milliseconds are written at once. */
const BATCH_MS = 50
/** Characters that wait at most. */
const MOST_WAITING = 4 * 1024 * 1024
/** The last lines get this long to be written when the gateway ends. */
const LAST_MS = 1_000

export class LogWriter extends Context.Service<
  LogWriter,
  {
    /** A line without its end. */
    readonly write: (line: string) => void
    readonly dropped: () => number
  }
>()("gateway/telemetry/LogWriter") {
  static readonly layer = Layer.effect(
    LogWriter,
    Effect.gen(function* () {
      const output = yield* LogOutput
      const meters = new Meters(yield* Metric.MetricRegistry)
      const waiting = yield* Latch.make()
      let lines: Array<string> = []
      let characters = 0
      let dropped = 0

      const flush = Effect.suspend(() => {
        if (lines.length === 0) return Effect.void
        const text = `${lines.join("\n")}\n`
        lines = []
        characters = 0
        waiting.closeUnsafe()
        return output.write(text)
      })

      const write = (line: string): void => {
        if (characters + line.length > MOST_WAITING) {
          dropped++
          return
        }
        characters += line.length
        if (lines.push(line) === 1) waiting.openUnsafe()
      }

      meters.counter(Definitions.dropped, { signal: "logs" }, () => dropped)
      yield* Effect.addFinalizer(() => Effect.timeoutOption(Effect.interruptible(flush), LAST_MS))
      yield* waiting.await.pipe(
        Effect.andThen(Effect.sleep(BATCH_MS)),
        Effect.andThen(flush),
        Effect.forever,
        Effect.forkScoped
      )
      return { write, dropped: () => dropped }
    })
  )
}
