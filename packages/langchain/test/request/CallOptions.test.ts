/** Options of one call, as they reach the wire. */
import { assert, describe, it } from "@effect/vitest"
import { ChatGateway, GatewayInputError } from "../../src/index.ts"
import { failure } from "../support/Model.ts"

const answer = {
  id: "c",
  model: "m",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "Hi" } }]
}

/** A model whose requests are kept, and answered. */
const recorded = () => {
  const bodies: Array<Record<string, unknown>> = []
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bodies.push(JSON.parse(String(init?.body)))
    return Response.json(answer)
  }
  return { bodies, model: new ChatGateway({ apiKey: "mgw_x", baseUrl: "http://host", model: "m", fetch }) }
}

describe("the options of a call", () => {
  it("reach the request's body", async () => {
    const { bodies, model } = recorded()
    for (const [options, field] of [
      [{ service_tier: "flex" }, { service_tier: "flex" }],
      [{ verbosity: "low" }, { verbosity: "low" }],
      [{ reasoning: { effort: "low" } }, { reasoning_effort: "low" }],
      [{ reasoningEffort: "high" }, { reasoning_effort: "high" }],
      [
        { modelKwargs: { prediction: { type: "content", content: "x" } } },
        { prediction: { type: "content", content: "x" } }
      ],
      [
        { frequencyPenalty: 1, stop: ["x"] },
        { frequency_penalty: 1, stop: ["x"] }
      ]
    ] as const) {
      await model.invoke("Hi", options as never)
      const { messages: _, model: name, ...rest } = bodies.at(-1)!
      assert.strictEqual(name, "m")
      assert.deepStrictEqual(rest, field)
    }
  })

  it("that there are not are refused with the right name, before anything is sent", async () => {
    const { bodies, model } = recorded()
    for (const [name, right] of [
      ["frequency_penalty", "use frequencyPenalty"],
      ["max_tokens", "use maxTokens"],
      ["top_p", "use topP"],
      ["reasoning_effort", "use reasoningEffort"],
      ["serviceTier", "use service_tier"],
      ["extra_body", "use modelKwargs"],
      ["extra_headers", "use headers"],
      ["toolChoice", "use tool_choice"],
      ["responseSchema", "use response_format"],
      ["stream", "use `model.stream`"],
      ["prediction", "use modelKwargs: { prediction }"]
    ] as const) {
      const options = { [name]: 1 }
      const invoked = await failure(model.invoke("Hi", options))
      assert.isTrue(GatewayInputError.isInstance(invoked), name)
      assert.include(invoked.message, `no option \`${name}\``)
      assert.include(invoked.message, right)
      assert.include((await failure(model.stream("Hi", options))).message, right)
      assert.throws(() => model.withConfig(options), GatewayInputError, right)
      assert.throws(() => model.bindTools([], options), GatewayInputError, right)
    }
    assert.lengthOf(bodies, 0)
  })

  it("of LangChain and LangGraph pass, and never reach the body", async () => {
    const { bodies, model } = recorded()
    await model.invoke("Hi", { tags: ["a"], metadata: { b: 1 }, runName: "r", recursionLimit: 3, timeout: 10_000 })
    const config = { configurable: { __pregel_send: () => undefined }, store: {}, executionInfo: {}, writer: () => {} }
    await model.invoke("Hi", config as never)
    assert.deepStrictEqual(
      bodies.map((body) => Object.keys(body)),
      [
        ["model", "messages"],
        ["model", "messages"]
      ]
    )
    const misspelt = await failure(model.invoke("Hi", { ...config, max_tokens: 5 } as never))
    assert.include(misspelt.message, "use maxTokens")
  })
})
