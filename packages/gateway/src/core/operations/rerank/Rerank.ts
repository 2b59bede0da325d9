/** Documents in the order of how well they match a query. */
import { Predicate, Result } from "effect"
import { rerankContent } from "@model-gateway/protocol"
import { type CallRequest, unwritten } from "../CallRequest.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readCount, readFlag, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { BYTES_PER_TOKEN, found, given } from "../RequestScan.ts"
import { unstreamed } from "../Unstreamed.ts"
import { rankedAnswer } from "./RankedAnswer.ts"
import { rerankBilling, tokensRead } from "./RerankBilling.ts"

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
