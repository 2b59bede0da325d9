/** Embeddings of OpenAI and of servers that speak like it. Only OpenAI gets `encoding_format`; the vectors of others are packed here. */
import { Result } from "effect"
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import type { Dialect } from "../../../../core/pool/Protocol.ts"
import { parseJson } from "../../../json/BoundedJson.ts"
import { countOf, isGarbage, isObject, objectOr, type JsonObject } from "../../../json/LooseJson.ts"
import { rankedBody } from "../../shared/Ranked.ts"
import { cutVectors, embeddingList, vectorDialect } from "../../shared/Vectors.ts"
import { answerBody, errorIn, failureOfErrorBody, noObject } from "../OpenAiErrors.ts"
import { unstreamed } from "../OpenAiEventStream.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { isNative } from "../answer/OpenAiChatResponse.ts"
import { usageOf } from "../answer/OpenAiChatUsage.ts"
import { limitPrice } from "../request/OpenAiChatRequest.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"

/** Mistral leaves `flagged` to its reader (https://docs.mistral.ai/capabilities/guardrailing, 2026-11-22). */
const judged = (result: JsonObject): JsonObject =>
  typeof result["flagged"] === "boolean"
    ? result
    : { flagged: Object.values(objectOr(result["categories"])).includes(true), ...result }

export const OpenAiModerations: Dialect = {
  lower: (call) => {
    const { body, splice } = forwarded(call)
    return Result.succeed(jsonRequest("/moderations", body, { splice }))
  },
  lift: (text, { deployment, now }) => {
    const body = parseJson(text)
    if (!isObject(body)) return Result.fail(noObject(text))
    const error = errorIn({ choices: [], ...body })
    if (error !== undefined) return Result.fail(failureOfErrorBody(error, body))
    const { results } = body
    if (!Array.isArray(results) || results.length === 0 || !results.every((one) => isObject(one))) {
      return Result.fail(truncated("the response has no results"))
    }
    const named = { id: `modr-${now.toString(36)}`, model: deployment.model, ...body, results: results.map(judged) }
    return Result.succeed({ body: named, usage: usageOf(body["usage"], true) })
  },
  stream: unstreamed
}

// Reranking as Jina has it, and servers that speak like it (vLLM, LiteLLM, Infinity …); Voyage differs in names alone, which its vendor's file
// says. https://jina.ai/reranker, https://docs.voyageai.com/docs/reranker (2026-11-22).

/** LiteLLM passes on Cohere's `meta`. */
const rerankUsage = (body: JsonObject): Usage | undefined => {
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
  lift: (text, call) => Result.flatMap(answerBody(text), (body) => rankedBody(body, call, rerankUsage(body))),
  stream: unstreamed
}

const KEY = Buffer.from('"embedding"')

export const OpenAiEmbeddings = vectorDialect(
  (call) => {
    const { body, splice } = forwarded(call)
    if (!isNative(call)) delete body["encoding_format"]
    limitPrice(body, call)
    return Result.map(adapted(body, call), (dropped) => jsonRequest("/embeddings", body, { splice, dropped }))
  },
  (bytes, call) => {
    const cut = cutVectors(bytes, KEY)
    if (cut === undefined) return Result.fail(noObject(bytes.length === 0 ? "" : "vectors"))
    const { data, object: _, usage: raw, ...rest } = cut.body
    const error = errorIn({ choices: [], ...cut.body })
    if (error !== undefined) return Result.fail(failureOfErrorBody(error, cut.body))
    if (!Array.isArray(data) || data.length === 0) return Result.fail(truncated("the response has no vectors"))
    const usage = embeddingUsage(raw)
    const items = data.map((item: unknown) => {
      const { embedding, ...fields } = isObject(item) ? item : {}
      return { vector: cut.vectors[Number(embedding)], fields }
    })
    return embeddingList(items, call, usage, {
      ...rest,
      ...(usage === undefined ? {} : { usage: wireUsage(raw, usage) })
    })
  }
)

const COUNTS = ["prompt_tokens", "input_tokens", "total_tokens"]

const embeddingUsage = (raw: unknown): Usage | undefined => {
  if (!isObject(raw)) return undefined
  const counts = COUNTS.map((name) => raw[name] ?? 0)
  if (counts.some((count) => isGarbage(count) || !Number.isInteger(count))) return undefined
  const input = Math.max(...counts.map(Number))
  return input === 0 ? undefined : { ...noUsage, input }
}

/** The provider's own object. What is null in it is left out: the vendor's clients read into details. */
const wireUsage = (raw: unknown, { input }: Usage): JsonObject => ({
  ...Object.fromEntries(Object.entries(isObject(raw) ? raw : {}).filter(([, value]) => value !== null)),
  prompt_tokens: input,
  total_tokens: input
})
