/** A log that tests read: what was written, line by line, while `open`. */
import { Context, Effect, Layer, Metric } from "effect"
import { LogOutput, LogWriter } from "../../src/telemetry/logs/LogWriter.ts"

export class Logged extends Context.Service<
  Logged,
  {
    /** Lines that came out so far. */
    readonly lines: () => ReadonlyArray<string>
    /** How often something was written. */
    readonly writes: () => number
    /** From now on nobody reads what is written. */
    readonly block: () => void
  }
>()("test/Logged") {}

const pair = Layer.effectContext(
  Effect.sync(() => {
    let text = ""
    let writes = 0
    let blocked = false
    const write = (more: string) => {
      if (blocked) return Effect.never
      writes++
      text += more
      return Effect.void
    }
    return Context.make(LogOutput, { write }).pipe(
      Context.add(Logged, {
        lines: () => text.split("\n").slice(0, -1),
        writes: () => writes,
        block: () => (blocked = true)
      })
    )
  })
)

/** A log writer whose lines come out where tests see them, 50 ms after they were written. */
export const logged = LogWriter.layer.pipe(
  Layer.provideMerge(pair),
  Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
)
