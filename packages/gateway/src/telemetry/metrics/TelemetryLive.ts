/** The metrics of one gateway: finished requests, refusals, and the state of everything when somebody asks. */
import { Effect, Layer, Metric } from "effect"
import { FleetInForce } from "../../core/domain/Fleet.ts"
import { ReceiptEvents } from "../../core/receipts/ReceiptEvents.ts"
import { Telemetry } from "../../core/domain/Telemetry.ts"
import { Meters } from "./Meters.ts"
import { processMetrics } from "./ProcessMetrics.ts"
import { RequestMetrics } from "./RequestMetrics.ts"
import { stateMetrics } from "./StateMetrics.ts"

export const layer = Layer.effect(
  Telemetry,
  Effect.gen(function* () {
    const meters = new Meters(yield* Metric.MetricRegistry)
    const requests = new RequestMetrics(meters)
    const { follow } = yield* FleetInForce
    follow(({ deployments }) => {
      requests.know(deployments.map(({ id, model, provider }) => ({ deployment: id, model, provider })))
    })
    const log = yield* ReceiptEvents
    log.listen(requests.ended)
    yield* stateMetrics(meters)
    yield* processMetrics(meters)
    return { refused: requests.refused, prometheus: () => meters.prometheus() }
  })
)
