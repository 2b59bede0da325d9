import { assert, describe, it } from "@effect/vitest"
import { Document } from "@langchain/core/documents"
import {
  type GatewayDecision,
  GatewayConfigurationError,
  GatewayRerank,
  type GatewayRerankFields
} from "../src/index.ts"
import { failure } from "./support/Model.ts"
import { useGateway } from "./support/UseGateway.ts"

const gateway = useGateway()
const query = "What is the capital of France?"
const documents = ["Rome is the capital of Italy.", "Paris is the capital of France.", "Bananas are yellow."].map(
  (pageContent, index) => new Document({ pageContent, metadata: { index }, id: `d${index}` })
)

describe("the reranker", () => {
  it("returns copies of the documents, best first, with their score, and reports the decision", async () => {
    const { apiKey, baseUrl } = await gateway().client()
    const decisions: Array<GatewayDecision> = []
    const onDecision = (decision: GatewayDecision) => void decisions.push(decision)
    const rerank = new GatewayRerank({ apiKey, baseUrl, model: "demo/rerank", topN: 2, onDecision })
    const ranked = await rerank.compressDocuments(documents, query)
    assert.deepStrictEqual(
      ranked.map(({ id, metadata }) => [id, metadata["index"]]),
      [
        ["d1", 1],
        ["d0", 0]
      ]
    )
    assert.isAbove(ranked[0]!.metadata["relevanceScore"], ranked[1]!.metadata["relevanceScore"])
    assert.notProperty(documents[1]!.metadata, "relevanceScore")
    assert.strictEqual(decisions[0]?.deployment, "demo/rerank")
    assert.isAbove(decisions[0]?.costUsd ?? 0, 0)
  })

  it("sends nothing for no documents", async () => {
    const rerank = new GatewayRerank({ apiKey: "mgw_x", baseUrl: "http://127.0.0.1:1", model: "m" })
    assert.deepStrictEqual(await rerank.compressDocuments([], query), [])
  })

  it("refuses options that can't work", async () => {
    const make = (fields: Partial<GatewayRerankFields>) => async () =>
      new GatewayRerank({ apiKey: "mgw_x", baseUrl: "http://host", model: "m", ...fields })
    for (const [fields, said] of [
      [{ model: "" }, "`model`"],
      [{ topN: 0 }, "`topN`"],
      [{ top_n: 2 } as object, "`topN`"]
    ] as const) {
      const error = await failure(make(fields)())
      assert.instanceOf(error, GatewayConfigurationError)
      assert.include(error.message, said)
    }
  })
})
