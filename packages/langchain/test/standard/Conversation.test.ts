/** The standard chat-model suite: answers, streams, usage, histories, the cache. */
import { assert, describe, it } from "@effect/vitest"
import {
  AIMessage,
  AIMessageChunk,
  getBufferString,
  HumanMessage,
  SystemMessage,
  ToolMessage
} from "@langchain/core/messages"
import { ChatGateway, GatewaySpendCallbackHandler } from "../../src/index.ts"
import { nano } from "../support/Gateway.ts"
import { useGateway } from "../support/UseGateway.ts"
import { collect, connect, decisionOf, usageOf } from "../support/Model.ts"
import { AddTool } from "../support/Tools.ts"

const gateway = useGateway()

describe("answers", () => {
  it("invoke: one message with text, whose decision is the receipt's", async () => {
    const { keyId, model } = await connect(gateway())
    const message = await model.invoke("Hello")
    assert.instanceOf(message, AIMessage)
    assert.include(message.text, "Hello")
    const [receipt] = await gateway().receipts(keyId, 1)
    const decision = decisionOf(message)
    assert.strictEqual(decision.receiptId, receipt?.id)
    assert.strictEqual(decision.deployment, receipt?.decision.deployment)
    assert.strictEqual(decision.bucket, receipt?.decision.bucket)
    assert.strictEqual(nano(decision.costUsd), nano(receipt?.cost_usd))
    assert.isTrue(decision.costIsFinal)
  })

  it("stream: chunks that are messages and add up to the plain answer, with the exact cost", async () => {
    const { keyId, model } = await connect(gateway(), { model: "demo/standard" })
    const { chunks, whole } = await collect(await model.stream("Hello"))
    assert.isAbove(chunks.length, 10)
    for (const chunk of chunks) assert.instanceOf(chunk, AIMessageChunk)
    const plain = await model.invoke("Hello")
    assert.strictEqual(whole.text, plain.text)
    const [receipt] = await gateway().receipts(keyId, 2)
    const decision = decisionOf(whole)
    assert.strictEqual(decision.receiptId, receipt?.id)
    assert.strictEqual(nano(decision.costUsd), nano(receipt?.cost_usd))
    assert.isTrue(decision.costIsFinal)
    // Numbers would add up and words would be repeated if more than one chunk carried them.
    assert.deepStrictEqual(
      { ...decisionOf(plain), requestId: "", receiptId: "" },
      { ...decision, requestId: "", receiptId: "" }
    )
    assert.strictEqual(whole.response_metadata["model"], plain.response_metadata["model"])
    assert.strictEqual(whole.response_metadata["finish_reason"], "stop")
  })

  it("batch: an answer for every input, in order, each with its own receipt", async () => {
    const { model } = await connect(gateway())
    const messages = await model.batch(["Good morning", "Good night"])
    assert.lengthOf(messages, 2)
    for (const message of messages) assert.instanceOf(message, AIMessage)
    assert.include(messages[0]?.text, "Good morning")
    assert.include(messages[1]?.text, "Good night")
    assert.notStrictEqual(decisionOf(messages[0]).receiptId, decisionOf(messages[1]).receiptId)
    assert.notStrictEqual(messages[0]?.id, messages[1]?.id)
  })

  it("a conversation of several turns, with messages of one role in a row", async () => {
    const { model } = await connect(gateway())
    const turns = [new HumanMessage("Good morning"), new AIMessage("Good morning"), new HumanMessage("How are you?")]
    const message = await model.invoke(turns)
    assert.instanceOf(message, AIMessage)
    assert.include(message.text, "message 2 of our conversation")
    const doubled = [
      new SystemMessage("Be brief."),
      new SystemMessage("Be kind."),
      ...turns.flatMap((turn) => [turn, turn])
    ]
    assert.include((await model.invoke(doubled)).text, "message 4 of our conversation")
  })

  it("streamEvents: begins with the start, ends with the end, and streams between", async () => {
    const { keyId, model } = await connect(gateway())
    const events = []
    for await (const event of model.streamEvents("Hello", { version: "v2" })) events.push(event)
    assert.strictEqual(events[0]?.event, "on_chat_model_start")
    assert.strictEqual(events.at(-1)?.event, "on_chat_model_end")
    const pieces = events.filter(({ event }) => event === "on_chat_model_stream")
    assert.strictEqual(pieces.length, events.length - 2)
    const output = events.at(-1)?.data.output
    assert.strictEqual(pieces.map(({ data }) => data.chunk.text).join(""), output.text)
    const [receipt] = await gateway().receipts(keyId, 1)
    assert.strictEqual(nano(decisionOf(output).costUsd), nano(receipt?.cost_usd))
  })

  it("stop: the answer ends before the word, whether the call or the model says so", async () => {
    const { apiKey, model } = await connect(gateway())
    const whole = await model.invoke("Hello")
    const expected = whole.text.slice(0, whole.text.indexOf("demo"))
    assert.strictEqual((await model.invoke("Hello", { stop: ["demo"] })).text, expected)
    const stopping = new ChatGateway({ apiKey, baseUrl: gateway().url, stop: ["demo"] })
    assert.strictEqual((await stopping.invoke("Hello")).text, expected)
  })
})

describe("usage", () => {
  it("of a plain answer: the tokens of the receipt, and the model's name", async () => {
    const { keyId, model } = await connect(gateway(), { model: "demo/reasoner" })
    const message = await model.invoke("Hello")
    const usage = usageOf(message)
    const [receipt] = await gateway().receipts(keyId, 1)
    assert.strictEqual(usage?.input_tokens, receipt?.usage.input)
    const { output = 0, reasoning = 0 } = receipt?.usage ?? {}
    assert.isAbove(reasoning, 0)
    assert.strictEqual(usage?.output_tokens, output + reasoning)
    assert.strictEqual(usage?.output_token_details?.reasoning, reasoning)
    assert.strictEqual(usage?.total_tokens, usage!.input_tokens + usage!.output_tokens)
    assert.isString(message.response_metadata["model"])
    assert.isNotEmpty(message.response_metadata["model"])
  })

  it("of a stream: the same, once its chunks are put together", async () => {
    const { model } = await connect(gateway(), { model: "demo/reasoner" })
    const { chunks, whole } = await collect(await model.stream("Hello"))
    const plain = await model.invoke("Hello")
    assert.lengthOf(
      chunks.filter((chunk) => usageOf(chunk) !== undefined),
      1
    )
    assert.deepStrictEqual(usageOf(whole), usageOf(plain))
  })
})

describe("histories with tools", () => {
  const call = { name: "add_numbers", args: { a: 1, b: 2 }, id: "call_1", type: "tool_call" as const }
  const result = new ToolMessage({ content: `{"sum":3}`, tool_call_id: call.id, name: call.name })
  const question = new HumanMessage("What is 1 plus 2?")

  it("the content is a string: the model reads what the tool said", async () => {
    const { model } = await connect(gateway())
    const turns = [question, new AIMessage({ content: "", tool_calls: [call] }), result]
    const message = await model.bindTools([new AddTool()]).invoke(turns)
    assert.instanceOf(message, AIMessage)
    assert.include(message.text, `Your tool answered “{"sum":3}”`)
  })

  it("the content is a list, with another vendor's tool block in it", async () => {
    const { model } = await connect(gateway())
    const content = [
      { type: "text" as const, text: "Let me add." },
      { type: "tool_use" as const, id: call.id, name: call.name, input: call.args }
    ]
    const turns = [question, new AIMessage({ content, tool_calls: [call] }), result]
    const message = await model.bindTools([new AddTool()]).invoke(turns)
    assert.instanceOf(message, AIMessage)
    assert.include(message.text, `Your tool answered “{"sum":3}”`)
  })

  it("examples before the question: the question is what is answered", async () => {
    const { model } = await connect(gateway())
    const shown = [question, new AIMessage({ content: "", tool_calls: [call] }), result, new AIMessage("It is 3.")]
    const turns = [...shown, new HumanMessage("What is 30 plus 4? Use add_numbers.")]
    const message = await model.bindTools([new AddTool()]).invoke(turns)
    assert.instanceOf(message, AIMessage)
    assert.deepStrictEqual(message.tool_calls?.[0]?.args, { a: 30, b: 4 })
  })
})

describe("LangChain's own cache", () => {
  it("answers a message of parts the second time, calls nobody, and costs nothing", async () => {
    const spend = new GatewaySpendCallbackHandler()
    const { keyId, model } = await connect(gateway(), { cache: true, callbacks: [spend] })
    const asked = [new HumanMessage({ content: [{ type: "text", text: `Hello from ${keyId}` }] })]
    const first = await model.invoke(asked)
    const kept = await model.cache?.lookup(getBufferString(asked), model._getSerializedCacheKeyParametersForCall({}))
    assert.deepStrictEqual(
      kept?.map(({ text }) => text),
      [first.text]
    )
    const second = await model.invoke(asked)
    assert.strictEqual(second.text, first.text)
    assert.strictEqual(second.id, first.id)
    assert.lengthOf(await gateway().ledger(keyId, 1), 1)
    assert.strictEqual(nano(spend.totalUsd), nano(await gateway().spent(keyId)))
    assert.strictEqual(spend.calls, 1)
  })
})
