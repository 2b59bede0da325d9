/** Moderations through the vendor's own client. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasData } from "../support/Transcripts.ts"
import { problemWith } from "../support/OpenAiSchema.ts"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { type Reply, upstream } from "../support/Upstream.ts"
import { resolved } from "./Promised.ts"

const demo = `
providers: { demo: { vendor: demo } }
deployments: [demo/mini, demo/moderation]
`

const day = (limit: number) => ({ limit, window: "day" as const, timeZone: "UTC" })

const picture = { type: "image_url" as const, image_url: { url: "https://example.com/a.png" } }

describe("moderations of the demo provider", () => {
  it.live("a text, a list of texts, parts; with a model or without; free, and known to be, under a budget", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: demo })
      const { secret } = yield* gateway.createKey({ budgets: [day(1)] })
      const client = gateway.client(secret)
      const { data, response } = yield* resolved(() =>
        client.moderations.create({ input: "I want to harm the robots" }).withResponse()
      )
      assert.isTrue(data.results[0]?.flagged)
      assert.isTrue(data.results[0]?.categories.violence)
      assert.strictEqual(response.headers.get("X-Gateway-Decision"), "demo/moderation")
      assert.strictEqual(response.headers.get("X-Gateway-Cost-Usd"), "0")
      assert.isNull(response.headers.get("X-Gateway-Cost-Known"))
      assert.deepInclude(Reflect.get(data, "gateway"), { decision: "demo/moderation", cost_usd: 0, bucket: "none" })
      if (hasData) {
        const { gateway: _, ...plain } = data as typeof data & { gateway: unknown }
        assert.isUndefined(problemWith("CreateModerationResponse", plain))
      }
      const two = yield* resolved(() =>
        client.moderations.create({ model: "moderation", input: ["Hello", "I hate it"] })
      )
      assert.deepStrictEqual(
        two.results.map(({ flagged }) => flagged),
        [false, true]
      )
      const parts = yield* resolved(() =>
        client.moderations.create({ model: "moderation", input: [{ type: "text", text: "Kill it" }, picture] })
      )
      assert.lengthOf(parts.results, 1)
      assert.deepStrictEqual(parts.results[0]?.category_applied_input_types.violence, ["text", "image"])
      for (const row of yield* gateway.ledger) {
        assert.deepInclude(row, { operation: "moderations", status: "settled", reserved: 0, cost: 0, output: 0 })
      }
    })
  )

  it.live("where no provider has it, a 400 says so", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: "providers: { demo: { vendor: demo } }\ndeployments: [demo/mini]" })
      const { secret } = yield* gateway.createKey()
      const post = (body: object) => call(gateway.url, { path: "/v1/moderations", key: secret, body })
      const { json, status } = yield* post({ input: "Hi" })
      assert.strictEqual(status, 400)
      assert.match(json.error.message, /no deployment supports moderations/)
      const named = yield* post({ input: "Hi", model: "mini" })
      assert.strictEqual(named.status, 400)
      assert.match(named.json.error.message, /demo\/mini can't serve moderations; it serves chat/)
    })
  )

  it.live("what is wrong is named", () =>
    Effect.gen(function* () {
      const gateway = yield* startGateway({ yaml: demo })
      const { secret } = yield* gateway.createKey()
      for (const [input, param] of [
        [undefined, "input"],
        [[], "input"],
        [[1, 2], "input"],
        [["a", picture], "input"],
        [[{ type: "text" }], "input[0].text"],
        [[{ type: "image_url" }], "input[0].image_url.url"]
      ] as const) {
        const { json, status } = yield* call(gateway.url, { path: "/v1/moderations", key: secret, body: { input } })
        assert.deepInclude(json.error, { param, code: "invalid_field" })
        assert.strictEqual(status, 400)
      }
    })
  )
})

describe("moderations of vendors", () => {
  const result = { categories: { violence: true }, category_scores: { violence: 0.9 } }
  const over = (script: () => Reply, deployment: string) =>
    Effect.gen(function* () {
      const { asked, baseUrl } = yield* upstream(script)
      const gateway = yield* startGateway({
        yaml: `
providers:
  up: { protocol: openai-chat, base_url: "${baseUrl}", api_key: none }
  openai: { base_url: "${baseUrl}", api_key: sk-operators-own }
deployments:
  - ${deployment}
`
      })
      const { secret } = yield* gateway.createKey({ budgets: [day(10_000_000)] })
      const post = (body: object) => call(gateway.url, { path: "/v1/moderations", key: secret, body })
      return { ...gateway, asked, post }
    })

  it.live("OpenAI's is free, images too: a budget lets it through, and the vendor gets its own model's name", () =>
    Effect.gen(function* () {
      const body = { id: "modr-1", model: "omni-moderation-latest", results: [{ flagged: true, ...result }] }
      const { asked, post } = yield* over(() => ({ body }), "openai/omni-moderation-latest")
      const { headers, json, status } = yield* post({ input: [{ type: "text", text: "Hit" }, picture] })
      assert.strictEqual(status, 200, JSON.stringify(json))
      assert.strictEqual(headers["x-gateway-cost-usd"], "0")
      const { gateway, ...plain } = json
      assert.deepStrictEqual(plain, body)
      assert.strictEqual(gateway.cost_usd, 0)
      assert.deepStrictEqual(asked[0]!.body, {
        input: [{ type: "text", text: "Hit" }, picture],
        model: "omni-moderation-latest"
      })
    })
  )

  it.live("one with a price is billed by what it tells, and its answer gets what clients read", () =>
    Effect.gen(function* () {
      const usage = { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 }
      const { ledger, post } = yield* over(
        () => ({ body: { id: "m1", model: "mistral-moderation", usage, results: [result] } }),
        "{ provider: up, model: mistral-moderation, price: { input: 1, output: 0 } }"
      )
      const { json } = yield* post({ input: "Hit" })
      assert.isTrue(json.results[0].flagged)
      assert.deepStrictEqual(json.usage, { ...usage, cost: 0.000009 })
      assert.deepInclude((yield* ledger)[0], { cost: 9_000, estimated: 0 })
    })
  )

  it.live("an answer without results is none", () =>
    Effect.gen(function* () {
      for (const body of ["", "<html>", "{}", '{"results":[]}', '{"results":[1]}']) {
        const { post } = yield* over(() => ({ body }), "openai/omni-moderation-latest")
        assert.strictEqual((yield* post({ input: "Hi" })).status, 502, body)
      }
    })
  )
})
