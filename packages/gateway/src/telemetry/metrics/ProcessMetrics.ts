/** The process: memory, CPU, connections, and how late the event loop is. Read at each scrape. */
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Clock, Effect } from "effect"
import * as Definitions from "./Definitions.ts"
import type { Meters } from "./Meters.ts"

/** The delay is that of the last so many milliseconds at least, however many ask for it. */
const SPAN_MS = 10_000
const SAMPLE_MS = 20

/** Measures until the scope closes. */
export const processMetrics = Effect.fnUntraced(function* (meters: Meters) {
  const clock = yield* Clock.Clock
  const delay = yield* loopDelay()
  const none = {}
  meters.gauge(Definitions.memory, none, () => process.memoryUsage.rss())
  meters.gauge(Definitions.openSockets, none, () => sockets(process.getActiveResourcesInfo()))
  meters.counter(Definitions.cpu, none, () => {
    const { system, user } = process.cpuUsage()
    return (user + system) / 1e6
  })
  const startedAt = clock.currentTimeMillisUnsafe() / 1000 - process.uptime()
  meters.gauge(Definitions.started, none, () => startedAt)
  meters.gauge(Definitions.eventLoopDelay, none, delay)
})

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
