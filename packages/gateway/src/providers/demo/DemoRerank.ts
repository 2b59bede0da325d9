/** The demo vendor's ranking: by the words that query and document share. */
import { Result, Schema } from "effect"
import type { JsonObject } from "../../core/domain/Json.ts"
import { maybe, readBody } from "./chat/DemoRequest.ts"
import { estimatedTokens } from "./DemoTokens.ts"
import { modelNotFound, type VendorError } from "./DemoVendorErrors.ts"

const MODEL = "rerank"
const DOCUMENTS_PER_UNIT = 100

const read = readBody(
  Schema.Struct({
    model: Schema.String,
    query: Schema.String,
    documents: Schema.NonEmptyArray(Schema.String),
    top_n: maybe(Schema.Int)
  })
)

/** The body of the answer. */
export const rerank = (body: string): Result.Result<JsonObject, VendorError> =>
  Result.flatMap(read(body), ({ documents, model, query, top_n: most }) => {
    if (model !== MODEL) return Result.fail(modelNotFound(model))
    const asked = wordsOf(query)
    const results = documents
      .map((document, index) => ({ index, relevance_score: shared(asked, wordsOf(document)) }))
      .sort((one, other) => other.relevance_score - one.relevance_score)
      .slice(0, most ?? documents.length)
    const tokens = estimatedTokens(documents.join("").length + query.length * documents.length)
    return Result.succeed({
      model,
      results,
      usage: { total_tokens: tokens },
      meta: { billed_units: { search_units: Math.ceil(documents.length / DOCUMENTS_PER_UNIT) } }
    })
  })

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu))

/** Of the query's words, the share that the document has too; four digits. */
const shared = (asked: ReadonlySet<string>, document: ReadonlySet<string>): number => {
  if (asked.size === 0) return 0
  const both = [...asked].filter((word) => document.has(word)).length
  return Math.round((both / asked.size) * 10_000) / 10_000
}
