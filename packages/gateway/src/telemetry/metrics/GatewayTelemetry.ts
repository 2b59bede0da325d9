/** The metrics of one gateway: finished requests, refusals, and the state of everything when somebody asks. */
import { Effect, Layer, Metric } from "effect"
import type { Deployment } from "../../core/domain/Deployment.ts"
import { FleetInForce } from "../../core/domain/Fleet.ts"
import { ReceiptEvents } from "../../core/receipts/ReceiptEvents.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { Meters } from "./Meters.ts"
import { processMetrics } from "./ProcessMetrics.ts"
import { type Known, RequestMetrics } from "./RequestMetrics.ts"
import { stateMetrics } from "./StateMetrics.ts"

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
    return { refused: requests.refused, prometheus }
  })
)
