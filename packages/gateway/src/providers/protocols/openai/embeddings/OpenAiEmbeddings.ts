/**
 * Embeddings of OpenAI and of servers that speak like it. Few of those know `encoding_format`, and some refuse it. So only OpenAI
 * gets it; the vectors of all others are packed here.
 */
import { Result } from "effect"
import type { JsonObject } from "../../../../core/domain/Json.ts"
import { truncated } from "../../../../core/domain/Failures.ts"
import { noUsage, type Usage } from "../../../../core/domain/Usage.ts"
import { isGarbage, isObject } from "../../../json/LooseJson.ts"
import { cutVectors, embeddingList, vectorDialect } from "../../shared/Vectors.ts"
import { isNative } from "../answer/OpenAiChatResponse.ts"
import { errorIn, failureOfErrorBody, noObject } from "../OpenAiErrors.ts"
import { forwarded, jsonRequest } from "../OpenAiForwarded.ts"
import { limitPrice } from "../request/OpenAiChatMaxPrice.ts"
import { adapted } from "../request/OpenAiChatVendorParameters.ts"

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
    const usage = usageOf(raw)
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

/** Vectors are not written in tokens, so the total is what was read. Undefined where it says nothing. */
const usageOf = (raw: unknown): Usage | undefined => {
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
