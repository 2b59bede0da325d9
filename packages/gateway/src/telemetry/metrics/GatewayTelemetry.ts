/** The metrics of one gateway: finished requests, refusals, and the state of everything when somebody asks. */
import { Clock, Effect, Layer, Metric } from "effect"
import type { Deployment } from "../../core/domain/Deployment.ts"
import { FleetInForce } from "../../core/domain/Fleet.ts"
import { ReceiptEvents } from "../../core/receipts/ReceiptEvents.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { Meters } from "./Meters.ts"
import { type Known, RequestMetrics } from "./RequestMetrics.ts"
import { stateMetrics } from "./StateMetrics.ts"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { Metrics as Definitions } from "@model-gateway/protocol"

/** Deployments whose series are made before the event loop runs: each has some thirty, 2 ms in all. A thousand would hold up the start. */
const AT_ONCE = 20

const known = ({ id, model, provider, supports }: Deployment): Known => {
  const operation = supports.has("chat") ? "chat" : supports.has("embeddings") ? "embeddings" : undefined
  return { deployment: id, model, provider, operation }
}

const knowLater = Effect.fnUntraced(function* (requests: RequestMetrics, fleet: ReadonlyArray<Known>) {
  for (let from = AT_ONCE; from < fleet.length; from += AT_ONCE) {
    yield* Effect.yieldNow
    requests.know(fleet.slice(from, from + AT_ONCE))
  }
})

export const layer = Layer.effect(
  Telemetry,
  Effect.gen(function* () {
    const meters = new Meters(yield* Metric.MetricRegistry)
    const requests = new RequestMetrics(meters)
    const { follow } = yield* FleetInForce
    const run = Effect.runForkWith(yield* Effect.context<never>())
    const scope = yield* Effect.scope
    let fleet: ReadonlyArray<Known> = []
    follow(({ deployments }) => {
      fleet = deployments.map(known)
      requests.know(fleet.slice(0, AT_ONCE))
      if (fleet.length > AT_ONCE) run(Effect.forkIn(knowLater(requests, fleet), scope))
    })
    const log = yield* ReceiptEvents
    log.listen(requests.ended)
    yield* stateMetrics(meters)
    yield* processMetrics(meters)
    const prometheus = () => {
      requests.know(fleet)
      return meters.prometheus()
    }
    return { count: requests.count, gauge: (...given) => meters.gauge(...given), prometheus }
  })
)

// The process: memory, CPU, connections, and how late the event loop is. Read at each scrape.
/** The delay is that of the last so many milliseconds at least, however many ask for it. */
const SPAN_MS = 10_000
const SAMPLE_MS = 20

/** Measures until the scope closes. */
const processMetrics = Effect.fnUntraced(function* (meters: Meters) {
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
