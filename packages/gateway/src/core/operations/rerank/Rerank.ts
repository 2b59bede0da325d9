/** Documents in the order of how well they match a query. */
import { Predicate, Result } from "effect"
import { rerankContent } from "@model-gateway/protocol"
import type { CallRequest } from "../CallRequest.ts"
import type { InvalidField } from "../../domain/Errors.ts"
import type { JsonObject } from "../../domain/Json.ts"
import type { Operation } from "../Operation.ts"
import { notJson, readModel, wrong } from "../ParseFields.ts"
import { nothing } from "../ProducedText.ts"
import { BYTES_PER_TOKEN, found, given, isCount } from "../RequestScan.ts"
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
    const most = given(fields["top_n"])
    if (most !== undefined && !isCount(most)) {
      return yield* wrong("top_n", `\`top_n\` must be a whole number of at least 1, ${found(most)}`)
    }
    const perDocument = given(fields["max_tokens_per_doc"])
    if (perDocument !== undefined && !isCount(perDocument)) {
      const message = `\`max_tokens_per_doc\` must be a whole number of at least 1, ${found(perDocument)}`
      return yield* wrong("max_tokens_per_doc", message)
    }
    const returned = given(fields["return_documents"])
    if (returned !== undefined && typeof returned !== "boolean") {
      return yield* wrong("return_documents", `\`return_documents\` must be true or false, ${found(returned)}`)
    }
    const textBound = tokensRead(query, documents)
    return {
      body: { ...fields, documents },
      contents: "documents",
      model,
      stream: false,
      includeUsage: false,
      prompt: "",
      hasUnread: false,
      history: [],
      needs: [],
      media: [],
      maxOutput: 0,
      choices: 1,
      textBound,
      mediaEstimate: 0,
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
