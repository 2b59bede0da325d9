/** What goes upstream of parameters that a model takes in its own way, and what the caller is told. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call } from "../../support/RawHttp.ts"
import { startGateway } from "../../support/RunningGateway.ts"
import { completion, upstream } from "../../support/Upstream.ts"
import { response } from "../responses/Wire.ts"

const none = undefined
const tools = [{ type: "function", function: { name: "look", parameters: { type: "object", properties: {} } } }]
const schema = {
  type: "json_schema",
  json_schema: { name: "x", strict: true, schema: { type: "object", properties: { a: { type: "string" } } } }
}
const image = [
  { role: "user", content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }] }
]

interface Case {
  readonly model: string
  readonly asks: object
  /** Fields of the body upstream; undefined: it has none. */
  readonly sends: { readonly [field: string]: unknown }
  readonly drops?: string
  readonly path?: "chat/completions" | "responses"
}

const cases: ReadonlyArray<Case> = [
  { model: "xai/grok-4.7", asks: { reasoning_effort: "high" }, sends: { reasoning_effort: "high" } },
  { model: "xai/grok-4.6", asks: { reasoning_effort: "low" }, sends: { reasoning_effort: "low" } },
  {
    model: "xai/grok-4.6",
    asks: { reasoning_effort: "none" },
    sends: { reasoning_effort: "low" },
    drops: "reasoning_effort"
  },
  {
    model: "xai/grok-4.20",
    asks: { reasoning_effort: "high", stop: ["x"] },
    sends: { reasoning_effort: none, stop: none },
    drops: "stop,reasoning_effort"
  },
  {
    model: "moonshot/kimi-k3.1-pro",
    asks: { reasoning_effort: "none" },
    sends: { reasoning_effort: "low" },
    drops: "reasoning_effort"
  },
  {
    model: "moonshot/kimi-k3",
    asks: { reasoning_effort: "medium", temperature: 0.5 },
    sends: { reasoning_effort: "high", temperature: none },
    drops: "temperature,reasoning_effort"
  },
  {
    model: "moonshot/kimi-k3",
    asks: { reasoning_effort: "xhigh", temperature: 1 },
    sends: { reasoning_effort: "max" },
    drops: "reasoning_effort"
  },
  {
    model: "zai/glm-5.3",
    asks: { reasoning_effort: "minimal" },
    sends: { reasoning_effort: "low" },
    drops: "reasoning_effort"
  },
  { model: "zai/glm-5.3", asks: { thinking: { type: "disabled" } }, sends: { thinking: none }, drops: "thinking" },
  {
    model: "zai/glm-5.3",
    asks: { tools, tool_choice: "required" },
    sends: { tool_choice: "auto" },
    drops: "tool_choice"
  },
  {
    model: "zai/glm-4.7",
    asks: { reasoning_effort: "none" },
    sends: { reasoning_effort: none, thinking: { type: "disabled" } }
  },
  {
    model: "deepseek/deepseek-flash",
    asks: { reasoning_effort: "none" },
    sends: { reasoning_effort: none, thinking: { type: "disabled" } }
  },
  { model: "deepseek/deepseek-flash", asks: { messages: image }, sends: { messages: image } },
  {
    model: "deepseek/deepseek-flash",
    asks: { tools, tool_choice: "required" },
    sends: { tool_choice: "required", thinking: { type: "disabled" } }
  },
  {
    model: "deepseek/deepseek-v4-pro",
    asks: { response_format: schema },
    sends: { response_format: none },
    path: "responses"
  },
  {
    model: "qwen/qwen3.8-max",
    asks: { reasoning_effort: "none" },
    sends: { reasoning_effort: none, enable_thinking: false }
  },
  {
    model: "qwen/qwen3.8-max",
    asks: { reasoning_effort: "high" },
    sends: { reasoning_effort: "xhigh" },
    drops: "reasoning_effort"
  },
  { model: "minimax/MiniMax-M3", asks: { max_tokens: 50 }, sends: { max_completion_tokens: 50, max_tokens: none } },
  {
    model: "openai/chat-latest",
    asks: { max_tokens: 50, reasoning_effort: "high" },
    sends: { max_completion_tokens: 50, reasoning_effort: "medium" },
    drops: "reasoning_effort"
  },
  {
    model: "openai/gpt-6.2-sol",
    asks: { temperature: 0.2, stop: ["x"] },
    sends: { temperature: none, stop: none },
    drops: "temperature,stop"
  },
  {
    model: "openai/gpt-5.5",
    asks: { temperature: 0.2, reasoning_effort: "none" },
    sends: { temperature: 0.2, reasoning_effort: "none" }
  },
  { model: "openai/gpt-5.5", asks: { temperature: 0.2 }, sends: { temperature: none }, drops: "temperature" },
  { model: "openai/gpt-5.4", asks: { temperature: 0.2, logprobs: true }, sends: { temperature: 0.2, logprobs: true } },
  {
    model: "openai/gpt-5.5-pro",
    asks: { reasoning_effort: "low" },
    sends: { reasoning: { effort: "medium" } },
    drops: "reasoning_effort",
    path: "responses"
  },
  {
    model: "openai/gpt-4.1",
    asks: { tools: [{ type: "web_search" }] },
    sends: { tools: [{ type: "web_search" }] },
    path: "responses"
  },
  {
    model: "groq/llama-3.3-70b-versatile",
    asks: { reasoning_effort: "high" },
    sends: { reasoning_effort: none },
    drops: "reasoning_effort"
  }
]

const vendors = [...new Set(cases.map(({ model }) => model.split("/")[0]!))]

const started = Effect.gen(function* () {
  const { asked, baseUrl } = yield* upstream(({ path }) => ({
    body: path.endsWith("/responses") ? response("Hi") : completion("Hi")
  }))
  const gateway = yield* startGateway({
    yaml: `
providers: { ${vendors.map((vendor) => `${vendor}: { base_url: "${baseUrl}", api_key: k }`).join(", ")} }
deployments: [${[...new Set(cases.map(({ model }) => model))].join(", ")}]
`
  })
  const { secret } = yield* gateway.createKey()
  const ask = (model: string, fields: object, headers = {}) =>
    call(gateway.url, {
      path: "/v1/chat/completions",
      key: secret,
      headers,
      body: { model, messages: [{ role: "user", content: "Hi" }], ...fields }
    })
  return { ask, asked }
})

describe("parameters of a model's own", () => {
  it.live("are sent as the model takes them, and what was lost is named", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started
      for (const { asks, drops, model, path = "chat/completions", sends } of cases) {
        const what = `${model} ${JSON.stringify(asks).slice(0, 80)}`
        const { headers, status, text } = yield* ask(model, asks)
        assert.strictEqual(status, 200, `${what}: ${text}`)
        const sent = asked.at(-1)!
        assert.isTrue(sent.path.endsWith(`/${path}`), `${what}: ${sent.path}`)
        for (const [field, value] of Object.entries(sends))
          assert.deepStrictEqual(sent.body[field], value, `${what}: ${field}`)
        assert.strictEqual(headers["x-gateway-dropped-params"], drops, what)
      }
    })
  )

  it.live("are a 400 for a strict caller that names the field, what is taken and who says so", () =>
    Effect.gen(function* () {
      const { ask, asked } = yield* started
      for (const { asks, drops, model } of cases) {
        const before = asked.length
        const { json, status } = yield* ask(model, asks, { "x-gateway-strict": "1" })
        assert.strictEqual(status, drops === undefined ? 200 : 400, model)
        if (drops === undefined) continue
        assert.include(drops.split(","), json.error.param)
        assert.include(json.error.message, `\`${json.error.param}\``)
        assert.lengthOf(asked, before)
      }
      const { json } = yield* ask("zai/glm-5.3", { reasoning_effort: "medium" }, { "x-gateway-strict": "1" })
      assert.strictEqual(
        json.error.message,
        "the provider (zai/glm-5.3 in the model catalogue) takes low, high, max: change or leave out `reasoning_effort`, or choose another model"
      )
    })
  )
})
