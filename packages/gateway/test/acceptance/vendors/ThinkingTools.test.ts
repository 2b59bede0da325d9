/** Tools at models that think: their chat endpoint refuses them, so these requests go to Responses. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Answered, call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { upstream, vendorError } from "../../support/Upstream.ts"
import { thinkingModels } from "./ThinkingTools.ts"

const parameters = { type: "object", properties: { city: { type: "string" } } }
const chatTools = [{ type: "function", function: { name: "weather", parameters } }]
const claudeTools = [{ name: "weather", input_schema: parameters }]
const messages = [{ role: "user", content: "The weather in Rome?" }]
const CHAT = "/v1/chat/completions"
const MESSAGES = "/v1/messages"
const models = ["gpt-5.4", "gpt-5.5", "gpt-5.6-sol", "gpt-6.2-sol", "gpt-6.9-nova", "gpt-4.1"]

const started = Effect.fnUntraced(function* (vendor: string, script = thinkingModels) {
  const { asked, baseUrl } = yield* upstream(script)
  const gateway = yield* startGateway({
    yaml: `
providers: { up: { vendor: ${vendor}, base_url: "${baseUrl.slice(0, vendor === "azure" ? -3 : undefined)}", api_key: k } }
deployments: [${models.map((model) => `{ provider: up, model: ${model}, price: { input: 1, output: 2 } }`).join(", ")}]
`
  })
  const { secret } = yield* gateway.createKey({ budgets: [{ limit: 10_000_000_000, window: "day", timeZone: "UTC" }] })
  const ask = (path: string, model: string, fields: object, headers = {}) =>
    call(gateway.url, { path, key: secret, headers, body: { model: `up/${model}`, messages, ...fields } })
  const paths = (from = 0) => asked.slice(from).map(({ path }) => path.replace(/^\/openai/, ""))
  const receipt = ({ headers }: Answered) =>
    Effect.map(
      call(gateway.url, {
        method: "GET",
        path: `/v1/receipts/${String(headers["x-gateway-receipt-id"])}`,
        key: secret
      }),
      ({ json }) => json
    )
  return { ...gateway, asked, ask, paths, receipt }
})

/** The tool calls in a streamed chat completion. */
const streamedCalls = (text: string) => {
  const chunks = text
    .split("\n\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)))
  const calls = chunks.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? [])
  return {
    name: calls[0]?.function?.name,
    id: calls[0]?.id,
    arguments: calls.map((one) => one.function.arguments).join(""),
    finish: chunks.map((chunk) => chunk.choices?.[0]?.finish_reason).find((reason) => typeof reason === "string")
  }
}

describe("tools at models that think", () => {
  for (const vendor of ["openai", "azure"]) {
    it.live(`chat requests with tools are answered over Responses at ${vendor}, whole and streamed`, () =>
      Effect.gen(function* () {
        const { ask, paths } = yield* started(vendor)
        const cases: ReadonlyArray<readonly [string, object]> = [
          ["gpt-5.4", { reasoning_effort: "high" }],
          ["gpt-5.5", {}],
          ["gpt-5.6-sol", { reasoning_effort: "low" }],
          ["gpt-6.2-sol", {}],
          ["gpt-6.2-sol", { reasoning_effort: "none" }],
          ["gpt-6.9-nova", {}]
        ]
        for (const [model, fields] of cases) {
          const whole = yield* ask(CHAT, model, { tools: chatTools, ...fields })
          assert.strictEqual(whole.status, 200, `${model}: ${whole.text}`)
          const [choice] = whole.json.choices
          assert.strictEqual(choice.finish_reason, "tool_calls")
          assert.deepStrictEqual(choice.message.tool_calls, [
            { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }
          ])
          const streamed = yield* ask(CHAT, model, { tools: chatTools, stream: true, ...fields })
          assert.deepStrictEqual(streamedCalls(streamed.text), {
            name: "weather",
            id: "call_1",
            arguments: '{"city":"Rome"}',
            finish: "tool_calls"
          })
        }
        assert.deepStrictEqual(new Set(paths()), new Set(["/v1/responses"]))
      })
    )

    it.live(`Messages requests with tools are answered over chat and Responses at ${vendor}, whole and streamed`, () =>
      Effect.gen(function* () {
        const { ask, paths } = yield* started(vendor)
        const thinks = { thinking: { type: "adaptive" }, output_config: { effort: "high" } }
        const cases: ReadonlyArray<readonly [string, object]> = [
          ["gpt-5.4", thinks],
          ["gpt-5.4", { thinking: { type: "enabled", budget_tokens: 2_000 } }],
          ["gpt-5.5", {}],
          ["gpt-6.2-sol", { thinking: { type: "disabled" } }],
          ["gpt-6.2-sol", thinks]
        ]
        for (const [model, fields] of cases) {
          const body = { max_tokens: 4_000, tools: claudeTools, ...fields }
          const whole = yield* ask(MESSAGES, model, body)
          assert.strictEqual(whole.status, 200, `${model}: ${whole.text}`)
          assert.strictEqual(whole.json.stop_reason, "tool_use")
          const used = whole.json.content.find((block: { type: string }) => block.type === "tool_use")
          assert.strictEqual(used.name, "weather")
          const streamed = yield* ask(MESSAGES, model, { ...body, stream: true })
          assert.include(streamed.text, '"stop_reason":"tool_use"')
          assert.include(streamed.text, '"name":"weather"')
        }
        assert.deepStrictEqual(new Set(paths()), new Set(["/v1/responses"]))
      })
    )
  }

  it.live("a result of a tool is answered by the model", () =>
    Effect.gen(function* () {
      const { ask } = yield* started("openai")
      const { json } = yield* ask(CHAT, "gpt-5.6-sol", { tools: chatTools })
      const turns = [
        ...messages,
        json.choices[0].message,
        { role: "tool", tool_call_id: json.choices[0].message.tool_calls[0].id, content: "19 degrees" }
      ]
      const last = yield* ask(CHAT, "gpt-5.6-sol", { tools: chatTools, messages: turns })
      assert.strictEqual(last.json.choices[0].message.content, "Hello")
    })
  )

  it.live("thinking that is turned off stays at chat, with tools, where the model can rest", () =>
    Effect.gen(function* () {
      const { ask, asked, paths } = yield* started("openai")
      const body = { max_tokens: 100, tools: claudeTools, thinking: { type: "disabled" } }
      const { json, text } = yield* ask(MESSAGES, "gpt-5.6-sol", body)
      assert.strictEqual(json.stop_reason, "tool_use", text)
      assert.deepStrictEqual(paths(), [CHAT])
      assert.strictEqual(asked[0]?.body.reasoning_effort, "none")
    })
  )

  it.live("the receipt says which way a request took and why", () =>
    Effect.gen(function* () {
      const { ask, receipt } = yield* started("openai")
      const via = yield* receipt(yield* ask(CHAT, "gpt-5.6-sol", { tools: chatTools }))
      assert.include(via.decision.reasons, "up/gpt-5.6-sol via responses (tools while it reasons)")
      const own = { input: "Hi", tools: [{ type: "function", name: "weather", parameters, strict: false }] }
      const native = yield* receipt(yield* ask("/v1/responses", "gpt-5.6-sol", own))
      assert.notInclude(JSON.stringify(native), "via")
    })
  )

  it.live("requests that chat takes stay at chat", () =>
    Effect.gen(function* () {
      const { ask, paths } = yield* started("openai")
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["gpt-5.4", { tools: chatTools }],
        ["gpt-5.4", { reasoning_effort: "high" }],
        ["gpt-5.6-sol", { tools: chatTools, reasoning_effort: "none" }],
        ["gpt-6.2-sol", {}],
        ["gpt-6.2-sol", { tools: [] }],
        ["gpt-4.1", { tools: chatTools }]
      ]
      for (const [model, fields] of cases) {
        const { status, text } = yield* ask(CHAT, model, fields)
        assert.strictEqual(status, 200, text)
      }
      assert.deepStrictEqual(new Set(paths()), new Set([CHAT]))
    })
  )

  it.live("the effort max goes to Responses where the model has it, and becomes the nearest elsewhere", () =>
    Effect.gen(function* () {
      const { ask, asked, paths } = yield* started("openai")
      const most = yield* ask(CHAT, "gpt-6.2-sol", { reasoning_effort: "max" })
      assert.isUndefined(most.headers["x-gateway-dropped-params"])
      const nearest = yield* ask(CHAT, "gpt-5.5", { reasoning_effort: "max" })
      assert.strictEqual(nearest.headers["x-gateway-dropped-params"], "reasoning_effort")
      assert.deepStrictEqual(paths(), ["/v1/responses", CHAT])
      assert.strictEqual(asked[0]?.body.reasoning.effort, "max")
      assert.strictEqual(asked[1]?.body.reasoning_effort, "xhigh")
    })
  )

  it.live("what Responses lack is named, and a strict caller gets a 400 that names it", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started("openai")
      const lost = { tools: chatTools, seed: 7, logit_bias: { 1: 1 }, stop: ["x"] }
      const { headers } = yield* ask(CHAT, "gpt-5.6-sol", lost)
      assert.strictEqual(headers["x-gateway-dropped-params"], "seed,logit_bias,stop")
      const strict = yield* ask(CHAT, "gpt-5.6-sol", lost, { "x-gateway-strict": "1" })
      assert.strictEqual(strict.status, 400)
      assert.include(strict.json.error.message, "`seed`")
      // Another operation is no loss by itself.
      const kept = yield* ask(CHAT, "gpt-5.6-sol", { tools: chatTools }, { "x-gateway-strict": "1" })
      assert.strictEqual(kept.status, 200)
      assert.lengthOf(asked, 2)
    })
  )

  it.live("two answers take two calls, and both are charged", () =>
    Effect.gen(function* () {
      const { ask, ledger, paths } = yield* started("openai")
      const { json, status, text } = yield* ask(CHAT, "gpt-5.6-sol", { tools: chatTools, n: 2 })
      assert.strictEqual(status, 200, text)
      assert.lengthOf(json.choices, 2)
      assert.deepStrictEqual(paths(), ["/v1/responses", "/v1/responses"])
      assert.strictEqual((yield* ledger)[0]?.input, 24)
    })
  )

  it.live("an output limit below 16 becomes 16 at Responses, under the caller's name for it", () =>
    Effect.gen(function* () {
      const { ask, asked, ledger } = yield* started("openai")
      const cases: ReadonlyArray<readonly [string, object, string]> = [
        [CHAT, { max_tokens: 5, tools: chatTools }, "max_tokens"],
        [CHAT, { max_completion_tokens: 1, tools: chatTools }, "max_completion_tokens"],
        [MESSAGES, { max_tokens: 1, tools: claudeTools }, "max_tokens"],
        ["/v1/responses", { max_output_tokens: 15, input: "Hi", messages: undefined }, "max_output_tokens"]
      ]
      for (const [path, fields, name] of cases) {
        const { headers, status, text } = yield* ask(path, "gpt-5.6-sol", fields)
        assert.strictEqual(status, 200, text)
        assert.strictEqual(headers["x-gateway-dropped-params"], name)
        const strict = yield* ask(path, "gpt-5.6-sol", fields, { "x-gateway-strict": "1" })
        assert.strictEqual(strict.status, 400)
        assert.include(strict.json.error.message, `\`${name}\` from 16 on`)
      }
      assert.deepStrictEqual(
        asked.map(({ body }) => body.max_output_tokens),
        [16, 16, 16, 16]
      )
      const rows = (yield* ledger).filter(({ status }) => status === "settled")
      // 16 tokens of output at 2 USD a million: at least 32,000 nano-USD.
      for (const row of rows) assert.isAtLeast(row.reserved, 32_000)
    })
  )
})

describe("a refusal that names Responses", () => {
  /** A model of which no rule says that it refuses tools. */
  const surprising = (words: string, status = 400) => {
    const script: typeof thinkingModels = (asked) =>
      asked.path.endsWith("/chat/completions") && asked.body.tools !== undefined
        ? { status, body: vendorError(words) }
        : thinkingModels(asked)
    return started("openai", script)
  }
  const ADVICE = "Tools are not supported here. Please use /v1/responses instead."

  it.live("is followed once, and remembered for requests that are alike", () =>
    Effect.gen(function* () {
      const { ask, paths, receipt } = yield* surprising(ADVICE)
      const first = yield* ask(CHAT, "gpt-4.1", { tools: chatTools })
      assert.strictEqual(first.status, 200, first.text)
      assert.strictEqual(first.headers["x-gateway-retries"], "1")
      assert.strictEqual(first.json.choices[0].finish_reason, "tool_calls")
      const second = yield* ask(CHAT, "gpt-4.1", { tools: chatTools, stream: true })
      assert.strictEqual(streamedCalls(second.text).arguments, '{"city":"Rome"}')
      yield* ask(CHAT, "gpt-4.1", {})
      assert.deepStrictEqual(paths(), [CHAT, "/v1/responses", "/v1/responses", CHAT])
      const { attempts } = yield* receipt(first)
      assert.deepStrictEqual(
        attempts.map(({ http_status, outcome }: { http_status: number; outcome: string }) => [outcome, http_status]),
        [
          ["bad_request", 400],
          ["ok", 200]
        ]
      )
    })
  )

  it.live("is followed for streams, for Messages, and under X-Gateway-Strict", () =>
    Effect.gen(function* () {
      const { ask, paths } = yield* surprising(ADVICE, 404)
      const strict = { "x-gateway-strict": "1" }
      const streamed = yield* ask(CHAT, "gpt-4.1", { tools: chatTools, stream: true }, strict)
      assert.strictEqual(streamedCalls(streamed.text).finish, "tool_calls")
      const claude = yield* ask(MESSAGES, "gpt-4.1", { max_tokens: 100, tools: claudeTools })
      assert.strictEqual(claude.json.stop_reason, "tool_use")
      assert.deepStrictEqual(paths(), [CHAT, "/v1/responses", CHAT, "/v1/responses"])
    })
  )

  it.live("is passed on where Responses refuse the request too", () =>
    Effect.gen(function* () {
      const script: typeof thinkingModels = () => ({ status: 400, body: vendorError(ADVICE) })
      const { ask, paths } = yield* started("openai", script)
      for (const from of [0, 2]) {
        const { json, status } = yield* ask(CHAT, "gpt-4.1", { tools: chatTools })
        assert.strictEqual(status, 400)
        assert.include(json.error.message, "use /v1/responses")
        assert.deepStrictEqual(paths(from), [CHAT, "/v1/responses"])
      }
    })
  )
})
