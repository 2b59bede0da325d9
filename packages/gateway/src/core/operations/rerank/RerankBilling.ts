/** What reranking costs: by the search unit, or by the token. Which of the two a deployment bills, its prices say. */
import { Effect } from "effect"
import { zeroBound } from "../../domain/pricing/Bound.ts"
import type { Deployment } from "../../domain/Deployment.ts"
import type { JsonObject } from "../../domain/Json.ts"
import { cannot } from "../../domain/pricing/Pricing.ts"
import { noUsage } from "../../domain/Usage.ts"
import type { Billing } from "../CallRequest.ts"
import { countAll, foreignTokens } from "../Tokens.ts"

/** Tokens that frame a query and a document. */
const FRAME_TOKENS = 16

/** "One query with up to 100 documents": cohere.com/pricing as quoted by https://www.developersdigest.tech/models/rerankers/cohere (2026-11-22). */
const DOCUMENTS_PER_UNIT = 100
/**
 * A longer document counts as several. The models page says 510 tokens (same source); less, as the query may be part of each. How much of it
 * is, nobody says: it may leave room for a single token.
 */
const PIECE_TOKENS = 500
/** https://docs.cohere.com/docs/reranking-best-practices and `V2RerankRequest` of `cohere-ai` 8.1.0 (2026-11-22). */
const MOST_PER_DOCUMENT = 4_096

/**
 * "The number of query tokens × the number of documents + sum of the number of tokens in all documents": `RerankRequest` of `voyageai` 0.0.4
 * (https://app.unpkg.com/voyageai@0.0.4/files/api/client/requests/RerankRequest.d.ts, read 2026-11-22). A token has at least one byte.
 */
export const tokensRead = (query: string, documents: ReadonlyArray<string>): number =>
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

export const rerankBilling = (fields: JsonObject, query: string, documents: ReadonlyArray<string>): Billing => ({
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
