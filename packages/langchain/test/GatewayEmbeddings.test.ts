import { assert, describe, it } from "@effect/vitest"
import { type GatewayDecision, GatewayEmbeddings, type GatewayEmbeddingsFields } from "../src/index.ts"
import { foreignServer } from "./support/Foreign.ts"
import { nano } from "./support/Gateway.ts"
import { failure } from "./support/Model.ts"
import { useGateway } from "./support/UseGateway.ts"

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

const gateway = useGateway()

const product = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0)

describe("embeddings of the real gateway", () => {
  it("are near where texts are alike, and their cost is the ledger's", async () => {
    const { apiKey, baseUrl, id } = await gateway().client()
    const decisions: Array<GatewayDecision> = []
    const embeddings = new GatewayEmbeddings({
      apiKey,
      baseUrl,
      model: "embed",
      batchSize: 2,
      dimensions: 64,
      onDecision: (decision) => void decisions.push(decision)
    })
    const vectors = await embeddings.embedDocuments(["the river bank", "prime numbers", "a bank of the river"])
    const query = await embeddings.embedQuery("river bank")
    assert.deepStrictEqual(
      vectors.map(({ length }) => length),
      [64, 64, 64]
    )
    const [river, numbers, alike] = vectors.map((vector) => product(vector, query))
    assert.isAbove(Math.min(river!, alike!), numbers!)
    assert.lengthOf(decisions, 3)
    const cost = decisions.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0)
    assert.isAbove(cost, 0)
    assert.strictEqual(nano(cost), nano(await gateway().spent(id)))
  })

  it("of a model that only chats are refused, in words that help", async () => {
    const { apiKey, baseUrl } = await gateway().client()
    const error = await failure(
      new GatewayEmbeddings({ apiKey, baseUrl, model: "mini", maxRetries: 0 }).embedQuery("a")
    )
    assert.include(error.message, "demo/mini can't serve embeddings; it serves chat")
  })
})
