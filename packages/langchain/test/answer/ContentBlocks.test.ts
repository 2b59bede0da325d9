/** Standard content blocks (v1) in answers: reasoning, text, tool calls. */
import { assert, describe, it } from "@effect/vitest"
import { AIMessage, AIMessageChunk } from "@langchain/core/messages"
import { gatewayDecision } from "../../src/index.ts"
import { useGateway } from "../support/UseGateway.ts"
import { collect, connect } from "../support/Model.ts"
import { delta, finish, streaming } from "../support/Sse.ts"

const gateway = useGateway()
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const weather = { type: "function" as const, function: { name: "weather", description: "", parameters: schema } }

const typesOf = ({ contentBlocks }: AIMessage | AIMessageChunk) => contentBlocks.map(({ type }) => type)

describe("a model that reasons", () => {
  it("shows its reasoning as a block before its text, called either way", async () => {
    const { model } = await connect(gateway(), { model: "demo/reasoner" })
    const message = await model.invoke("Hello")
    assert.deepStrictEqual(typesOf(message), ["reasoning", "text"])
    const { whole } = await collect(await model.stream("Hello"))
    assert.deepStrictEqual(typesOf(whole), ["reasoning", "text"])
    const [reasoning, text] = message.contentBlocks
    assert.strictEqual(reasoning?.["reasoning"], message.additional_kwargs["reasoning_content"])
    assert.strictEqual(text?.["text"], message.text)
    assert.notInclude(message.text, String(reasoning?.["reasoning"]))
  })

  it("shows it in the new protocol's events", async () => {
    const { model } = await connect(gateway(), { model: "demo/reasoner" })
    const stream = model.streamEvents("Hello")
    assert.isNotEmpty(await stream.reasoning)
    assert.deepStrictEqual(typesOf(await stream.output), ["reasoning", "text"])
  })

  it("may be answered: its reasoning is not sent back", async () => {
    const { model } = await connect(gateway(), { model: "demo/reasoner", outputVersion: "v1" })
    const first = await model.invoke("Hello")
    const second = await model.invoke([{ role: "user", content: "Hello" }, first, { role: "user", content: "And?" }])
    assert.isDefined(gatewayDecision(second))
  })
})

describe("outputVersion v1", () => {
  it("stores the blocks in the message", async () => {
    const { model } = await connect(gateway(), { outputVersion: "v1", model: "demo/reasoner" })
    const message = await model.invoke("Hello")
    assert.isArray(message.content)
    assert.deepStrictEqual(message.content, message.contentBlocks as never)
    assert.strictEqual(message.response_metadata["output_version"], "v1")
    const called = await model.bindTools([weather], { tool_choice: "any" }).invoke("The weather in San Francisco?")
    assert.include(typesOf(called), "tool_call")
    assert.deepStrictEqual(called.tool_calls?.[0]?.args, { city: "San Francisco" })
  })

  it("makes one block of each kind of a stream", async () => {
    const { model } = await connect(gateway(), { outputVersion: "v1", model: "demo/reasoner" })
    const { whole } = await collect(await model.stream("Hello"))
    assert.deepStrictEqual(typesOf(whole), ["reasoning", "text"])
    assert.isDefined(gatewayDecision(whole))
  })

  it("merges the pieces of a streamed call", async () => {
    await using server = await streaming([
      delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "weather", arguments: "" } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      delta({ tool_calls: [{ index: 0, function: { arguments: '"Rome"}' } }] }),
      delta({ tool_calls: [{ index: 1, id: "c2", function: { name: "weather", arguments: '{"city":"Oslo"}' } }] }),
      finish("tool_calls")
    ])
    const { whole } = await collect(await server.model({ outputVersion: "v1" }).stream("hi"))
    assert.deepStrictEqual(
      whole.tool_calls?.map(({ args, id }) => [id, args]),
      [
        ["c1", { city: "Rome" }],
        ["c2", { city: "Oslo" }]
      ]
    )
    const [first, second] = whole.contentBlocks
    assert.deepInclude(first, { type: "tool_call_chunk", id: "c1", args: '{"city":"Rome"}' })
    assert.deepInclude(second, { type: "tool_call", id: "c2", args: { city: "Oslo" } })
    const plain = await collect(await server.model().stream("hi"))
    assert.deepStrictEqual(typesOf(plain.whole), ["tool_call", "tool_call"])
  })
})

it("logprobs of a stream are gathered on its last chunk", async () => {
  const token = (text: string) => delta({ content: text }, { logprobs: { content: [{ token: text, logprob: -1 }] } })
  await using server = await streaming([token("a"), token("b"), finish()])
  const { whole } = await collect(await server.model().stream("hi"))
  assert.deepStrictEqual(whole.response_metadata["logprobs"], {
    content: [
      { token: "a", logprob: -1 },
      { token: "b", logprob: -1 }
    ]
  })
})
