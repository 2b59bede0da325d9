/** Rankings through the real port: the demo vendor's, and those of every shape that providers have. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Reply, upstream } from "../support/Upstream.ts"

const query = "What is the capital of France?"
const documents = ["Rome is the capital of Italy.", "Paris is the capital of France.", "Bananas are yellow."]
/** `usd` of a day. */
const day = (usd: number) => ({ limit: Math.round(usd * 1e9), window: "day" as const, timeZone: "UTC" })

const results = [
  { index: 0, relevance_score: 0.4 },
  { index: 1, relevance_score: 0.9 }
]
const cohere = { id: "r1", results: results.toReversed(), meta: { billed_units: { search_units: 1 } } }
const jina = { model: "m", results: results.toReversed(), usage: { total_tokens: 40 } }
const voyage = { object: "list", data: results.toReversed(), model: "m", usage: { total_tokens: 40 } }

/** A gateway over one provider's server; `path` is that of its API. */
const served = Effect.fnUntraced(function* (provider: string, deployment: string, reply: Reply, budget?: number) {
  const up = yield* upstream(() => reply)
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { ${provider}, base_url: "${up.baseUrl}", api_key: k } }
deployments: [{ provider: up, ${deployment} }]
failover: { attempts: 1 }
`
  })
  const { secret } = yield* gateway.createKey(budget === undefined ? {} : { budgets: [day(budget)] })
  const rank = (body: object = {}) =>
    call(gateway.url, {
      method: "POST",
      path: "/v1/rerank",
      key: secret,
      body: { model: "auto", query, documents, ...body }
    })
  return { gateway, rank, up }
})

describe("rankings of the demo provider", () => {
  it.live("best first, with their documents where asked, as many as asked, and billed by the search unit", () =>
    Effect.gen(function* () {
      const yaml = "providers: { demo: { vendor: demo } }\ndeployments: [demo/mini, demo/rerank]"
      const gateway = yield* startGateway({ yaml })
      const { secret } = yield* gateway.createKey({ budgets: [day(1)] })
      const rank = (body: object) =>
        call(gateway.url, { method: "POST", path: "/v1/rerank", key: secret, body: { model: "auto", query, ...body } })
      const { headers, json, status } = yield* rank({ documents, top_n: 2, return_documents: true })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        json.results.map(({ document, index }: { document: object; index: number }) => [index, document]),
        [
          [1, { text: documents[1] }],
          [0, { text: documents[0] }]
        ]
      )
      assert.isAbove(json.results[0].relevance_score, json.results[1].relevance_score)
      assert.strictEqual(headers["x-gateway-decision"], "demo/rerank")
      assert.strictEqual(headers["x-gateway-cost-usd"], "0.001")
      assert.deepInclude(json.usage, { search_units: 1, cost: 0.001 })
      assert.deepInclude(json.gateway, { decision: "demo/rerank", cost_usd: 0.001 })
      const again = yield* rank({ documents: documents.map((text) => ({ text })), top_n: 2, return_documents: true })
      assert.deepStrictEqual(again.json.results, json.results)
      const plain = yield* rank({ documents })
      assert.lengthOf(plain.json.results, 3)
      assert.notProperty(plain.json.results[0], "document")
      const [row] = yield* gateway.ledger
      assert.deepInclude(row, { operation: "rerank", status: "settled", cost: 1_000_000, reserved: 1_000_000 })
      assert.deepInclude(JSON.parse(row!.details!), { rerank_units: 1 })
      const many = yield* rank({ documents: Array.from({ length: 101 }, (_, at) => `${at}`) })
      assert.strictEqual(many.headers["x-gateway-cost-usd"], "0.002")
    })
  )

  it.live("are served at /v2/rerank, the path of Cohere's SDKs, as at /v1/rerank", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: "providers: { demo: { vendor: demo } }\ndeployments: [demo/rerank]" })
      const { secret } = yield* gateway.createKey()
      const ask = (path: string) =>
        call(gateway.url, { method: "POST", path, key: secret, body: { model: "demo/rerank", query, documents } })
      const first = yield* ask("/v1/rerank")
      const second = yield* ask("/v2/rerank")
      assert.strictEqual(second.status, 200)
      assert.deepStrictEqual(second.json.results, first.json.results)
      const operations = (yield* gateway.ledger).map((row) => row.operation)
      assert.deepStrictEqual(operations, ["rerank", "rerank"])
      const other = yield* call(gateway.url, { method: "GET", path: "/v2/rerank", key: secret })
      assert.strictEqual(other.status, 405)
    })
  )

  it.live("what is wrong with a request is said, with its place", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: "providers: { demo: { vendor: demo } }\ndeployments: [demo/rerank]" })
      const { secret } = yield* gateway.createKey()
      const problem = (body: object) =>
        Effect.map(
          call(gateway.url, {
            method: "POST",
            path: "/v1/rerank",
            key: secret,
            body: { model: "rerank", query, documents, ...body }
          }),
          ({ json, status }) => [status, json.error.param]
        )
      assert.deepStrictEqual(yield* problem({ query: undefined }), [400, "query"])
      assert.deepStrictEqual(yield* problem({ documents: [] }), [400, "documents"])
      assert.deepStrictEqual(yield* problem({ documents: "one" }), [400, "documents"])
      assert.deepStrictEqual(yield* problem({ documents: ["a", { image: "x" }] }), [400, "documents[1]"])
      assert.deepStrictEqual(yield* problem({ top_n: 0 }), [400, "top_n"])
      assert.deepStrictEqual(yield* problem({ return_documents: "yes" }), [400, "return_documents"])
      assert.deepStrictEqual(yield* problem({ model: 7 }), [400, "model"])
      const chat = yield* call(gateway.url, {
        method: "POST",
        path: "/v1/chat/completions",
        key: secret,
        body: { model: "rerank", messages: [{ role: "user", content: "Hi" }] }
      })
      assert.include(chat.json.error.message, "demo/rerank")
    })
  )
})

describe("rankings of providers", () => {
  it.live("Cohere's, Jina's and Voyage's come out alike, and each is asked in its own words", () =>
    Effect.gen(function* () {
      const cases = [
        ["vendor: cohere", "model: rerank-v4.0-fast", cohere, { top_n: 2 }, "0.002"],
        ["vendor: jina", "model: jina-reranker-v3, price: { input: 1, output: 0 }", jina, { top_n: 2 }, "0.00004"],
        ["vendor: voyage", "model: rerank-2.5, price: { input: 1, output: 0 }", voyage, { top_k: 2 }, "0.00004"],
        [
          "protocol: openai-chat",
          "model: bge-reranker-v2-m3, price: { input: 1, output: 0 }",
          jina,
          { top_n: 2 },
          "0.00004"
        ]
      ] as const
      for (const [provider, deployment, body, sent, cost] of cases) {
        const { gateway, rank, up } = yield* served(provider, deployment, { body })
        const asked = { documents: documents.map((text) => ({ text })), top_n: 2, return_documents: true }
        const { headers, json, status } = yield* rank(asked)
        assert.strictEqual(status, 200, provider)
        assert.deepStrictEqual(
          json.results,
          [1, 0].map((index) => ({ ...results[index], document: { text: documents[index] } })),
          provider
        )
        assert.deepInclude(up.asked[0]!, { path: "/v1/rerank" })
        const { model: _, ...rest } = up.asked[0]!.body
        assert.deepStrictEqual(rest, { query, documents, ...sent }, provider)
        assert.strictEqual(headers["x-gateway-cost-usd"], cost, provider)
        assert.deepInclude((yield* gateway.ledger)[0], { operation: "rerank", status: "settled", estimated: 0 })
      }
    })
  )

  it.live("an answer that ranks what was not sent, twice, by no number or not at all is an error", () =>
    Effect.gen(function* () {
      const one = results[0]!
      const lies = [
        [],
        [{ ...one, index: 3 }],
        [{ ...one, index: -1 }],
        [{ ...one, index: 0.5 }],
        [one, one],
        [{ ...one, relevance_score: "high" }],
        ["0"]
      ]
      for (const listed of lies) {
        const { rank } = yield* served("vendor: jina", "model: jina-reranker-v3", { body: { results: listed } })
        assert.strictEqual((yield* rank()).status, 502, JSON.stringify(listed))
      }
      // More than was asked for, and not the best first, can be made good.
      const { rank } = yield* served("vendor: jina", "model: jina-reranker-v3", { body: { ...jina, results } })
      const { json } = yield* rank({ top_n: 1 })
      assert.deepStrictEqual(json.results, [results[1]])
    })
  )

  it.live("without a told usage it is counted here, and said to be", () =>
    Effect.gen(function* () {
      const price = "price: { input: 1, output: 0 }"
      const { gateway, rank } = yield* served("vendor: jina", `model: jina-reranker-v3, ${price}`, {
        body: { results }
      })
      assert.strictEqual((yield* rank()).status, 200)
      const [row] = yield* gateway.ledger
      assert.strictEqual(row!.estimated, 1)
      assert.isAtLeast(row!.reserved, row!.cost)
      assert.isAbove(row!.input, 20)
    })
  )

  it.live("a price that nobody knows is no price: null, and refused under a budget", () =>
    Effect.gen(function* () {
      const free = yield* served("vendor: cohere", "model: rerank-of-tomorrow", { body: cohere })
      const { headers, json } = yield* free.rank()
      assert.isNull(json.usage.cost)
      assert.strictEqual(headers["x-gateway-cost-known"], "false")
      const held = yield* served("vendor: cohere", "model: rerank-of-tomorrow", { body: cohere }, 1)
      assert.strictEqual((yield* held.rank()).status, 400)
      assert.lengthOf(held.up.asked, 0)
      // Cohere bills units: a price for tokens is none.
      const wrong = yield* served(
        "vendor: cohere",
        "model: rerank-of-tomorrow, price: { input: 1, output: 1 }",
        { body: cohere },
        1
      )
      const refused = yield* wrong.rank()
      assert.strictEqual(refused.status, 400)
      assert.include(refused.json.error.message, "rerank_unit")
      assert.lengthOf(wrong.up.asked, 0)
    })
  )

  it.live(
    "a budget bounds it: what does not fit is not sent, and what was held is never less than what is billed",
    () =>
      Effect.gen(function* () {
        // Two units at 2 USD a thousand.
        const many = Array.from({ length: 101 }, () => "x")
        const units = yield* served(
          "vendor: cohere",
          "model: rerank-v4.0-fast",
          { body: { ...cohere, meta: { billed_units: { search_units: 2 } } } },
          0.003
        )
        const refused = yield* units.rank({ documents: many })
        assert.strictEqual(refused.status, 429)
        assert.lengthOf(units.up.asked, 0)
        assert.strictEqual((yield* units.rank()).status, 200)

        // A long document counts as several: 250 of these may be 2,250 units.
        const long = yield* served("vendor: cohere", "model: rerank-v4.0-fast", { body: cohere }, 0.03)
        assert.strictEqual(
          (yield* long.rank({ documents: Array.from({ length: 250 }, () => "x".repeat(4_096)) })).status,
          429
        )
        assert.lengthOf(long.up.asked, 0)

        // By the token the query counts with every document.
        const price = "price: { input: 1000, output: 0 }"
        const tokens = yield* served("vendor: voyage", `model: rerank-2.5, ${price}`, { body: voyage }, 1)
        assert.strictEqual((yield* tokens.rank({ query: "q".repeat(400), documents })).status, 429)
        assert.lengthOf(tokens.up.asked, 0)
        assert.strictEqual((yield* tokens.rank()).status, 200)
        const [row] = yield* tokens.gateway.ledger
        assert.isAtLeast(row!.reserved, row!.cost)
      })
  )
})
