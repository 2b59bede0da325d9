/**
 * Reranking as Jina has it, and servers that speak like it (vLLM, LiteLLM, Infinity …); Voyage differs in names alone, which its vendor's file
 * says. https://jina.ai/reranker, https://docs.voyageai.com/docs/reranker (2026-11-22).
 */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { countOf, isGarbage, objectOr } from "../../../json/LooseJson.ts"
import { rankedBody } from "../../shared/Ranked.ts"
import { answerBody } from "../OpenAiErrors.ts"
import { unstreamed } from "../OpenAiEventStream.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"

/** LiteLLM passes on Cohere's `meta`. */
const usageOf = (body: JsonObject): Usage | undefined => {
  const units = objectOr(objectOr(body["meta"])["billed_units"])["search_units"]
  if (countOf(units) > 0) return { ...noUsage, rerankUnits: countOf(units) }
  const { prompt_tokens: prompt, total_tokens: total } = objectOr(body["usage"])
  if (isGarbage(total) || isGarbage(prompt)) return undefined
  const input = Math.max(countOf(total), countOf(prompt))
  return input === 0 ? undefined : { ...noUsage, input }
}

export const OpenAiRerank: Dialect = {
  lower: (call) => {
    // The gateway itself returns documents.
    const { return_documents: _, ...body } = forwarded(call).body
    return Result.map(adapted(body, call), (dropped) => jsonRequest("/rerank", body, { dropped }))
  },
  lift: (text, call) => Result.flatMap(answerBody(text), (body) => rankedBody(body, call, usageOf(body))),
  stream: unstreamed
}
