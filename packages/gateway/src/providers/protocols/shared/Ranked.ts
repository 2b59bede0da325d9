/** Rankings as providers write them: Cohere and Jina in `results`, Voyage in `data`. */
import { Result } from "effect"
import { type ProviderFailure, truncated } from "../../../core/domain/Failures.ts"
import type { Usage } from "../../../core/domain/Usage.ts"
import type { UpstreamCall, LiftedAnswer } from "../../../core/pool/Protocol.ts"
import { isObject, textOf, type JsonObject } from "../../json/LooseJson.ts"
import { newId } from "../openai/answer/OpenAiChatRepair.ts"

/** Each document at most once, best first, as many as were asked for. */
export const rankedBody = (
  body: JsonObject,
  { deployment, now, request }: UpstreamCall,
  usage: Usage | undefined
): Result.Result<LiftedAnswer, ProviderFailure> => {
  const listed = body["results"] ?? body["data"]
  const { documents, top_n: most } = request.body
  const count = Array.isArray(documents) ? documents.length : 0
  if (!Array.isArray(listed) || listed.length === 0) return Result.fail(truncated("the response has no results"))
  const seen = new Set<number>()
  const results: Array<{ readonly index: number; readonly relevance_score: number }> = []
  for (const one of listed as ReadonlyArray<unknown>) {
    const index = isObject(one) ? one["index"] : undefined
    const score = isObject(one) ? (one["relevance_score"] ?? one["score"]) : undefined
    const isKnown = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < count
    if (!isKnown || seen.has(index) || typeof score !== "number" || !Number.isFinite(score)) {
      return Result.fail(truncated(`result ${results.length} of the response can't be read`))
    }
    seen.add(index)
    results.push({ index, relevance_score: score })
  }
  results.sort((one, other) => other.relevance_score - one.relevance_score)
  const id = textOf(body["id"]) ?? newId(now).replace("chatcmpl", "rerank")
  const kept = typeof most === "number" ? results.slice(0, most) : results
  return Result.succeed({ usage, body: { id, model: deployment.model, results: kept } })
}
