/** The process, and its workers: memory, CPU, connections, and how late the event loop is. Read when somebody asks. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Clock, Effect, type Scope } from "effect"
import { type ProcessVitals, Workers } from "../../core/nodes/Workers.ts"
import * as Definitions from "./Definitions.ts"
import type { Meters } from "./Meters.ts"

/** The delay is that of the last so many milliseconds at least, however many ask for it. */
const SPAN_MS = 10_000
const SAMPLE_MS = 20

/** Measures until the scope closes. */
export const processMetrics = Effect.fnUntraced(function* (meters: Meters) {
  const clock = yield* Clock.Clock
  const own = yield* ownVitals
  const none = {}
  meters.gauge(Definitions.memory, none, () => own.memoryBytes)
  meters.gauge(Definitions.openSockets, none, () => own.sockets)
  meters.counter(Definitions.cpu, none, () => own.cpuSeconds)
  const startedAt = clock.currentTimeMillisUnsafe() / 1000 - process.uptime()
  meters.gauge(Definitions.started, none, () => startedAt)
  meters.gauge(Definitions.eventLoopDelay, none, () => own.eventLoopDelaySeconds)

  const workers = yield* Workers
  if (workers === undefined) return
  meters.counter(Definitions.workerRestarts, none, workers.restarts)
  for (let number = 1; number <= workers.count; number++) {
    const labels = { worker: String(number) }
    const of = (field: keyof ProcessVitals) => () => workers.vitals(number)?.[field] ?? 0
    meters.gauge(Definitions.memory, labels, of("memoryBytes"))
    meters.gauge(Definitions.openSockets, labels, of("sockets"))
    meters.counter(Definitions.cpu, labels, of("cpuSeconds"))
    meters.gauge(Definitions.eventLoopDelay, labels, of("eventLoopDelaySeconds"))
  }
})

/** Each field is read when it is asked for. */
export const ownVitals: Effect.Effect<ProcessVitals, never, Scope.Scope> = Effect.map(
  Effect.suspend(() => loopDelay()),
  (delay) => ({
    get memoryBytes() {
      return process.memoryUsage.rss()
    },
    get cpuSeconds() {
      const { system, user } = process.cpuUsage()
      return (user + system) / 1e6
    },
    get sockets() {
      return sockets(process.getActiveResourcesInfo())
    },
    get eventLoopDelaySeconds() {
      return delay()
    }
  })
)

const loopDelay = Effect.fnUntraced(function* () {
  const clock = yield* Clock.Clock
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => monitorEventLoopDelay({ resolution: SAMPLE_MS })),
    (delay) => Effect.sync(() => delay.disable())
  )
  delay.enable()
  let since = clock.currentTimeMillisUnsafe()
  let last = 0
  return () => {
    const now = clock.currentTimeMillisUnsafe()
    // Each sample holds the interval of sampling itself.
    const measured = delay.count === 0 ? 0 : Math.max(0, delay.percentile(99) / 1e9 - SAMPLE_MS / 1000)
    if (now - since < SPAN_MS) return Math.max(last, measured)
    since = now
    last = measured
    delay.reset()
    return measured
  }
})

const sockets = (resources: ReadonlyArray<string>): number => {
  let count = 0
  for (const name of resources) if (name === "TCPSocketWrap") count++
  return count
}
