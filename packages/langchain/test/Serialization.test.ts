import { assert, describe, it } from "@effect/vitest"
import { load } from "@langchain/core/load"
import { StringOutputParser } from "@langchain/core/output_parsers"
import { inspect } from "node:util"
import packageJson from "../package.json" with { type: "json" }
import { ChatGateway } from "../src/index.ts"
import { VERSION } from "../src/Version.ts"
import { serving } from "./support/Sse.ts"

const apiKey = "mgw_public_SECRETSECRETSECRET"
const baseUrl = "http://127.0.0.1:4100/v1"
const made = () =>
  new ChatGateway({
    apiKey,
    baseUrl,
    model: "fast",
    temperature: 0.5,
    maxTokens: 10,
    topP: 0.9,
    stop: ["x"],
    route: { prefer: "cost", noFallback: true },
    sessionId: "s-1",
    modelKwargs: { top_k: 3 },
    reasoning: { effort: "low" },
    verbosity: "low",
    service_tier: "flex",
    headers: { "x-own": "HEADERSECRET" },
    fetch: () => Promise.reject(new Error("no")),
    tags: ["a"],
    profile: { maxInputTokens: 5 }
  })

describe("a model written down", () => {
  it("comes back the same, with the key from where the reader keeps it", async () => {
    const model = made()
    const text = JSON.stringify(model)
    const again = await load<ChatGateway>(text, {
      secretsMap: { GATEWAY_API_KEY: apiKey },
      importMap: { chat_models__gateway: { ChatGateway } }
    })
    assert.instanceOf(again, ChatGateway)
    assert.deepStrictEqual(again.invocationParams(), model.invocationParams())
    assert.deepStrictEqual(
      [again.route, again.sessionId, again.tags, again.baseUrl],
      [model.route, "s-1", ["a"], baseUrl]
    )
    assert.deepStrictEqual(again.profile, { maxInputTokens: 5 })
    assert.strictEqual(JSON.stringify(again), text)
  })

  it("holds neither the key nor headers, and nothing else shows them", () => {
    const model = made()
    const bound = model.bindTools([], { headers: { "x-bound": "BOUNDSECRET" } }).withConfig({ tags: ["b"] })
    for (const shown of [
      JSON.stringify(model),
      JSON.stringify(bound),
      inspect(model, { depth: 20, showHidden: true, getters: true }),
      inspect(bound, { depth: 20, showHidden: true, getters: true }),
      String(model),
      JSON.stringify(Object.entries(model)),
      model._getSerializedCacheKeyParametersForCall({})
    ]) {
      assert.notInclude(shown, "SECRET")
    }
    assert.deepInclude(model.toJSON(), { id: ["langchain", "chat_models", "gateway", "ChatGateway"] })
  })
})

it("headers reach the server from wherever they are given, and no trace", async () => {
  const sent: Array<unknown> = []
  await using server = await serving(({ headers }, response) => {
    sent.push([headers["x-bound"], headers["x-call"]])
    response.writeHead(200, { "content-type": "application/json" })
    response.end('{"choices":[{"message":{"content":"Hi"}}]}')
  })
  const traced: Array<unknown> = []
  const seen = (...all: ReadonlyArray<unknown>) => void traced.push(all)
  const tracer = { handleChainStart: seen, handleChatModelStart: seen, handleLLMEnd: seen, handleChainEnd: seen }
  const bound = server.model().withConfig({ headers: { "x-bound": "BOUNDSECRET" } })
  await bound.pipe(new StringOutputParser()).invoke("hi", { callbacks: [tracer] })
  await server.model().invoke("hi", { callbacks: [tracer], headers: { "x-call": "CALLSECRET" } })
  assert.deepStrictEqual(sent, [
    ["BOUNDSECRET", undefined],
    [undefined, "CALLSECRET"]
  ])
  assert.notInclude(inspect(traced, { depth: 20 }) + JSON.stringify(traced), "SECRET")
})

describe("what LangChain asks a model", () => {
  it("its name, its class behind a binding, its version", () => {
    const model = made()
    assert.strictEqual(model.getName(), "ChatGateway")
    assert.strictEqual(model._llmType(), "gateway")
    assert.strictEqual((model.withConfig({ temperature: 0 }) as never as { bound: unknown }).bound, model)
    assert.deepInclude(model.metadata?.["versions"] as object, { [packageJson.name]: VERSION })
    assert.strictEqual(packageJson.version, VERSION)
  })

  it("which options a call may have", () => {
    const some = ["tools", "route", "sessionId", "endUser", "guardrails", "headers", "maxTokens", "signal", "tags"]
    for (const key of some) {
      assert.include(made().callKeys, key)
    }
  })

  it("what a cached answer depends on: not on session, tags or signals; on headers without showing them", () => {
    const model = made()
    const key = (options: object) => model._getSerializedCacheKeyParametersForCall(options as never)
    assert.strictEqual(key({ sessionId: "2", signal: new AbortController().signal, gatewayTags: ["x"] }), key({}))
    assert.notStrictEqual(key({ temperature: 1 }), key({}))
    assert.notStrictEqual(key({ route: { prefer: "quality" } }), key({}))
    assert.notStrictEqual(key({ guardrails: ["strict"] }), key({}))
    assert.notStrictEqual(key({ headers: { a: "1" } }), key({ headers: { a: "2" } }))
    assert.notInclude(key({ headers: { a: "HEADERSECRET" } }), "HEADERSECRET")
  })
})
