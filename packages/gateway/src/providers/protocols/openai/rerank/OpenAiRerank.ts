/**
 * Reranking as Jina has it, and servers that speak like it (vLLM, LiteLLM, Infinity …); Voyage differs in names alone, which its vendor's file
 * says. https://jina.ai/reranker, https://docs.voyageai.com/docs/reranker (2026-11-22).
 */
import { Result } from "effect"
import type { ProviderFailure, Unsupported } from "../../../../core/domain/Failures.ts"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { LiftedAnswer } from "../../../../core/operations/LiftedAnswer.ts"
import type { Dialect, UpstreamCall, WireRequest } from "../../../../core/pool/Protocol.ts"
import { countOf, isGarbage, objectOr } from "../../../json/LooseJson.ts"
import { rankedBody } from "../../shared/Ranked.ts"
import { answerBody } from "../OpenAiAnswerBody.ts"
import { forwarded } from "../OpenAiForwarded.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"
import { unstreamed } from "../OpenAiUnstreamed.ts"

const lower = (call: UpstreamCall): Result.Result<WireRequest, Unsupported> => {
  // The gateway knows the documents.
  const { return_documents: _, ...body } = forwarded(call).body
  return Result.map(adapted(body, call), (dropped) => ({
    path: "/rerank",
    headers: { accept: "application/json" },
    body: JSON.stringify(body),
    dropped
  }))
}

const lift = (text: string, call: UpstreamCall): Result.Result<LiftedAnswer, ProviderFailure> =>
  Result.flatMap(answerBody(text), (body) => rankedBody(body, call, usageOf(body)))

/** LiteLLM passes on Cohere's `meta`. */
const usageOf = (body: JsonObject): Usage | undefined => {
  const units = objectOr(objectOr(body["meta"])["billed_units"])["search_units"]
  if (countOf(units) > 0) return { ...noUsage, rerankUnits: countOf(units) }
  const { prompt_tokens: prompt, total_tokens: total } = objectOr(body["usage"])
  if (isGarbage(total) || isGarbage(prompt)) return undefined
  const input = Math.max(countOf(total), countOf(prompt))
  return input === 0 ? undefined : { ...noUsage, input }
}

export const OpenAiRerank: Dialect = { lower, lift, stream: unstreamed }
