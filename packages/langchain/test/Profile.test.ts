import { assert, it } from "@effect/vitest"
import { ChatGateway } from "../src/index.ts"
import { useGateway } from "./support/UseGateway.ts"
import { failure } from "./support/Model.ts"

const gateway = useGateway()

it("fromGateway asks what the model can do; what the caller knows better stays", async () => {
  const { apiKey, baseUrl } = await gateway().client()
  const auto = await ChatGateway.fromGateway({ apiKey, baseUrl })
  assert.deepStrictEqual(auto.profile, {
    maxInputTokens: 1_000_000,
    maxOutputTokens: auto.profile.maxOutputTokens!,
    imageInputs: true,
    audioInputs: true,
    toolCalling: true,
    toolChoice: true,
    structuredOutput: true,
    reasoningOutput: true
  })
  assert.isAbove(auto.profile.maxOutputTokens ?? 0, 0)
  const bare = await ChatGateway.fromGateway({ apiKey, baseUrl, model: "mini", profile: { structuredOutput: false } })
  assert.deepInclude(bare.profile, { toolCalling: true, structuredOutput: false })
  assert.strictEqual(bare.model, "mini")
  const named = await ChatGateway.fromGateway("mini", { apiKey, baseUrl, temperature: 0.5 })
  assert.deepStrictEqual([named.model, named.temperature, named.profile.toolCalling], ["mini", 0.5, true])
})

it("a profile decides how structured output is asked for", async () => {
  const { apiKey, baseUrl } = await gateway().client()
  const schema = { type: "object", title: "Place", properties: { city: { type: "string" } }, required: ["city"] }
  const asked: Array<Record<string, unknown>> = []
  const fields = {
    apiKey,
    baseUrl,
    fetch: (url: string | URL | Request, init?: RequestInit) => {
      if (init?.body) asked.push(JSON.parse(String(init.body)))
      return fetch(url, init)
    }
  }
  const known = await ChatGateway.fromGateway(fields)
  for (const model of [known, new ChatGateway(fields)]) {
    const answer = await model.withStructuredOutput(schema).invoke("The weather in San Francisco")
    assert.deepStrictEqual(answer, { city: "San Francisco" })
  }
  assert.deepInclude(asked[0]?.["response_format"] as object, { type: "json_schema" })
  assert.notProperty(asked[0], "tools")
  assert.deepInclude(asked[1]?.["tool_choice"] as object, { type: "function", function: { name: "Place" } })
  assert.notProperty(asked[1], "response_format")
})

it("a model that the key may not use is an error that lists what it may", async () => {
  const { apiKey, baseUrl } = await gateway().client({ models: ["demo/mini"] })
  const error = await failure(ChatGateway.fromGateway({ apiKey, baseUrl, model: "demo/large", maxRetries: 0 }))
  assert.include(error.message, "`demo/large`")
  assert.include(error.message, "demo/mini")
})
