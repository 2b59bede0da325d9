/** Embeddings through the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Asked, type Reply, upstream } from "../support/Upstream.ts"
import { resolved } from "./Promised.ts"

const demo = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/embed]
`

const product = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
  a.reduce((sum, value, at) => sum + value * b[at]!, 0)

/** Vectors as a compatible server makes them: numbers only, `[3, n]` for the n-th input, and 7 tokens for each. */
const vectors = ({ body }: Asked): Reply => {
  const { input } = body as { readonly input: string | ReadonlyArray<string> }
  const inputs = typeof input === "string" ? [input] : input
  const data = inputs.map((_, index) => ({ embedding: [3, index + 0.5], index, object: "embedding" }))
  const tokens = 7 * inputs.length
  return { body: { object: "list", data, model: "m-embed", usage: { prompt_tokens: tokens, total_tokens: tokens } } }
}

/** Providers `one`, `two`, … with these scripts, each with the model `m-embed` at 1 USD per million tokens; `more` is YAML. */
const over = Effect.fnUntraced(function* (
  scripts: ReadonlyArray<(asked: Asked, number: number) => Reply>,
  { budget, more = "", models = [] }: { budget?: number; more?: string; models?: ReadonlyArray<string> } = {}
) {
  const servers = yield* Effect.forEach(scripts, (script) => upstream(script))
  const names = ["one", "two", "three"].slice(0, servers.length)
  const providers = servers.map(
    ({ baseUrl }, at) => `  ${names[at]}: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }`
  )
  const deployments = names.map(
    (name, at) =>
      `  - { provider: ${name}, model: ${models[at] ?? "m-embed"}, context_window: 8192, price: { input: 1, output: 0 } }`
  )
  const gateway = yield* startGateway({
    yaml: `
providers:
${providers.join("\n")}
deployments:
${deployments.join("\n")}
failover: { base_delay: 1ms }
${more}
`
  })
  const budgets = budget === undefined ? [] : [{ limit: budget, window: "day" as const, timeZone: "UTC" }]
  const { secret } = yield* gateway.createKey({ budgets })
  const post = (body: object) =>
    call(gateway.url, { path: "/v1/embeddings", key: secret, body: { model: "m-embed", ...body } })
  return { ...gateway, asked: servers.map(({ asked }) => asked), client: gateway.client(secret), post, secret }
})

describe("embeddings of the demo provider", () => {
  it.live("the client's default, base64, decodes to the floats", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: demo })
      const { secret } = yield* gateway.createKey()
      const client = gateway.client(secret)
      const input = ["The river bank", "A bank of the river", "Prime numbers"]
      const { data: packed, response } = yield* resolved(() =>
        client.embeddings.create({ model: "embed", input }).withResponse()
      )
      const floats = yield* resolved(() => client.embeddings.create({ model: "auto", input, encoding_format: "float" }))
      assert.deepStrictEqual(packed.data, floats.data)
      assert.deepStrictEqual(
        packed.data.map(({ index }) => index),
        [0, 1, 2]
      )
      const [one, two, three] = floats.data.map(({ embedding }) => embedding)
      assert.closeTo(product(one!, one!), 1, 1e-6)
      assert.isAbove(product(one!, two!), product(one!, three!) + 0.3)
      assert.strictEqual(response.headers.get("X-Gateway-Decision"), "demo/embed")
      assert.strictEqual(response.headers.get("X-Gateway-Route-Bucket"), "none")
      assert.match(response.headers.get("X-Gateway-Cost-Usd") ?? "", /^0\.0*[1-9]\d*$/)
      assert.strictEqual(packed.usage.cost, Number(response.headers.get("X-Gateway-Cost-Usd")))
      assert.strictEqual(packed.gateway?.decision, "demo/embed")
      const [row] = yield* gateway.ledger
      const input_tokens = packed.usage.prompt_tokens
      assert.deepInclude(row, {
        operation: "embeddings",
        status: "settled",
        estimated: 0,
        input: input_tokens,
        output: 0
      })
    })
  )

  it.live("`dimensions` is the length, and tokens are taken as they are", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: demo })
      const { secret } = yield* gateway.createKey()
      const client = gateway.client(secret)
      const ask = (input: string | Array<number> | Array<Array<number>>, dimensions?: number) =>
        resolved(() => client.embeddings.create({ model: "embed", input, ...(dimensions && { dimensions }) }))
      const short = yield* ask("The river bank", 8)
      assert.lengthOf(short.data[0]!.embedding, 8)
      assert.closeTo(product(short.data[0]!.embedding, short.data[0]!.embedding), 1, 1e-6)
      const tokens = yield* ask([
        [1, 2, 3],
        [4, 5]
      ])
      assert.lengthOf(tokens.data, 2)
      assert.strictEqual(tokens.usage.prompt_tokens, 5)
      assert.strictEqual((yield* ask([1, 2, 3])).usage.prompt_tokens, 3)
    })
  )

  it.live("what is wrong is named, and what is right is said", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: demo })
      const { secret } = yield* gateway.createKey()
      const post = (body: object) =>
        call(gateway.url, { path: "/v1/embeddings", key: secret, body: { model: "embed", input: "Hi", ...body } })
      const wrong: ReadonlyArray<readonly [object, string, RegExp]> = [
        [{ input: undefined }, "input", /a text, a list of texts, or tokens, and it is missing/],
        [{ input: "" }, "input", /missing|not ""/],
        [{ input: ["a", 1] }, "input", /a text, a list of texts, or tokens/],
        [{ input: [[1], ["a"]] }, "input[1]", /at least one token/],
        [{ input: [[1], []] }, "input[1]", /at least one token/],
        [{ dimensions: 0 }, "dimensions", /at least 1, not 0/],
        [{ encoding_format: "int8" }, "encoding_format", /"float" or "base64", not "int8"/]
      ]
      for (const [body, param, message] of wrong) {
        const { json, status } = yield* post(body)
        assert.deepInclude(json.error, { code: "invalid_field", param })
        assert.match(json.error.message, message)
        assert.strictEqual(status, 400)
      }
      const chat = yield* post({ model: "mini" })
      assert.strictEqual(chat.status, 400)
      assert.match(chat.json.error.message, /demo\/mini can't serve embeddings; it serves chat/)
    })
  )
})

describe("embeddings of compatible servers", () => {
  it.live("base64 is packed here, and the server is never asked for it", () =>
    Effect.gen(function* () {
      const { asked, client, ledger, post } = yield* over([vectors])
      const answer = yield* resolved(() => client.embeddings.create({ model: "m-embed", input: ["a", "b"] }))
      assert.deepStrictEqual(
        answer.data.map(({ embedding }) => embedding),
        [
          [3, 0.5],
          [3, 1.5]
        ]
      )
      assert.notProperty(asked[0]![0]!.body, "encoding_format")
      const { json } = yield* post({ input: "a", encoding_format: "base64" })
      assert.strictEqual(json.data[0].embedding, Buffer.from(Float32Array.of(3, 0.5).buffer).toString("base64"))
      assert.deepStrictEqual(json.usage, { prompt_tokens: 7, total_tokens: 7, cost: 0.000007 })
      assert.deepStrictEqual(
        (yield* ledger).map(({ cost, input }) => [input, cost]),
        [
          [14, 14_000],
          [7, 7_000]
        ]
      )
    })
  )

  it.live("base64 that nobody asked for is unpacked", () =>
    Effect.gen(function* () {
      const packed = Buffer.from(Float32Array.of(3, 0.5).buffer).toString("base64")
      const { post } = yield* over([() => ({ body: { data: [{ embedding: packed }] } })])
      const { json } = yield* post({ input: "a b c d" })
      assert.deepStrictEqual(json.data, [{ object: "embedding", index: 0, embedding: [3, 0.5] }])
      assert.strictEqual(json.object, "list")
      assert.strictEqual(json.model, "m-embed")
      // It told no usage: ours is an estimate.
      assert.isAbove(json.usage.prompt_tokens, 0)
    })
  )

  it.live("an answer that is none goes to the next provider, and the vendor's words for a refusal stay", () =>
    Effect.gen(function* () {
      const bodies: ReadonlyArray<Reply> = [
        { body: "<html>" },
        { body: { object: "list", data: [] } },
        { body: { data: [{ embedding: null }] } },
        { body: '{"data":[{"embedding":[1,"x"]}]}' },
        { body: '{"data":[{"embedding":7}]}' },
        { body: '{"data":[{"embedding":[1,' },
        { body: { data: [{ embedding: "AAA" }] } }
      ]
      const { asked, post } = yield* over([(_, number) => bodies[number]!, vectors])
      for (const _ of bodies) {
        const { headers, json } = yield* post({ input: "a", model: "auto" })
        assert.deepStrictEqual(json.data[0].embedding, [3, 0.5])
        assert.isAtMost(Number(headers["x-gateway-retries"]), 1)
      }
      assert.isAtLeast(asked[0]!.length, 1)
      const message = "This model does not support specifying dimensions."
      const refusing = yield* over([
        () => ({ status: 400, body: { error: { message, type: "invalid_request_error", param: "dimensions" } } })
      ])
      const { json, status } = yield* refusing.post({ input: "a", dimensions: 3 })
      assert.strictEqual(status, 400)
      assert.include(json.error.message, message)
      assert.strictEqual(json.error.param, "dimensions")
    })
  )

  it.live("failover goes to other providers of the same model, never to another model", () =>
    Effect.gen(function* () {
      const down = () => ({ status: 500, body: { error: { message: "down" } } })
      const { asked, post } = yield* over([down, vectors, vectors], {
        models: ["m-embed", "maker/m-embed", "other-embed"],
        more: "models: { vectors: [one/m-embed, three/other-embed, two/maker/m-embed] }"
      })
      for (const model of ["auto", "vectors"]) {
        const { headers, status } = yield* post({ model, input: "a" })
        assert.strictEqual(status, 200, model)
        assert.strictEqual(headers["x-gateway-decision"], "two/maker/m-embed", model)
      }
      assert.lengthOf(asked[2]!, 0)
      const alone = yield* over([down, vectors], {
        models: ["m-embed", "other-embed"],
        more: "models: { vectors: [one/m-embed, two/other-embed] }"
      })
      for (const model of ["auto", "vectors"]) assert.isAtLeast((yield* alone.post({ model, input: "a" })).status, 500)
      assert.lengthOf(alone.asked[1]!, 0)
    })
  )

  it.live(
    "an answer of more than 64 MiB is read",
    () =>
      Effect.gen(function* () {
        const vector = Array.from({ length: 3_072 }, (_, at) => Math.sin(at))
        const item = JSON.stringify({ object: "embedding", embedding: vector })
        const body = `{"data":[${Array.from({ length: 1_200 }, () => item).join(",")}],"usage":{"prompt_tokens":1}}`
        assert.isAbove(body.length, 64 * 1024 * 1024)
        const { post } = yield* over([() => ({ body })])
        const { json } = yield* post({ input: "a", encoding_format: "base64" })
        assert.lengthOf(json.data, 1_200)
        const packed = Buffer.from(Float32Array.from(vector).buffer).toString("base64")
        assert.deepStrictEqual(json.data[1_199], { object: "embedding", index: 1_199, embedding: packed })
      }),
    60_000
  )

  it.live("a batch of megabytes arrives as it was sent", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* over([vectors])
      const input = Array.from({ length: 300 }, (_, at) => `${at} "é\\n" ${"word ".repeat(1_500)}`)
      const { json, status } = yield* post({ input })
      assert.strictEqual(status, 200)
      assert.lengthOf(json.data, 300)
      assert.deepStrictEqual(asked[0]![0]!.body, { model: "m-embed", input })
    })
  )

  it.live("each text of a batch has the context window to itself", () =>
    Effect.gen(function* () {
      const { post } = yield* over([vectors])
      const text = "word ".repeat(5_000)
      assert.strictEqual((yield* post({ input: [text, text, text, text] })).status, 200)
    })
  )
})

describe("embeddings under a budget", () => {
  it.live("tokens are held by their number, and 50 requests at once overspend nothing", () =>
    Effect.gen(function* () {
      // 1,000 tokens at 1 USD per million are 1,000,000 nano-USD: there is room for ten.
      const told = { object: "list", data: [{ embedding: [1] }], usage: { prompt_tokens: 1_000, total_tokens: 1_000 } }
      const { ledger, post } = yield* over([() => ({ body: told, delay: 20 })], { budget: 10_500_000 })
      const input = Array.from({ length: 1_000 }, (_, at) => at)
      const answers = yield* Effect.all(
        Array.from({ length: 50 }, () => post({ input })),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))].toSorted(), [200, 429])
      assert.lengthOf(
        answers.filter(({ status }) => status === 200),
        10
      )
      const rows = yield* ledger
      assert.strictEqual(
        rows.reduce((sum, { cost }) => sum + cost, 0),
        10_000_000
      )
      for (const { reserved } of rows) assert.strictEqual(reserved, 1_000_000)
    })
  )

  it.live("text is held by its bytes", () =>
    Effect.gen(function* () {
      const { ledger, post } = yield* over([vectors], { budget: 10_000_000 })
      const input = "word ".repeat(1_000)
      assert.strictEqual((yield* post({ input })).status, 200)
      const [row] = yield* ledger
      assert.isAtLeast(row!.reserved, 5_000_000)
      assert.isBelow(row!.reserved, 5_500_000)
    })
  )

  it.live("text is counted where its bytes do not fit, for a tokenizer that is known", () =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(vectors)
      const gateway = yield* startGateway({
        yaml: `
providers: { openai: { base_url: "${baseUrl}", api_key: sk-operators-own } }
deployments: [openai/text-embedding-3-small]
`
      })
      // 0.02 USD per million tokens: 5,000 bytes are 100,000 nano-USD, a thousand words about 35,000.
      const keyOf = (limit: number) =>
        gateway.createKey({ budgets: [{ limit, window: "day" as const, timeZone: "UTC" }] })
      const small = yield* keyOf(50_000)
      const post = ({ secret }: { readonly secret: string }, input: string | ReadonlyArray<string>) =>
        call(gateway.url, { path: "/v1/embeddings", key: secret, body: { model: "text-embedding-3-small", input } })
      assert.strictEqual((yield* post(small, "word ".repeat(1_000))).status, 200)
      // Signs that this tokenizer may make a token of each byte of are held by their bytes.
      assert.strictEqual((yield* post(small, "\u{1f9ed}".repeat(1_000))).status, 429)
      assert.lengthOf(asked, 1)
      // Ten texts of 8,192 tokens are more than the context window, as each has one to itself.
      const batch = Array.from({ length: 10 }, () => "word ".repeat(2_000))
      assert.strictEqual((yield* post(yield* keyOf(1_000_000), batch)).status, 200)
      const [one, ten] = yield* gateway.ledger
      assert.isAbove(one!.reserved, 20_000)
      assert.isBelow(one!.reserved, 50_000)
      assert.isAbove(ten!.reserved, 600_000)
    })
  )
})
