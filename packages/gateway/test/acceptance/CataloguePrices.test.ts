/** What is held and charged at the catalogue's prices: another model answers, a long cache is asked for, reasoning is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../support/RawHttp.ts"
import { startGateway } from "../support/RunningGateway.ts"
import { completion, completionEvents, upstream } from "../support/Upstream.ts"

const messages = [{ role: "user", content: "Hi" }]
const usage = { prompt_tokens: 100_000, completion_tokens: 10_000, total_tokens: 110_000 }

const facing = Effect.fnUntraced(function* (vendor: string, model: string, answeredBy: string, told: object = usage) {
  const up = yield* upstream(({ body }) => {
    if (body.stream !== true) return { body: { ...completion("one"), model: answeredBy, usage: told } }
    const events = completionEvents("one").map((event) => {
      if (!event.startsWith("data: {")) return event
      const chunk = JSON.parse(event.slice(6))
      return `data: ${JSON.stringify({ ...chunk, model: answeredBy, ...(chunk.usage ? { usage: told } : {}) })}\n\n`
    })
    return { body: events }
  })
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { vendor: ${vendor}, base_url: "${up.baseUrl}", api_key: none } }
deployments: [{ provider: up, model: ${model} }]
`
  })
  const { secret } = yield* gateway.createKey({
    budgets: [{ limit: 100_000_000_000, window: "total", timeZone: "UTC" }]
  })
  const ask = (fields: object = {}, path = "/v1/chat/completions") =>
    call(gateway.url, { path, key: secret, body: { model: `up/${model}`, messages, max_tokens: 20_000, ...fields } })
  return { ...gateway, ask, up }
})

const streamed = { stream: true, stream_options: { include_usage: true } }

describe("an answer by another model of the vendor", () => {
  it.live("is charged at the more expensive of both prices, and its row names the model", () =>
    Effect.gen(function* () {
      const { ask, ledger } = yield* facing("openai", "gpt-6-luna", "gpt-6.2-sol")
      const dearer = 100_000 * 2_000 + 10_000 * 10_000
      assert.strictEqual((yield* ask()).json.usage.cost, dearer / 1e9)
      yield* ask(streamed)
      const rows = yield* ledger
      assert.lengthOf(rows, 2)
      for (const row of rows) {
        assert.deepInclude(row, { cost: dearer, price_source: "catalogue" })
        assert.match(String(row.price_version), /^\d{4}-\d\d-\d\d\.\d+ as gpt-6\.2-sol$/)
      }
    })
  )

  it.live("is charged as the model that was called where the other one is cheaper, or is a version of it", () =>
    Effect.gen(function* () {
      for (const other of ["gpt-6-luna", "gpt-6.2-sol", "gpt-6.2-sol-2026-11-17", "somebody-elses"]) {
        const { ask, ledger } = yield* facing("openai", "gpt-6.2-sol", other)
        yield* ask()
        const [row] = yield* ledger
        assert.strictEqual(row?.cost, 100_000 * 2_000 + 10_000 * 10_000, other)
        assert.match(String(row?.price_version), /^\d{4}-\d\d-\d\d\.\d+$/, other)
      }
    })
  )
})

describe("a prompt cache", () => {
  it.live("for twelve hours is held at its price where it is asked for, and charged where it was written", () =>
    Effect.gen(function* () {
      const details = { cache_write_tokens: 90_000, cache_write_tokens_details: { ttl_12h_tokens: 90_000 } }
      const { ask, ledger } = yield* facing("openai", "gpt-6.2-sol", "gpt-6.2-sol", {
        ...usage,
        prompt_tokens_details: details
      })
      yield* ask({ prompt_cache_options: { ttl: "30m" } })
      yield* ask({ prompt_cache_options: { ttl: "12h" } })
      const [usual, long] = yield* ledger
      // Both may write their whole input to a cache: at 2.50 USD per million tokens, or at 5.
      const output = 20_000 * 10_000
      assert.strictEqual(long!.reserved - output, 2 * (usual!.reserved - output))
      assert.strictEqual(long!.cost, 10_000 * 2_000 + 90_000 * 5_000 + 10_000 * 10_000)
    })
  )
})

describe("reasoning at the Messages API", () => {
  it.live("is told as thinking tokens", () =>
    Effect.gen(function* () {
      const { ask } = yield* facing("groq", "openai/gpt-oss-120b", "openai/gpt-oss-120b", {
        ...usage,
        completion_tokens_details: { reasoning_tokens: 4_000 }
      })
      const { json } = yield* ask({}, "/v1/messages")
      assert.deepInclude(json.usage, { output_tokens: 10_000, output_tokens_details: { thinking_tokens: 4_000 } })
    })
  )
})
