/** Documents in the order of how well they answer a query, as a model of the AI SDK. */
import type { RerankingModelV4 } from "@ai-sdk/provider"
import type { Gateway } from "../Gateway.ts"
import { metadataOf, thrown } from "./Answer.ts"
import { ownOptions } from "./Request.ts"

type Rank = RerankingModelV4["doRerank"]

export class RankingModel implements RerankingModelV4 {
  readonly specificationVersion = "v4"
  readonly provider = "gateway.reranking"
  readonly modelId: string
  readonly #gateway: Gateway

  constructor(gateway: Gateway, modelId: string) {
    this.#gateway = gateway
    this.modelId = modelId
  }

  async doRerank(call: Parameters<Rank>[0]): Promise<Awaited<ReturnType<Rank>>> {
    const { fields, options } = ownOptions(call)
    const { documents, query, topN } = call
    const texts = documents.type === "text" ? documents.values : documents.values.map((value) => JSON.stringify(value))
    const body = { model: this.modelId, query, documents: texts, top_n: topN, ...fields }
    try {
      const { data, response } = await this.#gateway.rerank.create(body, options).withResponse()
      const { gateway, ...answer } = data
      return {
        ranking: data.results.map(({ index, relevance_score }) => ({ index, relevanceScore: relevance_score })),
        providerMetadata: metadataOf(gateway),
        response: { id: data.id, modelId: data.model, headers: Object.fromEntries(response.headers), body: answer },
        warnings: documents.type === "text" ? [] : [asText]
      }
    } catch (error) {
      throw thrown(error, `${this.#gateway.baseUrl}/v1/rerank`, body)
    }
  }
}

const asText = { type: "compatibility" as const, feature: "object documents", details: "They are ranked as JSON." }
