/** Fields that cost something are held before a request is sent, and booked as the vendor bills them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import type { Asked, Reply } from "../../support/Upstream.ts"
import { answer, say, world } from "./BudgetedGateway.ts"

const DOLLAR = 1_000_000_000

const served = Effect.fnUntraced(function* (deployment: string, script: (asked: Asked) => Reply) {
  const gateway = yield* world({ deployments: [deployment], script })
  const post = Effect.fnUntraced(function* (usd: number, path: string, body: object) {
    const { secret } = yield* gateway.createKey({
      budgets: [{ limit: usd * DOLLAR, window: "total", timeZone: "UTC" }]
    })
    const before = (yield* gateway.ledger).length
    const { json, status, text } = yield* call(gateway.url, { path, key: secret, body })
    const [row] = (yield* gateway.ledger).slice(before)
    return { json, status, text, cost: (row?.cost ?? 0) / DOLLAR, held: (row?.reserved ?? 0) / DOLLAR }
  })
  return { ...gateway, post }
})

describe("a conversation that the vendor summarizes", () => {
  const [read, summary, left] = [60_000, 48_000, 300]
  const claude = `{ id: a/s, provider: anthropic, model: claude-sonnet-4-6, context_window: 200000, max_output_tokens: 64000, price: { input: 3, output: 15, cached_input: 0.3, cache_write: 3.75 } }`
  const iterations = [
    { type: "compaction", input_tokens: read, output_tokens: summary },
    { type: "message", input_tokens: summary + 200, output_tokens: left }
  ]
  const summarized = (): Reply => ({
    body: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-6",
      stop_reason: "end_turn",
      content: [
        { type: "compaction", content: "sum" },
        { type: "text", text: "hi" }
      ],
      usage: { input_tokens: summary + 200, output_tokens: left, iterations }
    }
  })
  const compact = (value: number | undefined) => ({
    edits: [{ type: "compact_20260112", ...(value === undefined ? {} : { trigger: { type: "input_tokens", value } }) }]
  })
  const long = { model: "a/s", max_tokens: left, messages: say("word ".repeat(58_000)) }

  it.live("is held with its summary, so that no budget is overspent", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* served(claude, summarized)
      for (const context_management of [compact(50_000), { edits: [{ type: "compact_20990101" }] }]) {
        const refused = yield* post(1, "/v1/messages", { ...long, context_management })
        assert.strictEqual(refused.status, 429, refused.text)
        const { cost, held, status } = yield* post(5, "/v1/messages", { ...long, context_management })
        assert.strictEqual(status, 200)
        assert.isAbove(cost, 1)
        assert.isAtLeast(held, cost)
      }
      assert.lengthOf(asked, 2)
      const explicit = yield* post(1, "/v1/messages", { ...long, compaction: { type: "summarize" } })
      assert.strictEqual(explicit.status, 429, explicit.text)
    })
  )

  it.live("holds nothing more while it is shorter than the trigger, nor for edits that only clear", () =>
    Effect.gen(function* () {
      const answer = { ...(summarized().body as object), usage: { input_tokens: 100, output_tokens: 5 } }
      const { post } = yield* served(claude, () => ({ body: answer }))
      const short = { ...long, messages: say("word ".repeat(1_000)) }
      const { held } = yield* post(5, "/v1/messages", short)
      const clears = { edits: [{ type: "clear_tool_uses_20250919", trigger: { type: "tool_uses", value: 3 } }] }
      for (const context_management of [compact(50_000), compact(undefined), clears]) {
        assert.isBelow((yield* post(5, "/v1/messages", { ...short, context_management })).held, held + 0.002)
      }
      assert.isAbove(
        (yield* post(5, "/v1/messages", { ...short, context_management: compact(1_000) })).held,
        held + 0.9
      )
    })
  )
})

describe("a conversation that is shorter than the trigger of its summary", () => {
  it.live("holds no summary where only a count of its text shows that", () =>
    Effect.gen(function* () {
      const claude = "{ id: a/s, provider: anthropic, model: claude-sonnet-4-6, price: { input: 3, output: 15 } }"
      const { post } = yield* served(claude, answer)
      const trigger = (value: number) => ({
        context_management: { edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value } }] }
      })
      // 10,000 bytes, and by the count that is held for it at most 3,500 tokens.
      const body = { model: "a/s", max_tokens: 16, messages: say("word ".repeat(2_000)) }
      const short = yield* post(0.5, "/v1/messages", { ...body, ...trigger(4_000) })
      assert.strictEqual(short.status, 200, short.text)
      const long = yield* post(0.5, "/v1/messages", { ...body, ...trigger(3_000) })
      assert.strictEqual(long.status, 429, long.text)
    })
  )
})

describe("a conversation that OpenAI summarizes", () => {
  it.live("is held with its summary, whether a field or an item of the input asks for it", () =>
    Effect.gen(function* () {
      const gpt =
        "{ id: o/g, provider: openai, model: gpt-5.2, max_output_tokens: 50000, price: { input: 1, output: 8 } }"
      const output = [
        { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "hi", annotations: [] }] }
      ]
      const usage = { input_tokens: 50, output_tokens: 5, total_tokens: 55 }
      const { post } = yield* served(gpt, () => ({
        body: { id: "resp_1", object: "response", model: "m", status: "completed", output, usage }
      }))
      const question = { role: "user", content: "Hi" }
      const body = { model: "o/g", max_output_tokens: 16 }
      const asks = [
        { input: [question], context_management: [{ type: "compaction", compact_threshold: 1_000 }], held: 0.02 },
        { input: [question], context_management: [{ type: "compaction" }], held: 0.4 },
        { input: [question, { type: "compaction_trigger" }], held: 0.4 }
      ]
      for (const { held, ...fields } of asks) {
        const sent = yield* post(2, "/v1/responses", { ...body, ...fields })
        assert.strictEqual(sent.status, 200, sent.text)
        assert[held < 0.1 ? "isBelow" : "isAtLeast"](sent.held, held, JSON.stringify(fields))
      }
    })
  )
})

describe("a ranking by the search unit", () => {
  it.live("is held by a count of its documents where the operator says how many tokens the tokenizer makes", () =>
    Effect.gen(function* () {
      const ranker = (bounds: string) =>
        `{ id: s/r, provider: up, model: r, operations: [rerank], price: { input: 0, output: 0, rerank_unit: 2 }${bounds} }`
      const documents = Array.from({ length: 100 }, () => "word ".repeat(150))
      const script = (): Reply => ({
        body: { results: documents.map((_, index) => ({ index, relevance_score: 0.5 })) }
      })
      // 100 documents of 150 tokens are one unit; by their 750 bytes they are two.
      const byBytes = yield* served(ranker(""), script)
      assert.strictEqual(
        (yield* byBytes.post(0.003, "/v1/rerank", { model: "s/r", query: "q", documents })).status,
        429
      )
      const counted = yield* served(ranker(", bounds: { tokens_per_o200k: 1.5 }"), script)
      const { cost, held, status } = yield* counted.post(0.003, "/v1/rerank", { model: "s/r", query: "q", documents })
      assert.strictEqual(status, 200)
      assert.deepStrictEqual([held, cost], [0.002, 0.002])
      const digits = documents.map(() => "1".repeat(750))
      const dense = yield* counted.post(0.003, "/v1/rerank", { model: "s/r", query: "q", documents: digits })
      assert.strictEqual(dense.status, 429)
    })
  )
})

describe("a container of the vendor", () => {
  const gpt = `{ id: o/g, provider: openai, model: gpt-5.2, bounds: { tool_calls: 3, tool_tokens: 2000 }, price: { input: 1, output: 8, code_execution: 30 } }`
  const ran = (): Reply => ({
    body: {
      id: "resp_1",
      object: "response",
      model: "m",
      status: "completed",
      output: [
        { type: "shell_call", id: "sh_1", status: "completed", call_id: "c", action: { commands: ["ls"] } },
        { type: "message", id: "m", role: "assistant", content: [{ type: "output_text", text: "hi", annotations: [] }] }
      ],
      usage: { input_tokens: 50, output_tokens: 5, total_tokens: 55 }
    }
  })
  const ask = (tool: object) => ({ model: "o/g", max_output_tokens: 50, max_tool_calls: 2, input: "x", tools: [tool] })
  const auto = (memory_limit?: string) => ({
    type: "container_auto",
    ...(memory_limit === undefined ? {} : { memory_limit })
  })

  it.live("is held and booked by its memory, for code and for a shell", () =>
    Effect.gen(function* () {
      const { post } = yield* served(gpt, ran)
      for (const [memory, times] of [
        [undefined, 1],
        ["1g", 1],
        ["4g", 4],
        ["64g", 64],
        ["128g", 64]
      ] as const) {
        for (const tool of [
          { type: "shell", environment: auto(memory) },
          { type: "code_interpreter", container: { ...auto(memory), type: "auto" } }
        ]) {
          const { cost, held, status, text } = yield* post(10, "/v1/responses", ask(tool))
          assert.strictEqual(status, 200, text)
          assert.closeTo(cost, 0.03 * times + 0.00009, 1e-9)
          assert.isAtLeast(held, cost)
        }
      }
      assert.strictEqual(
        (yield* post(1, "/v1/responses", ask({ type: "shell", environment: auto("64g") }))).status,
        429
      )
    })
  )

  it.live("of an earlier call has nobody knows how much memory, so it is refused", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* served(gpt, ran)
      for (const [tool, field] of [
        [{ type: "code_interpreter", container: "cntr_1" }, "container"],
        [{ type: "shell", environment: { type: "container_reference", container_id: "cntr_1" } }, "environment"]
      ] as const) {
        const { json, status } = yield* post(10, "/v1/responses", ask(tool))
        assert.strictEqual(status, 400)
        assert.deepInclude(json.error, { code: "cost_unbounded", param: `tools[0].${field}` })
      }
      assert.lengthOf(asked, 0)
      const local = yield* post(1, "/v1/responses", ask({ type: "shell", environment: { type: "local" } }))
      assert.strictEqual(local.status, 200, local.text)
    })
  )

  it.live("is no surprise: a tool that nobody knows, or that another model answers, is refused", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* served(gpt, ran)
      for (const type of ["deep_think", "image_generation", "openrouter:fusion"]) {
        const { json, status } = yield* post(10, "/v1/responses", ask({ type }))
        assert.strictEqual(status, 400)
        assert.deepInclude(json.error, { code: "cost_unbounded", param: "tools[0]" })
      }
      assert.lengthOf(asked, 0)
    })
  )
})

describe("an image that is larger than usual", () => {
  const flux = `{ id: t/f, provider: up, model: black-forest-labs/FLUX.1-dev, operations: [images], price: { input: 0, output: 0, image: 0.025 } }`
  const drawn = ({ body: { n = 1 } }: Asked): Reply => ({
    body: { created: 1, data: Array.from({ length: n }, () => ({ b64_json: "aGk=" })) }
  })

  it.live("is held and booked by its pixels, its resolution and its steps", () =>
    Effect.gen(function* () {
      const { asked, post } = yield* served(flux, drawn)
      for (const [fields, images] of [
        [{}, 1],
        [{ width: 1_024, height: 768 }, 1],
        [{ width: 1_792, height: 1_792 }, 4],
        [{ width: 1_024, height: 1_024, steps: 40 }, 2],
        [{ steps: 50, width: 1_792, height: 1_792 }, 8],
        [{ resolution: "2k", aspect_ratio: "2:1" }, 4],
        [{ resolution: "huge" }, 16],
        [{ n: 2, num_inference_steps: 40 }, 4]
      ] as const) {
        const body = { model: "t/f", prompt: "x", ...fields }
        const { cost, held, status, text } = yield* post(1, "/v1/images/generations", body)
        assert.strictEqual(status, 200, text)
        assert.deepStrictEqual([cost, held], [images * 0.025, images * 0.025], JSON.stringify(fields))
        assert.deepInclude(asked.at(-1)!.body, fields)
      }
      const refused = yield* post(0.06, "/v1/images/generations", {
        model: "t/f",
        prompt: "x",
        width: 1_792,
        height: 1_792
      })
      assert.strictEqual(refused.status, 429)
      const wrong = yield* post(1, "/v1/images/generations", { model: "t/f", prompt: "x", width: "wide" })
      assert.deepInclude(wrong.json.error, { code: "invalid_field", param: "width" })
    })
  )

  it.live("costs the price of its size where it has one", () =>
    Effect.gen(function* () {
      const sized = flux.replace("image: 0.025", 'image_sizes: { "1k": 0.02, "2k": 0.03, "2048x2048": 0.05 }')
      const { post } = yield* served(sized, drawn)
      const { cost } = yield* post(1, "/v1/images/generations", {
        model: "t/f",
        prompt: "x",
        width: 2_048,
        height: 2_048
      })
      assert.strictEqual(cost, 0.05)
      const named = yield* post(1, "/v1/images/generations", { model: "t/f", prompt: "x", resolution: "2k" })
      assert.strictEqual(named.cost, 0.03)
    })
  )
})

describe("a ranking", () => {
  const ranker = `{ id: s/r, provider: up, model: my-rerank, operations: [rerank], price: { input: 0, output: 0, rerank_unit: 2 } }`
  const results = [{ index: 0, relevance_score: 0.5 }]
  const rank = (documents: number, words: number, query = "q") => ({
    model: "s/r",
    query,
    documents: Array.from({ length: documents }, () => "word ".repeat(words))
  })

  it.live("without usage is booked by the pieces of its documents", () =>
    Effect.gen(function* () {
      const { post } = yield* served(ranker, () => ({ body: { results } }))
      for (const [documents, words, units] of [
        [100, 10, 1],
        [101, 10, 2],
        [100, 800, 2]
      ] as const) {
        const { cost, held } = yield* post(1, "/v1/rerank", rank(documents, words))
        assert.strictEqual(cost, units * 0.002)
        assert.isAtLeast(held, cost)
      }
    })
  )

  it.live("with a long query holds as many units as the vendor may bill", () =>
    Effect.gen(function* () {
      const tokens = (text: string) => Math.ceil(text.length / 4)
      const { post } = yield* served(ranker, ({ body }) => {
        const room = Math.max(1, 500 - tokens(body.query))
        const pieces = (body.documents as ReadonlyArray<string>).map((one) => Math.ceil(tokens(one) / room))
        const search_units = Math.ceil(pieces.reduce((sum, one) => sum + one, 0) / 100)
        return { body: { results, meta: { billed_units: { search_units } } } }
      })
      for (const words of [1, 100, 380, 390]) {
        const { cost, held, status } = yield* post(100, "/v1/rerank", rank(100, 800, "word ".repeat(words)))
        assert.strictEqual(status, 200)
        assert.isAtLeast(held, cost)
      }
    })
  )

  it.live("may not be told to read less than one token of a document", () =>
    Effect.gen(function* () {
      const { post } = yield* served(ranker, () => ({ body: { results } }))
      const { json } = yield* post(1, "/v1/rerank", { ...rank(1, 1), max_tokens_per_doc: 1e-9 })
      assert.deepInclude(json.error, { code: "invalid_field", param: "max_tokens_per_doc" })
    })
  )
})

describe("a router of servers with several prices", () => {
  it.live("is told the highest price for completions and vectors too", () =>
    Effect.gen(function* () {
      const reply = ({ path }: Asked): Reply =>
        path.endsWith("/embeddings")
          ? {
              body: { data: [{ index: 0, embedding: [0.1] }], model: "m", usage: { prompt_tokens: 5, total_tokens: 5 } }
            }
          : {
              body: {
                id: "c",
                object: "text_completion",
                choices: [{ text: "hi", index: 0, finish_reason: "stop" }],
                usage: { prompt_tokens: 5, completion_tokens: 5, total_tokens: 10 }
              }
            }
      const deployment = `{ id: r/m, provider: openrouter, model: some/base, operations: [completions, embeddings], context_window: 32000, bounds: { reasoning_tokens: 0 }, price: { input: 1, output: 2 } }`
      const { asked, post } = yield* served(deployment, reply)
      const provider = { order: ["Expensive"], max_price: { prompt: 99, completion: 0.5 } }
      yield* post(1, "/v1/completions", { model: "r/m", prompt: "hi", max_tokens: 5, provider })
      yield* post(1, "/v1/embeddings", { model: "r/m", input: "hi", provider })
      assert.deepStrictEqual(
        asked.map(({ body }) => body.provider),
        [1, 2].map(() => ({ order: ["Expensive"], max_price: { prompt: 1, completion: 0.5 } }))
      )
    })
  )
})
