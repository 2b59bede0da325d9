import { assert, describe, it } from "@effect/vitest"
import { type GatewayDecision, GatewayEmbeddings, type GatewayEmbeddingsFields } from "../src/index.ts"
import { foreignServer } from "./support/Foreign.ts"
import { failure } from "./support/Model.ts"

interface Asked {
  readonly model: string
  readonly input: ReadonlyArray<string>
  readonly encoding_format: string
  readonly dimensions?: number
}

const base64 = (vector: ReadonlyArray<number>) => Buffer.from(Float32Array.from(vector).buffer).toString("base64")

/** Speaks the contract: the vector of a text is its length and its batch's size. */
const server = async (encode: (vector: ReadonlyArray<number>) => unknown = (vector) => vector, keep = Infinity) => {
  const asked: Array<Asked> = []
  const foreign = await foreignServer(async (request, response) => {
    let text = ""
    for await (const piece of request) text += piece
    const body = JSON.parse(text) as Asked
    asked.push(body)
    const data = body.input.map((one, index) => ({ index, embedding: encode([one.length, body.input.length]) }))
    const gateway = { decision: "p/e", deployment: "p/e", bucket: "none", score: 0, cost_usd: 0.000001, retries: 0 }
    response.writeHead(200, { "content-type": "application/json", "x-gateway-decision": "p/e" })
    // Any order is allowed.
    response.end(JSON.stringify({ data: data.toReversed().slice(0, keep), model: "e", gateway }))
  })
  const make = (fields: Partial<GatewayEmbeddingsFields> = {}) =>
    new GatewayEmbeddings({ apiKey: "mgw_x", baseUrl: foreign.url, model: "e", maxRetries: 0, ...fields })
  return { asked, make, [Symbol.asyncDispose]: () => foreign[Symbol.asyncDispose]() }
}

describe("embeddings", () => {
  it("come in the texts' order, in batches", async () => {
    await using one = await server()
    const decisions: Array<GatewayDecision> = []
    const embeddings = one.make({
      batchSize: 2,
      dimensions: 2,
      onDecision: (decision) => void decisions.push(decision)
    })
    assert.deepStrictEqual(await embeddings.embedDocuments(["a", "bb", "ccc"]), [
      [1, 2],
      [2, 2],
      [3, 1]
    ])
    assert.deepInclude(one.asked[0], { model: "e", encoding_format: "float", dimensions: 2 })
    assert.sameDeepMembers(
      one.asked.map(({ input }) => [...input]),
      [["a", "bb"], ["ccc"]]
    )
    assert.deepStrictEqual(
      decisions.map(({ costUsd, model }) => [model, costUsd]),
      [
        ["e", 0.000001],
        ["e", 0.000001]
      ]
    )
  })

  it("of one text, and of none", async () => {
    await using one = await server()
    assert.deepStrictEqual(await one.make({ stripNewLines: true }).embedQuery("a\nb"), [3, 1])
    assert.strictEqual(one.asked[0]?.input[0], "a b")
    assert.deepStrictEqual(await one.make().embedDocuments([]), [])
    assert.lengthOf(one.asked, 1)
  })

  it("may come as base64", async () => {
    await using one = await server(base64)
    assert.deepStrictEqual(await one.make().embedQuery("abc"), [3, 1])
  })

  it("fewer than texts are an error", async () => {
    await using one = await server(undefined, 1)
    assert.include((await failure(one.make().embedDocuments(["a", "b"]))).message, "1 embeddings to 2 texts")
  })
})
