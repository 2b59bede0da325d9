import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, outputTokens, totalTokens, type Usage } from "../../domain/Usage.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"

/** Usage as a response tells it. */
export const wireUsage = (usage: Usage): JsonObject => ({
  input_tokens: inputTokens(usage),
  input_tokens_details: {
    cached_tokens: usage.cachedInput + usage.cachedAudioInput,
    cache_write_tokens: usage.cacheWrite + usage.cacheWrite1h + usage.cacheWrite12h
  },
  output_tokens: outputTokens(usage),
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: totalTokens(usage)
})

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
