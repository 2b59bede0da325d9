/** An answer for the caller, best match first. The documents are the caller's own, so no provider has to send them back. */
import { Predicate } from "effect"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, type Usage } from "../../domain/Usage.ts"
import type { CallRequest } from "../CallRequest.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"

export const rankedAnswer = (
  { body }: LiftedAnswer,
  usage: Usage,
  report: RoutingMetadata,
  { body: { documents, return_documents: returned } }: CallRequest
): string => {
  const results = body["results"]
  const told = returned === true && Array.isArray(documents) && Array.isArray(results)
  return JSON.stringify({
    ...body,
    results: told ? results.map((one: unknown) => withDocument(one, documents)) : results,
    usage: { ...rerankUsage(usage), cost: costInUsd(report) },
    gateway: gatewayObject(report)
  })
}

const withDocument = (result: unknown, documents: ReadonlyArray<unknown>): unknown =>
  Predicate.hasProperty(result, "index") ? { ...result, document: { text: documents[Number(result.index)] } } : result

const rerankUsage = (usage: Usage): JsonObject => ({
  ...(usage.rerankUnits > 0 ? { search_units: usage.rerankUnits } : {}),
  total_tokens: inputTokens(usage)
})
