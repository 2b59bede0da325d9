/** Documents in the order of how well they match a query. */
import type { DocumentInterface } from "@langchain/core/documents"
import { Document } from "@langchain/core/documents"
import { BaseDocumentCompressor } from "@langchain/core/retrievers/document_compressors"
import type { AsyncCallerParams } from "@langchain/core/utils/async_caller"
import { type Connection, makeConnection } from "./connection/Connection.ts"
import { GatewayCaller } from "./connection/GatewayCaller.ts"
import { type ConnectionFields, readSettings } from "./connection/Settings.ts"
import { GatewayConfigurationError, GatewayError } from "./Errors.ts"
import { assertKnown } from "./Options.ts"
import { decisionOfBody, decisionOfHeaders, type OnDecision, tell } from "./spend/Decision.ts"

export interface GatewayRerankFields extends AsyncCallerParams, ConnectionFields {
  /** A model that ranks, as in `ChatGateway`. There is no default. */
  model: string
  /** Documents to return at most. Default: all. */
  topN?: number | undefined
  /** Called with every request's decision. */
  onDecision?: OnDecision | undefined
}

const known = {
  apiKey: true,
  baseUrl: true,
  timeout: true,
  headers: true,
  fetch: true,
  model: true,
  topN: true,
  onDecision: true,
  maxConcurrency: true,
  maxRetries: true,
  onFailedAttempt: true
} satisfies Record<keyof GatewayRerankFields, true>

export class GatewayRerank extends BaseDocumentCompressor {
  readonly model: string
  readonly topN: number | undefined
  private readonly caller: GatewayCaller
  private readonly connection: Connection
  private readonly onDecision: OnDecision | undefined

  constructor(fields: GatewayRerankFields) {
    super()
    assertKnown("GatewayRerank", fields, known)
    if (!fields.model) throw new GatewayConfigurationError("GatewayRerank needs a `model` that ranks documents.")
    if (fields.topN !== undefined && !(Number.isInteger(fields.topN) && fields.topN >= 1)) {
      throw new GatewayConfigurationError("`topN` must be a whole number of 1 or more.")
    }
    this.caller = new GatewayCaller(fields)
    this.connection = makeConnection(readSettings(fields))
    this.model = fields.model
    this.topN = fields.topN
    this.onDecision = fields.onDecision
  }

  /** Returns copies of the documents, best first, with `metadata.relevanceScore`. */
  override async compressDocuments(
    documents: Array<DocumentInterface>,
    query: string
  ): Promise<Array<DocumentInterface>> {
    if (documents.length === 0) return []
    const body = {
      model: this.model,
      query,
      documents: documents.map(({ pageContent }) => pageContent),
      ...(this.topN === undefined ? {} : { top_n: this.topN })
    }
    const answer = await this.caller.try(() => this.connection.json({ method: "POST", path: "/rerank", body }))
    tell(this.onDecision, decisionOfBody(answer.body["gateway"], answer.headers) ?? decisionOfHeaders(answer.headers))
    const results = answer.body["results"]
    return (Array.isArray(results) ? (results as ReadonlyArray<Result>) : []).map(({ index, relevance_score }) => {
      const document = documents[index]
      if (document === undefined) {
        const message = `The gateway ranked document ${index}, and there are ${documents.length}.`
        throw new GatewayError(message, { headers: answer.headers })
      }
      return new Document({ ...document, metadata: { ...document.metadata, relevanceScore: relevance_score } })
    })
  }
}

interface Result {
  readonly index: number
  readonly relevance_score: number
}
