/** What an answer costs by what the provider says of it: its tier, its audio, its fees; and what has no price is not cheap. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { masterKey, startGateway } from "../support/RunningGateway.ts"
import { wave } from "../support/Uploads.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const aDollar = [{ limit: 1_000_000_000, window: "total" as const, timeZone: "UTC" }]

/** What the upstream says of every answer; `tier` in the body and in every chunk, as OpenAI has it. */
interface Says {
  tier?: string | undefined
  usage?: object
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

const facing = Effect.fnUntraced(function* (deployments: string, vendor = "openai") {
  const says: Says = {}
  const up = yield* upstream(({ body }) => {
    const told = says.usage ?? usage
    if (vendor === "anthropic") {
      const content = [{ type: "text", text: "one" }]
      const message = { id: "msg_1", type: "message", role: "assistant", model: "m", content, stop_reason: "end_turn" }
      return { body: { ...message, usage: { input_tokens: 100, output_tokens: 10, service_tier: says.tier, ...told } } }
    }
    const tier = says.tier === undefined ? {} : { service_tier: says.tier }
    if (body.stream !== true) return { body: { ...completion("one"), ...tier, usage: told } }
    const events = completionEvents("one").map((event) => {
      if (!event.startsWith("data: {")) return event
      const chunk = JSON.parse(event.slice(6))
      return `data: ${JSON.stringify({ ...chunk, ...tier, ...(chunk.usage ? { usage: told } : {}) })}\n\n`
    })
    return { body: events }
  })
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { vendor: ${vendor}, base_url: "${up.baseUrl}", api_key: none } }
deployments: [${deployments}]
`
  })
  const free = yield* gateway.createKey()
  const bounded = yield* gateway.createKey({ budgets: aDollar })
  const asking =
    (key: string) =>
    (model: string, fields: object = {}) =>
      call(gateway.url, {
        path: "/v1/chat/completions",
        key,
        body: { model: `up/${model}`, messages, max_tokens: 100, ...fields }
      })
  const receiptOf = (id: string) => call(gateway.url, { method: "GET", path: `/v1/receipts/${id}`, key: free.secret })
  return { ...gateway, says, up, receiptOf, ask: asking(free.secret), askBounded: asking(bounded.secret) }
})

const streamed = { stream: true, stream_options: { include_usage: true } }

/** The cost that the last event with one tells; undefined where none does. */
const lastCost = (text: string): number | null | undefined => {
  const costs = [...text.matchAll(/"cost":(null|[\d.e-]+)/g)].map(([, cost]) => JSON.parse(cost!))
  return costs.at(-1)
}

const PRICED =
  "{ provider: up, model: m, price: { input: 1, output: 2, flex: { input: 0.5, output: 1 }, priority: { input: 2, output: 4 } } }"

describe("service tiers", () => {
  it.live("are booked at their own prices, by what the answer says", () =>
    Effect.gen(function* () {
      const { ask, receiptOf, says } = yield* facing(PRICED)
      for (const [tier, cost] of [
        ["default", 0.00012],
        ["flex", 0.00006],
        ["priority", 0.00024],
        [undefined, 0.00012]
      ] as const) {
        says.tier = tier
        const whole = yield* ask("m")
        assert.deepStrictEqual([whole.json.usage.cost, whole.headers["x-gateway-cost-known"]], [cost, undefined], tier)
        const told = (yield* receiptOf(whole.json.gateway.receipt_id)).json.attempts[0]
        assert.deepStrictEqual([told.cost_usd, told.service_tier], [cost, tier === "default" ? undefined : tier])
        const { text } = yield* ask("m", streamed)
        assert.strictEqual(lastCost(text), cost, `${tier}, streamed`)
      }
    })
  )

  it.live("without a price are unknown, and never booked at the standard price", () =>
    Effect.gen(function* () {
      const { ask, ledger, says } = yield* facing("{ provider: up, model: m, price: { input: 1, output: 2 } }")
      says.tier = "scale"
      const { headers, json } = yield* ask("m")
      assert.deepStrictEqual([json.usage.cost, headers["x-gateway-cost-known"]], [null, "false"])
      assert.strictEqual(lastCost((yield* ask("m", streamed)).text), null)
      for (const row of yield* ledger) assert.deepInclude(row, { cost: 0, price_source: null })
    })
  )

  it.live("without a price use up a budget all the same, as dear as they were held", () =>
    Effect.gen(function* () {
      const { askBounded, ledger, says } = yield* facing(
        "{ provider: up, model: m, price: { input: 1, output: 2000 } }"
      )
      says.tier = "scale"
      // Nobody asked for it, nor for the audio below: 10 tokens at 0.002 USD, and 100 that were read.
      const { headers, json } = yield* askBounded("m")
      assert.deepStrictEqual([json.usage.cost, headers["x-gateway-cost-known"]], [null, "false"])
      says.tier = undefined
      says.usage = { ...usage, completion_tokens_details: { audio_tokens: 10 } }
      assert.isNull((yield* askBounded("m")).json.usage.cost)
      for (const row of yield* ledger) assert.deepInclude(row, { cost: 20_100_000, price_source: null })
      says.usage = {
        ...usage,
        prompt_tokens: 0,
        completion_tokens: 100,
        completion_tokens_details: { audio_tokens: 100 }
      }
      const statuses = []
      for (let call = 0; call < 6; call++) statuses.push((yield* askBounded("m")).status)
      assert.deepStrictEqual(statuses, [200, 200, 200, 200, 429, 429])
    })
  )

  it.live("that are dear are held at their price under a budget, and refused where nobody knows it", () =>
    Effect.gen(function* () {
      const priced =
        "{ provider: up, model: m, price: { input: 1, output: 1000, priority: { input: 1, output: 20000 } } }"
      const { askBounded, says, up } = yield* facing(
        `${priced}, { provider: up, model: plain, price: { input: 1, output: 2 } }`
      )
      says.tier = "priority"
      // 100 tokens at 20,000 USD per million are two dollars.
      assert.strictEqual((yield* askBounded("m", { service_tier: "priority" })).status, 429)
      const { json, status } = yield* askBounded("plain", { service_tier: "priority" })
      assert.strictEqual(status, 400)
      assert.match(json.error.message, /price of `priority`/)
      assert.lengthOf(up.asked, 0)
    })
  )

  it.live("that are cheap are held at the standard price, which is booked where the answer names no tier", () =>
    Effect.gen(function* () {
      const { ask, askBounded } = yield* facing(
        "{ provider: up, model: m, price: { input: 1, output: 1000, scale: { input: 0, output: 0 } } }"
      )
      // 2,000 tokens are two dollars, where no capacity was bought in advance.
      assert.strictEqual((yield* askBounded("m", { service_tier: "scale", max_tokens: 2000 })).status, 429)
      assert.strictEqual((yield* ask("m", { service_tier: "scale" })).json.usage.cost, 0.0101)
    })
  )

  it.live("are held at the standard tier's price for a long input, where that is dearer", () =>
    Effect.gen(function* () {
      const long = "tiers: [{ above: 1000, input: 100, output: 2 }], priority: { input: 2, output: 4 }"
      const { askBounded } = yield* facing(`{ provider: up, model: m, price: { input: 1, output: 2, ${long} } }`)
      const content = "0123456789".repeat(6000)
      const asked = { service_tier: "priority", messages: [{ role: "user", content }] }
      assert.strictEqual((yield* askBounded("m", asked)).status, 429)
    })
  )

  it.live("are a factor on the price of a long input, too", () =>
    Effect.gen(function* () {
      const { askBounded, ledger, says } = yield* facing("{ provider: up, model: gpt-5.4 }")
      says.tier = "fast"
      assert.strictEqual((yield* askBounded("gpt-5.4", { service_tier: "fast" })).json.usage.cost, 0.0008)
      // 300,000 tokens at 2 times 5 USD per million are 3 USD.
      const asked = { service_tier: "priority", messages: [{ role: "user", content: "0 ".repeat(300_000) }] }
      assert.strictEqual((yield* askBounded("gpt-5.4", asked)).status, 429)
      says.tier = "priority"
      says.usage = { prompt_tokens: 300_000, completion_tokens: 1000, total_tokens: 301_000 }
      assert.strictEqual((yield* askBounded("gpt-5.4")).json.usage.cost, 3.045)
      assert.deepInclude((yield* ledger).at(-1), { cost: 3_045_000_000, price_source: "catalogue" })
    })
  )

  it.live(
    "are named under a budget where the vendor may choose a dearer one, unless the deployment says otherwise",
    () =>
      Effect.gen(function* () {
        const { ask, askBounded, up } = yield* facing(
          `${PRICED}, { id: up/auto, provider: up, model: n, service_tier: auto, price: { input: 1, output: 2, priority: { input: 2, output: 4 } } },
        { id: up/flexible, provider: up, model: o, service_tier: flex, price: { input: 1, output: 2 } }`
        )
        yield* ask("m")
        yield* askBounded("m")
        yield* askBounded("m", { service_tier: "auto" })
        yield* askBounded("m", { service_tier: "flex" })
        yield* askBounded("auto")
        yield* askBounded("flexible")
        assert.deepStrictEqual(
          up.asked.map(({ body }) => body.service_tier),
          [undefined, "default", "default", "flex", undefined, "flex"]
        )
      })
  )

  it.live("of Anthropic are read from its usage, and kept standard under a budget", () =>
    Effect.gen(function* () {
      const { ask, askBounded, says, up } = yield* facing(
        "{ provider: up, model: claude-x, price: { input: 1, output: 2, priority: { input: 3, output: 6 } } }",
        "anthropic"
      )
      says.tier = "priority"
      assert.strictEqual((yield* ask("claude-x")).json.usage.cost, 0.00036)
      says.tier = "batch"
      assert.isNull((yield* ask("claude-x")).json.usage.cost)
      says.tier = "standard"
      assert.strictEqual((yield* askBounded("claude-x")).json.usage.cost, 0.00012)
      assert.deepStrictEqual(
        up.asked.map(({ body }) => body.service_tier),
        [undefined, undefined, "standard_only"]
      )
    })
  )
})

describe("usage that is none", () => {
  it.live("of Anthropic's protocol is counted here, not booked as nothing", () =>
    Effect.gen(function* () {
      const { ask, ledger, says } = yield* facing(
        "{ provider: up, model: claude-x, price: { input: 1, output: 2 } }",
        "anthropic"
      )
      for (const told of [
        { input_tokens: 0, output_tokens: 0 },
        { input_tokens: -5, output_tokens: 10 },
        { input_tokens: 5, output_tokens: 1e300 }
      ]) {
        says.usage = told
        assert.strictEqual((yield* ask("claude-x")).status, 200)
      }
      const rows = yield* ledger
      assert.lengthOf(rows, 3)
      for (const { cost, estimated } of rows) {
        assert.isAbove(cost, 0)
        assert.strictEqual(Number(estimated), 1)
      }
    })
  )
})

describe("audio", () => {
  const heard = {
    prompt_tokens: 100,
    completion_tokens: 10,
    total_tokens: 110,
    prompt_tokens_details: { audio_tokens: 60 },
    completion_tokens_details: { audio_tokens: 10 }
  }
  const part = { type: "input_audio", input_audio: { data: wave(0.1).toString("base64"), format: "wav" } }
  const spoken = { messages: [{ role: "user", content: [part] }] }
  const SUPPORTS = "supports: [chat, stream, audio]"

  it.live("without a price costs nobody knows what, never what text does", () =>
    Effect.gen(function* () {
      const { ask, askBounded, ledger, says, up } = yield* facing(
        `{ provider: up, model: m, price: { input: 1, output: 2 }, ${SUPPORTS} }`
      )
      says.usage = heard
      const { headers, json } = yield* ask("m", spoken)
      assert.deepStrictEqual([json.usage.cost, headers["x-gateway-cost-known"]], [null, "false"])
      // What is known of it counts in budgets.
      assert.deepInclude((yield* ledger)[0], { cost: 40_000, price_source: null })
      const refused = yield* askBounded("m", spoken)
      assert.strictEqual(refused.status, 400)
      assert.match(refused.json.error.message, /price of `audio_input`.*on_unknown_price/)
      const talking = yield* askBounded("m", { modalities: ["text", "audio"] })
      assert.match(talking.json.error.message, /price of `audio_output`/)
      assert.lengthOf(up.asked, 1)
      says.usage = usage
      assert.strictEqual((yield* askBounded("m")).json.usage.cost, 0.00012)
    })
  )

  it.live("costs what its deployment says", () =>
    Effect.gen(function* () {
      const { askBounded, says } = yield* facing(
        `{ provider: up, model: m, price: { input: 1, output: 2, audio_input: 10, audio_output: 20 }, ${SUPPORTS} }`
      )
      says.usage = heard
      const { headers, json } = yield* askBounded("m", spoken)
      assert.deepStrictEqual([json.usage.cost, headers["x-gateway-cost-known"]], [0.00084, undefined])
    })
  )

  it.live("of a model that the catalogue has without it is refused under a budget, and text is not", () =>
    Effect.gen(function* () {
      const { askBounded } = yield* facing("up/gpt-4o-audio-preview")
      assert.strictEqual((yield* askBounded("gpt-4o-audio-preview", spoken)).status, 400)
      assert.strictEqual((yield* askBounded("gpt-4o-audio-preview")).status, 200)
    })
  )
})

describe("fees per call", () => {
  const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }]

  it.live("of Anthropic's web search are booked", () =>
    Effect.gen(function* () {
      const { ask, ledger, receiptOf, says, url } = yield* facing(
        "{ provider: up, model: claude-x, price: { input: 1, output: 2, web_search: 10 } }",
        "anthropic"
      )
      says.usage = { server_tool_use: { web_search_requests: 3 } }
      const { headers, json } = yield* ask("claude-x", { tools })
      assert.deepStrictEqual([json.usage.cost, headers["x-gateway-cost-known"]], [0.03012, undefined])
      const receipt = yield* receiptOf(json.gateway.receipt_id)
      assert.deepInclude(receipt.json.usage, { input: 100, output: 10, web_searches: 3 })
      const spend = yield* call(url, { method: "GET", path: "/admin/spend", key: masterKey })
      assert.deepStrictEqual(spend.json.total.units, { web_searches: 3 })
      const metrics = yield* call(url, { method: "GET", path: "/metrics", key: masterKey })
      assert.match(metrics.text, /gateway_units_total\{[^}]*class="web_searches"[^}]*\} 3/)
      const [row] = yield* ledger
      assert.deepStrictEqual([row!.cost, JSON.parse(row!.details!)], [30_120_000, { web_searches: 3 }])
    })
  )

  it.live("without a price are unknown, and refused under a budget", () =>
    Effect.gen(function* () {
      const { ask, askBounded, says, up } = yield* facing(
        "{ provider: up, model: claude-x, price: { input: 1, output: 2 } }",
        "anthropic"
      )
      says.usage = { server_tool_use: { web_search_requests: 1 } }
      assert.isNull((yield* ask("claude-x", { tools })).json.usage.cost)
      const { json, status } = yield* askBounded("claude-x", { tools })
      assert.strictEqual(status, 400)
      assert.match(json.error.message, /price of `web_search`/)
      assert.lengthOf(up.asked, 1)
    })
  )

  it.live("of models that search for every answer come with every answer", () =>
    Effect.gen(function* () {
      const { ask, askBounded } = yield* facing(
        "up/gpt-4o-search-preview, { id: up/priced, provider: up, model: gpt-4o-search-preview, price: { input: 1, output: 2, request_fee: 25 } }"
      )
      assert.strictEqual((yield* ask("gpt-4o-search-preview")).json.usage.cost, 0.02535)
      assert.strictEqual((yield* askBounded("gpt-4o-search-preview")).json.usage.cost, 0.02535)
      assert.strictEqual((yield* askBounded("priced")).json.usage.cost, 0.02512)
    })
  )
})
