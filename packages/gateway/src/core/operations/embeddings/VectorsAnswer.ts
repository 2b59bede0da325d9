/** An answer of vectors for the caller. They may be a hundred megabytes, so their JSON is never parsed here. */
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, type Usage } from "../../domain/Usage.ts"
import type { LiftedAnswer, BinaryAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"

/** `answer.raw`: the JSON of `data`. */
export const vectorsAnswer = ({ body, raw }: LiftedAnswer, usage: Usage, report: RoutingMetadata): BinaryAnswer => {
  const told = (body["usage"] as JsonObject | undefined) ?? wireUsage(usage)
  const head = { ...body, usage: { ...told, cost: costInUsd(report) }, gateway: gatewayObject(report) }
  const opened = Buffer.from(`${JSON.stringify(head).slice(0, -1)},"data":`)
  return {
    contentType: "application/json",
    bytes: Buffer.concat([opened, raw?.bytes ?? Buffer.from("[]"), Buffer.from("}")])
  }
}

/** Usage in the shape of embeddings, which have no output. */
const wireUsage = (usage: Usage): JsonObject => ({
  prompt_tokens: inputTokens(usage),
  total_tokens: inputTokens(usage)
})
