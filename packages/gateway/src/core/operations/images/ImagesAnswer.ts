/** A complete answer of images for the caller, with decision and cost. Images are long, so the provider's text stays where it can. */
import type { JsonObject } from "../../domain/Json.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"

export const imagesAnswer = ({ body, text }: LiftedAnswer, report: RoutingMetadata): string => {
  const { usage } = body
  if (text !== undefined && !("gateway" in body) && !isObject(usage)) {
    return `${text.slice(0, text.lastIndexOf("}"))},"gateway":${JSON.stringify(gatewayObject(report))}}`
  }
  return JSON.stringify(withReport(body, report))
}

/** Only a usage that the provider told has a place for the cost: made up, it would lack what the vendor's shape requires. */
export const withReport = (body: JsonObject, report: RoutingMetadata): JsonObject => ({
  ...body,
  ...(isObject(body["usage"]) ? { usage: { ...body["usage"], cost: costInUsd(report) } } : undefined),
  gateway: gatewayObject(report)
})

const isObject = (value: unknown): value is JsonObject => typeof value === "object" && value !== null
