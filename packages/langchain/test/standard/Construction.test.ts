/** The unit half of the standard chat-model suite: what a model is before it is asked anything. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { HumanMessage } from "@langchain/core/messages"
import { z } from "zod"
import { ChatGateway, GatewayConfigurationError, GatewayEmbeddings } from "../../src/index.ts"
import { useGateway } from "../support/UseGateway.ts"
import { collect, connect, failure } from "../support/Model.ts"
import { AddTool } from "../support/Tools.ts"

const gateway = useGateway()

const options = {
  apiKey: "mgw_not_a_key",
  baseUrl: "http://127.0.0.1:9",
  temperature: 0,
  maxTokens: 100,
  timeout: 60,
  stopSequences: [],
  maxRetries: 2
}

const variables = ["GATEWAY_API_KEY", "GATEWAY_BASE_URL"] as const
const before = variables.map((name) => process.env[name])

afterEach(() => {
  for (const [index, name] of variables.entries()) {
    if (before[index] === undefined) delete process.env[name]
    else process.env[name] = before[index]
  }
})

describe("a model is made", () => {
  it("with the options that every chat model takes", () => {
    const model = new ChatGateway(options)
    assert.strictEqual(model.temperature, 0)
    assert.strictEqual(model.maxTokens, 100)
    assert.strictEqual(model.model, "auto")
  })

  it("not with an option that there is not: the nearest name is in the error", () => {
    const refused = (fields: object, nearest: string) =>
      assert.throws(() => new ChatGateway({ ...options, ...fields }), GatewayConfigurationError, nearest)
    refused({ temprature: 0 }, "no option `temprature`. Did you mean `temperature`?")
    refused({ reasoning_effort: "low" }, "Did you mean `reasoningEffort`?")
    refused({ baseurl: "http://127.0.0.1:9" }, "Did you mean `baseUrl`?")
    refused({ colour: "red" }, "no option `colour`. It has apiKey, ")
    refused({ max_tokens: 1 }, "use maxTokens")
    const unsaid: object = { colour: undefined }
    assert.strictEqual(new ChatGateway({ ...options, ...unsaid }).model, "auto")
    const embeddings = { apiKey: "mgw_x", baseUrl: "http://127.0.0.1:9", model: "e", batchsize: 1 }
    assert.throws(() => new GatewayEmbeddings(embeddings), GatewayConfigurationError, "Did you mean `batchSize`?")
  })

  it("with key and address from the environment, and calls with them", async () => {
    const { apiKey, baseUrl, id } = await gateway().client()
    process.env["GATEWAY_API_KEY"] = apiKey
    process.env["GATEWAY_BASE_URL"] = baseUrl
    await new ChatGateway().invoke("Hello")
    assert.lengthOf(await gateway().receipts(id, 1), 1)
  })

  it("streaming: true makes invoke a streamed call with the same answer", async () => {
    const { keyId, model } = await connect(gateway(), { streaming: true, model: "demo/standard" })
    const streamed = await model.invoke("Hello")
    const plain = await (await connect(gateway(), { model: "demo/standard" })).model.invoke("Hello")
    assert.strictEqual(streamed.text, plain.text)
    const [receipt] = await gateway().receipts(keyId, 1)
    assert.isTrue(receipt?.stream)
  })

  it("and given tools without being called", () => {
    assert.property(new ChatGateway(options).bindTools([new AddTool()]), "invoke")
  })

  it("and given a schema for its answers without being called", () => {
    const person = z.object({ name: z.string(), age: z.number().int().positive() })
    assert.property(new ChatGateway(options).withStructuredOutput(person), "invoke")
  })

  it("and tells tracers exactly what they ask every chat model for", () => {
    const params = new ChatGateway({ ...options, stop: ["END"] }).getLsParams({})
    const keys = ["ls_max_tokens", "ls_model_name", "ls_model_type", "ls_provider", "ls_stop", "ls_temperature"]
    assert.sameMembers(Object.keys(params), keys)
    assert.strictEqual(params.ls_model_type, "chat")
    assert.strictEqual(params.ls_model_name, "auto")
    assert.strictEqual(params.ls_temperature, 0)
    assert.strictEqual(params.ls_max_tokens, 100)
    assert.isString(params.ls_provider)
    assert.deepStrictEqual(params.ls_stop, ["END"])
  })
})

describe("a signal that is aborted before the call", () => {
  it("invoke: throws, and nothing reaches the gateway", async () => {
    const { keyId, model } = await connect(gateway())
    const error = await failure(model.invoke([new HumanMessage("Hello")], { signal: AbortSignal.abort() }))
    assert.match(error.name, /Abort/)
    assert.deepStrictEqual(await gateway().receipts(keyId, 0), [])
    assert.deepStrictEqual(await gateway().ledger(keyId), [])
  })

  it("stream: throws before its first chunk, and nothing reaches the gateway", async () => {
    const { keyId, model } = await connect(gateway())
    const read = async () => collect(await model.stream([new HumanMessage("Hello")], { signal: AbortSignal.abort() }))
    const error = await failure(read())
    assert.match(error.name, /Abort/)
    assert.deepStrictEqual(await gateway().ledger(keyId), [])
  })
})
