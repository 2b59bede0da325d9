/** Anthropic behind chat completions, played back from recordings: the vendor's own client runs its tool loops, and each token costs what its class costs. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { startGateway } from "../support/RunningGateway.ts"
import { type Exchange, hasData, loadFamily, sayWhenMissing } from "../support/Transcripts.ts"
import { upstream, type Reply } from "../support/Upstream.ts"
import { rejected, resolved } from "./Promised.ts"

sayWhenMissing("tool loops against Anthropic's recorded answers")

const recorded = hasData ? loadFamily("anthropic.messages") : []

/** The recordings of one conversation, in their order. */
const conversation = (...names: ReadonlyArray<string>): ReadonlyArray<Exchange> =>
  names.map((name) => {
    const found = recorded.find((exchange) => exchange.name.includes(name))
    if (found === undefined) throw new Error(`no recording ${name}`)
    return found
  })

const replay = ({ response }: Exchange): Reply => {
  const type = response.headers["content-type"] ?? "application/json"
  return { status: response.status, headers: { "content-type": type }, body: response.bytes }
}

/** A gateway before an Anthropic that says `replies` one after another, at the catalogue's prices. */
const before = Effect.fnUntraced(function* (model: string, replies: ReadonlyArray<Reply>) {
  const { asked, baseUrl } = yield* upstream((_, number) => replies[number] ?? { status: 500 })
  const gateway = yield* startGateway({
    yaml: `
providers: { anthropic: { api_key: "sk-ant-operators-own", base_url: "${baseUrl}" } }
deployments: [anthropic/${model}]
failover: { base_delay: 1ms }
`
  })
  const { secret } = yield* gateway.createKey()
  return { ...gateway, asked, client: gateway.client(secret) }
})

/** The costs of all calls, in nano-USD. */
const costs = (rows: ReadonlyArray<{ readonly cost: number }>) => rows.map(({ cost }) => cost)

const family = {
  type: "function" as const,
  function: {
    name: "retrieve_entity_info",
    description: "What is known of a person",
    parameters: {
      type: "object",
      properties: { name: { type: "string" } },
      required: ["name"],
      additionalProperties: false
    },
    parse: (text: string) => JSON.parse(text) as { readonly name: string },
    function: ({ name }: { readonly name: string }) => `${name} is one of the family`
  }
}

const weather = {
  type: "function" as const,
  function: {
    name: "mcp__local__fetch_weather",
    description: "The current weather",
    parameters: {
      type: "object",
      properties: { location: { type: "string" }, units: { type: "string", enum: ["celsius", "fahrenheit"] } },
      required: ["location"]
    },
    parse: (text: string) => JSON.parse(text) as { readonly location: string; readonly units: string },
    function: ({ location, units }: { readonly location: string; readonly units: string }) =>
      `The weather in ${location} is 72° in ${units}.`
  }
}

const parallel = ["test_multiple_parallel_tool_calls.yaml#0", "test_multiple_parallel_tool_calls.yaml#1"]
const streamed = ["messages_beta_true_post_1a9ef989.json#0", "messages_beta_true_post_6f4b7f3a.json#0"]
const cached = "test_anthropic_cache_real_api.yaml#1"

describe.skipIf(!hasData)("Anthropic's recorded answers behind chat completions", () => {
  it.live("a tool loop with four calls at once runs to its end", () =>
    Effect.gen(function* () {
      const { asked, client, ledger } = yield* before("claude-haiku-4-5", conversation(...parallel).map(replay))
      const runner = client.chat.completions.runTools({
        model: "anthropic/claude-haiku-4-5",
        messages: [
          { role: "system", content: "Use the tool" },
          { role: "user", content: "Alice, Bob, Charlie and Daisy are a family. Who is the youngest?" }
        ],
        tools: [family]
      })
      const said = yield* resolved(() => runner.finalContent())
      assert.include(said, "Daisy is the youngest")
      assert.lengthOf(asked, 2)
      const [first, second] = asked
      assert.strictEqual(first?.path, "/v1/messages")
      assert.strictEqual(first?.headers["x-api-key"], "sk-ant-operators-own")
      assert.isUndefined(first?.headers["authorization"])
      assert.strictEqual(first?.body.model, "claude-haiku-4-5")
      // All results of one turn in one message, each for its own call.
      const results = second?.body.messages.at(-1)
      assert.strictEqual(results.role, "user")
      const recordedIds = conversation(parallel[1]!)[0]!.request.body!["messages"] as ReadonlyArray<{
        readonly content: ReadonlyArray<{ readonly tool_use_id?: string }>
      }>
      assert.deepStrictEqual(
        results.content.map((block: { readonly tool_use_id: string }) => block.tool_use_id),
        recordedIds.at(-1)!.content.map((block) => block.tool_use_id)
      )
      assert.include(JSON.stringify(results), "Daisy is one of the family")
      // Haiku 4.5: 1 USD in, 5 USD out per million tokens. 423 + 202, then 771 + 77 tokens.
      assert.deepStrictEqual(costs(yield* ledger), [423_000 + 202 * 5_000, 771_000 + 77 * 5_000])
    })
  )

  it.live("a streamed tool loop runs to its end, thinking and cache included", () =>
    Effect.gen(function* () {
      const { asked, client, ledger } = yield* before("claude-sonnet-4-6", conversation(...streamed).map(replay))
      const runner = client.chat.completions.runTools({
        model: "anthropic/claude-sonnet-4-6",
        stream: true,
        stream_options: { include_usage: true },
        messages: [
          { role: "user", content: "Please fetch the current weather for New York state (NY) in fahrenheit." }
        ],
        tools: [weather]
      })
      const said = yield* resolved(() => runner.finalContent())
      assert.include(said, "72 degrees Fahrenheit")
      assert.lengthOf(asked, 2)
      assert.strictEqual(asked[0]?.body.stream, true)
      const result = asked[1]?.body.messages.at(-1).content[0]
      assert.strictEqual(result.tool_use_id, "toolu_01ABHJ56tk1g7taZ3FTwmay7")
      assert.include(JSON.stringify(result), "The weather in NY is 72° in fahrenheit.")
      // Sonnet 4.6, USD per million: 3 in, 3.75 written to the cache, 0.30 read from it, 15 out.
      assert.deepStrictEqual(costs(yield* ledger), [
        3 * 3_000 + 1_143 * 3_750 + 101 * 15_000,
        1 * 3_000 + 126 * 3_750 + 1_143 * 300 + 22 * 15_000
      ])
      const [first, second] = yield* ledger
      assert.deepInclude({ ...first }, { input: 3, cached_input: 0, cache_write: 1_143, output: 79, reasoning: 22 })
      assert.deepInclude({ ...second }, { input: 1, cached_input: 1_143, cache_write: 126, output: 22, reasoning: 0 })
    })
  )

  it.live("cache classes cost their own prices, in header, body and ledger alike", () =>
    Effect.gen(function* () {
      const { client, ledger } = yield* before("claude-sonnet-4-5", conversation(cached).map(replay))
      const { data, response } = yield* resolved(() =>
        client.chat.completions
          .create({ model: "anthropic/claude-sonnet-4-5", messages: [{ role: "user", content: "In one sentence?" }] })
          .withResponse()
      )
      assert.include(data.choices[0]?.message.content, "versatile programming language")
      // 3 in, 418 written, 1,111 read, 33 out.
      const nano = 3 * 3_000 + 418 * 3_750 + 1_111 * 300 + 33 * 15_000
      assert.strictEqual(Number(response.headers.get("x-gateway-cost-usd")) * 1e9, nano)
      assert.strictEqual(response.headers.get("x-gateway-decision"), "anthropic/claude-sonnet-4-5")
      const usage: Readonly<Record<string, unknown>> = { ...data.usage }
      assert.deepInclude(usage, { prompt_tokens: 3 + 418 + 1_111, completion_tokens: 33, cost: nano / 1e9 })
      assert.strictEqual(data.usage?.prompt_tokens_details?.cached_tokens, 1_111)
      assert.deepStrictEqual(costs(yield* ledger), [nano])
    })
  )

  it.live("a stream cut at any event throws in the client, and never looks finished", () =>
    Effect.gen(function* () {
      const [{ response }] = conversation(streamed[1]!) as [Exchange]
      const events = Buffer.from(response.bytes)
        .toString("utf8")
        .split(/(?<=\n\n)/)
        .filter((text) => text.startsWith("event:"))
      // After the head and the first words, up to before the event that says why it stopped.
      for (let length = 4; length < events.length - 2; length++) {
        const { client } = yield* before("claude-sonnet-4-6", [{ body: events.slice(0, length), ending: "reset" }])
        const error = yield* rejected(() =>
          client.chat.completions
            .stream({ model: "anthropic/claude-sonnet-4-6", messages: [{ role: "user", content: "Hi" }] })
            .finalChatCompletion()
        )
        assert.strictEqual(Reflect.get(error as object, "code"), "upstream_unavailable", `cut after ${length} events`)
      }
    })
  )
})

describe("Anthropic's errors behind chat completions", () => {
  const anthropicError = (type: string, message: string) => ({
    type: "error",
    error: { type, message },
    request_id: "req_vendor"
  })

  it.live("are told in the classes of the error table", () =>
    Effect.gen(function* () {
      for (const [reply, status, code] of [
        [{ status: 401, body: anthropicError("authentication_error", "invalid x-api-key") }, 502, "upstream_auth"],
        [{ status: 429, body: anthropicError("rate_limit_error", "slow down") }, 429, "upstream_rate_limited"],
        [{ status: 529, body: anthropicError("overloaded_error", "Overloaded") }, 503, "upstream_unavailable"],
        [
          {
            status: 400,
            body: anthropicError("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")
          },
          400,
          "context_length_exceeded"
        ],
        [
          {
            status: 400,
            body: anthropicError("invalid_request_error", "Your credit balance is too low to access the Anthropic API")
          },
          503,
          "upstream_quota"
        ]
      ] as const) {
        const { client } = yield* before("claude-sonnet-4-5", [reply, reply, reply])
        const error = yield* rejected(() =>
          client.chat.completions.create({
            model: "anthropic/claude-sonnet-4-5",
            messages: [{ role: "user", content: "Hi" }]
          })
        )
        assert.deepInclude({ ...(error as object) }, { status, code } as object, JSON.stringify(reply.body))
      }
    })
  )
})
