import type { JsonObject } from "../../domain/Json.ts"
import type { Usage } from "../../domain/Usage.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { wireUsage } from "./ResponsesWireUsage.ts"

/** A response with its usage. `usage`: for one whose provider reported none. */
export const withUsage = (response: JsonObject, usage: Usage): JsonObject => ({
  ...response,
  usage: (response["usage"] as JsonObject | null | undefined) ?? wireUsage(usage)
})

/** A response with decision and cost. */
export const withMetadata = (response: JsonObject, usage: Usage, report: RoutingMetadata): JsonObject => {
  const told = withUsage(response, usage)
  return {
    ...told,
    ...(report.isStored === false ? { store: false } : undefined),
    usage: { ...(told["usage"] as JsonObject), cost: costInUsd(report) },
    gateway: gatewayObject(report)
  }
}

export const answerText = ({ body }: LiftedAnswer, usage: Usage, report: RoutingMetadata): string =>
  JSON.stringify(withMetadata(body, usage, report))
