/** Documents in the order of how well they match a query. */
import { rerankContent } from "@model-gateway/protocol"
import { Effect, Predicate, Result } from "effect"
import type { Deployment } from "../../domain/Deployment.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { inputTokens, noUsage, type Usage } from "../../domain/Usage.ts"
import { zeroBound } from "../../domain/pricing/Bound.ts"
import { cannot } from "../../domain/pricing/Pricing.ts"
import { type Billing, type CallRequest, unwritten } from "../CallRequest.ts"
import type { LiftedAnswer } from "../LiftedAnswer.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readCount, readFlag, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { BYTES_PER_TOKEN, found, given } from "../RequestScan.ts"
import { costInUsd, gatewayObject, type RoutingMetadata } from "../RoutingMetadata.ts"
import { countAll, foreignTokens } from "../Tokens.ts"
import { unstreamed } from "../Unstreamed.ts"

/** A response for the caller, best match first. The documents are the caller's own, so no provider has to send them back. */
const rankedAnswer = (
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

// What reranking costs: by the search unit, or by the token. Which of the two a deployment bills, its prices say.

const FRAME_TOKENS = 16

/** "One query with up to 100 documents": cohere.com/pricing as quoted by https://www.developersdigest.tech/models/rerankers/cohere (2026-11-22). */
const DOCUMENTS_PER_UNIT = 100
/** A longer document counts as several. Less than the 510 tokens of the same source, as the query may be part of each. */
const PIECE_TOKENS = 500
/** https://docs.cohere.com/docs/reranking-best-practices and `V2RerankRequest` of `cohere-ai` 8.1.0 (2026-11-22). */
const MOST_PER_DOCUMENT = 4_096

/**
 * "The number of query tokens × the number of documents + sum of the number of tokens in all documents": `RerankRequest` of `voyageai` 0.0.4
 * (https://app.unpkg.com/voyageai@0.0.4/files/api/client/requests/RerankRequest.d.ts, read 2026-11-22). A token has at least one byte.
 */
const tokensRead = (query: string, documents: ReadonlyArray<string>): number =>
  documents.reduce((sum, one) => sum + Buffer.byteLength(one), 0) +
  (Buffer.byteLength(query) + FRAME_TOKENS) * documents.length

/** Search units, by the tokens of the query and of each document. */
const unitsFor = (fields: JsonObject, query: number, documents: ReadonlyArray<number>): number => {
  const room = Math.max(1, PIECE_TOKENS - query)
  const asked = fields["max_tokens_per_doc"]
  const most = typeof asked === "number" ? asked : MOST_PER_DOCUMENT
  const pieces = documents.reduce((sum, one) => sum + Math.max(1, Math.ceil(Math.min(one, most) / room)), 0)
  return Math.ceil(pieces / DOCUMENTS_PER_UNIT)
}

/** The same, where each byte is so many tokens: 1 is the most, as a token has at least one byte. */
const unitsByBytes = (
  fields: JsonObject,
  query: string,
  documents: ReadonlyArray<string>,
  tokensPerByte: number
): number => {
  const tokens = (text: string) => Math.ceil(Buffer.byteLength(text) * tokensPerByte)
  return unitsFor(fields, tokens(query), documents.map(tokens))
}

/** Undefined: its prices are unknown. */
const unitOf = ({ price }: Pick<Deployment, "price">): "unit" | "token" | undefined => {
  if (price === undefined) return undefined
  const { input, rerankUnits } = price.ratesAt(0).base
  if (!Number.isNaN(rerankUnits)) return "unit"
  return Number.isNaN(input) ? undefined : "token"
}

const rerankBilling = (fields: JsonObject, query: string, documents: ReadonlyArray<string>): Billing => ({
  bound: () => ({
    ...zeroBound,
    input: tokensRead(query, documents),
    units: { rerankUnits: unitsByBytes(fields, query, documents, 1) },
    cannot: cannot.cache
  }),
  closerUnits: ({ bounds, price }) => {
    const factor = bounds?.tokensPerO200k
    if (factor === undefined || unitOf({ price }) !== "unit") return undefined
    const count = (text: string) => foreignTokens(text, factor)
    return Effect.zipWith(count(query), Effect.forEach(documents, count), (asked, read) => ({
      rerankUnits: unitsFor(fields, asked, read)
    }))
  },
  unpriced: ({ protocol }, sheet) => {
    const { input, rerankUnits } = sheet.ratesAt(0).base
    if (!Number.isNaN(rerankUnits)) return undefined
    // Cohere bills nothing else.
    return protocol === "cohere-v2" || Number.isNaN(input) ? "rerankUnits" : undefined
  },
  estimate: (deployment) =>
    Effect.gen(function* () {
      const texts = documents.join("\n")
      const [asked, read] = yield* Effect.all([
        countAll(query, deployment.protocol),
        countAll(texts, deployment.protocol)
      ])
      if (unitOf(deployment) !== "unit") {
        return { ...noUsage, input: Math.min(tokensRead(query, documents), asked * documents.length + read) }
      }
      const tokensPerByte = Math.min(1, (asked + read) / Math.max(1, Buffer.byteLength(query + texts)))
      return { ...noUsage, rerankUnits: unitsByBytes(fields, query, documents, tokensPerByte) }
    })
})

/** As many as Cohere takes: https://docs.cohere.com/docs/reranking-best-practices (2026-11-22). */
const MOST_DOCUMENTS = 10_000

export const rerank: Operation = {
  name: "rerank",
  path: "/v1/rerank",
  content: rerankContent,
  read: (body) => (body.kind === "json" ? read(body.value) : notJson()),
  produced: () => nothing,
  withMetadata: rankedAnswer,
  relay: unstreamed
}

const read = (value: unknown): Result.Result<CallRequest, InvalidField> =>
  Result.gen(function* () {
    const [fields, model] = yield* readModel(value)
    const query = given(fields["query"])
    if (typeof query !== "string") return yield* wrong("query", `\`query\` must be a text, ${found(query)}`)
    const documents = yield* readDocuments(fields)
    for (const name of ["top_n", "max_tokens_per_doc"]) yield* readCount(fields, name)
    yield* readFlag(fields, "return_documents")
    const textBound = tokensRead(query, documents)
    return {
      body: { ...fields, documents },
      contents: "documents",
      model,
      ...unwritten,
      textBound,
      inputEstimate: Math.ceil(textBound / BYTES_PER_TOKEN),
      separate: { count: documents.length, longest: 0 },
      billing: rerankBilling(fields, query, documents)
    } satisfies CallRequest as CallRequest
  })

/** Texts, or objects that hold one: not all providers take both, so all get texts. */
const readDocuments = (fields: JsonObject): Result.Result<ReadonlyArray<string>, InvalidField> => {
  const documents = given(fields["documents"])
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > MOST_DOCUMENTS) {
    const seen = Array.isArray(documents) ? `not ${documents.length}` : found(documents)
    return wrong("documents", `\`documents\` must be a list of 1 to ${MOST_DOCUMENTS} texts, ${seen}`)
  }
  const texts: Array<string> = []
  for (const [index, one] of documents.entries()) {
    const text: unknown = Predicate.hasProperty(one, "text") ? one.text : one
    if (typeof text !== "string") {
      const field = `documents[${index}]`
      return wrong(field, `\`${field}\` must be a text, or an object with a \`text\`, ${found(one)}`)
    }
    texts.push(text)
  }
  return Result.succeed(texts)
}
