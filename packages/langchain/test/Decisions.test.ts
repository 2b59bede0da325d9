/** The decision on its way through LangChain: merges, chains, tracers, both kinds of events. */
import { assert, describe, it } from "@effect/vitest"
import { awaitAllCallbacks } from "@langchain/core/callbacks/promises"
import { AIMessageChunk, type AIMessageChunkFields } from "@langchain/core/messages"
import { StringOutputParser } from "@langchain/core/output_parsers"
import type { ChatGeneration, LLMResult } from "@langchain/core/outputs"
import { ChatPromptTemplate } from "@langchain/core/prompts"
import { RunnableLambda } from "@langchain/core/runnables"
import { BaseTracer, type Run } from "@langchain/core/tracers/base"
import { LangChainTracer } from "@langchain/core/tracers/tracer_langchain"
import { concat } from "@langchain/core/utils/stream"
import { type GatewayDecision, gatewayDecision } from "../src/index.ts"
import { nano } from "./support/Gateway.ts"
import { collect, connect, decisionOf, usageOf } from "./support/Model.ts"
import { useGateway } from "./support/UseGateway.ts"

const gateway = useGateway()

const messageOf = ({ generations }: LLMResult) => (generations[0]![0] as ChatGeneration).message

class Tracer extends BaseTracer {
  name = "tests"
  readonly runs: Array<Run> = []
  protected async persistRun(run: Run) {
    this.runs.push(run)
  }
}

/** What the gateway itself says of the request behind a decision. */
const agrees = async (decision: GatewayDecision, isStream: boolean) => {
  const receipt = await gateway().receipt(decision.receiptId ?? "")
  assert.strictEqual(receipt.stream, isStream)
  assert.deepInclude(receipt.decision, {
    provider: decision.provider,
    model: decision.model,
    deployment: decision.deployment
  })
  assert.strictEqual(nano(receipt.cost_usd), nano(decision.costUsd))
  assert.strictEqual(receipt.decision.bucket, decision.bucket)
  assert.isTrue(decision.costIsFinal)
  assert.match(decision.requestId ?? "", /^req_/)
}

describe("the decision", () => {
  it("is on the message, and agrees with the gateway's receipt", async () => {
    const { model } = await connect(gateway())
    await agrees(decisionOf(await model.invoke("Hello")), false)
    const failedOver = decisionOf(await model.invoke("Hello", { model: "failover" }))
    assert.deepInclude(failedOver, { retries: 1, bucket: "none", deployment: "demo/mini" })
    const [one, two] = await model.batch(["Hello", "Prove it, step by step, with a lemma."])
    assert.notStrictEqual(decisionOf(one).receiptId, decisionOf(two).receiptId)
  })

  it("is on one chunk of a stream, the last, and survives every order of merging", async () => {
    const { model } = await connect(gateway())
    const { chunks, whole } = await collect(await model.stream("Hello"))
    assert.deepStrictEqual(
      chunks.flatMap((chunk, at) => (gatewayDecision(chunk) === undefined ? [] : [at])),
      [chunks.length - 1]
    )
    const half = Math.floor(chunks.length / 2)
    const sum = (some: ReadonlyArray<AIMessageChunk>) => some.reduce((all, chunk) => concat(all, chunk))
    const halves = concat(sum(chunks.slice(0, half)), sum(chunks.slice(half)))
    assert.deepStrictEqual(decisionOf(halves), decisionOf(whole))
    assert.deepStrictEqual(
      decisionOf(new AIMessageChunk({ ...whole } as unknown as AIMessageChunkFields)),
      decisionOf(whole)
    )
    assert.strictEqual(whole.response_metadata["model"], "mini")
    assert.strictEqual(
      halves.usage_metadata?.["total_tokens" as never],
      whole.usage_metadata?.["total_tokens" as never]
    )
    await agrees(decisionOf(whole), true)
  })

  it("comes without token counts too, when nobody wants those", async () => {
    const { model } = await connect(gateway(), { streamUsage: false })
    const { whole } = await collect(await model.stream("Hello"))
    assert.isUndefined(whole.usage_metadata)
    await agrees(decisionOf(whole), true)
  })

  it("comes where `invoke` streams", async () => {
    const { model } = await connect(gateway(), { streaming: true })
    const message = await model.invoke("Hello")
    assert.include(message.text, "Hello")
    await agrees(decisionOf(message), true)
  })

  it("reaches the end of a sequence, and tracers, streamed or not", async () => {
    const { model } = await connect(gateway())
    const tracer = new Tracer()
    const chain = ChatPromptTemplate.fromTemplate("Say {word}")
      .pipe(model)
      .pipe(RunnableLambda.from((message) => message))
    const invoked = decisionOf(await chain.invoke({ word: "hello" }, { callbacks: [tracer] }))
    const { whole } = await collect(
      (await chain.stream({ word: "hello" }, { callbacks: [tracer] })) as AsyncIterable<AIMessageChunk>
    )
    const traced = tracer.runs.map((run) => {
      const [child] = run.child_runs.filter(({ run_type }) => run_type === "llm")
      return gatewayDecision(child?.outputs?.["generations"]?.[0]?.[0]?.message)
    })
    assert.deepStrictEqual(traced, [invoked, decisionOf(whole)])
  })
})

describe("events", () => {
  it("of both old versions end with the decision", async () => {
    const { model } = await connect(gateway())
    for (const version of ["v1", "v2"] as const) {
      const decisions: Array<GatewayDecision | undefined> = []
      for await (const { data, event } of model.pipe(new StringOutputParser()).streamEvents("Hello", { version })) {
        if (event !== (version === "v1" ? "on_llm_end" : "on_chat_model_end")) continue
        const output = data.output?.generations?.[0]?.[0]?.message ?? data.output
        decisions.push(gatewayDecision(output))
      }
      assert.lengthOf(decisions, 1)
      await agrees(decisions[0]!, true)
    }
  })

  it("of the new protocol end with the decision, and onDecision hears of it", async () => {
    const heard: Array<GatewayDecision> = []
    const { model } = await connect(gateway(), { onDecision: (decision) => void heard.push(decision) })
    const stream = model.streamEvents("Hello")
    let text = ""
    for await (const token of stream.text) text += token
    const message = await stream.output
    assert.strictEqual(message.text, text)
    assert.deepInclude(message.response_metadata, { model_provider: "model-gateway", model: "mini" })
    assert.deepStrictEqual(heard, [decisionOf(message)])
    await agrees(decisionOf(message), true)
  })

  it("tell of tool calls", async () => {
    const { model } = await connect(gateway())
    const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
    const weather = { type: "function" as const, function: { name: "weather", description: "", parameters: schema } }
    const events = model.streamEvents("The weather in San Francisco?", { tools: [weather], tool_choice: "weather" })
    assert.deepStrictEqual(
      (await events.toolCalls).map(({ args, name }) => [name, args]),
      [["weather", { city: "San Francisco" }]]
    )
  })
})

describe("onDecision", () => {
  it("is told once a call, of every kind of call", async () => {
    const heard: Array<GatewayDecision> = []
    const { model } = await connect(gateway(), { onDecision: (decision) => void heard.push(decision) })
    const message = await model.invoke("Hello")
    const { whole } = await collect(await model.stream("Hello"))
    assert.deepStrictEqual(heard, [decisionOf(message), decisionOf(whole)])
  })

  it("that fails does not fail the answer", async () => {
    for (const onDecision of [
      () => {
        throw new Error("no")
      },
      () => Promise.reject(new Error("no"))
    ]) {
      const { model } = await connect(gateway(), { onDecision: onDecision as () => void })
      assert.include((await model.invoke("Hello")).text, "Hello")
    }
  })
})

it("the tokens are told to callback handlers the same way by every kind of call", async () => {
  const { model } = await connect(gateway())
  const told: Array<unknown> = []
  const callbacks = [{ handleLLMEnd: ({ llmOutput }: LLMResult) => void told.push(llmOutput?.["tokenUsage"]) }]
  const message = await model.invoke("Hello", { callbacks })
  await (await connect(gateway(), { streaming: true })).model.invoke("Hello", { callbacks })
  await collect(await model.stream("Hello", { callbacks }))
  await model.streamEvents("Hello", { callbacks })
  const { input_tokens, output_tokens, total_tokens } = usageOf(message)!
  const tokens = { promptTokens: input_tokens, completionTokens: output_tokens, totalTokens: total_tokens }
  assert.deepStrictEqual(told, [tokens, tokens, tokens, tokens])
})

it("LangSmith's traces say the same of every kind of call", async () => {
  const metadata: Array<unknown> = []
  const client = {
    createRun: async ({ extra }: { readonly extra: { readonly metadata: object } }) =>
      void metadata.push(extra.metadata),
    updateRun: async () => undefined
  }
  const { model } = await connect(gateway(), { temperature: 0.5, seed: 4 })
  const config = () => ({ callbacks: [new LangChainTracer({ client: client as never })] })
  await model.invoke("Hello", config())
  await collect(await model.stream("Hello", config()))
  await model.streamEvents("Hello", config())
  await awaitAllCallbacks()
  assert.deepInclude(metadata[0], { model: "auto", temperature: 0.5, seed: 4 })
  assert.deepStrictEqual(metadata, [metadata[0], metadata[0], metadata[0]])
})

it("route, session and tags reach the gateway: of the constructor, of a binding, of a chain, of a call", async () => {
  const { model } = await connect(gateway(), { tags: ["made"] })
  const bound = model.withConfig({ tags: ["Bound Tag"], sessionId: "s-1", route: { noFallback: true } })
  const chain = bound.pipe(new StringOutputParser())
  const heard: Array<GatewayDecision> = []
  const one = decisionOf(await bound.invoke("Hello", { tags: ["call"] }))
  assert.sameMembers([...(await gateway().receipt(one.receiptId ?? "")).tags], ["made", "Bound-Tag", "call"])
  const callbacks = [{ handleLLMEnd: (output: LLMResult) => void heard.push(decisionOf(messageOf(output))) }]
  await model.invoke("Hello", { callbacks })
  await chain.invoke("Hello", { tags: ["chain"], callbacks })
  assert.deepStrictEqual((await gateway().receipt(heard[0]?.receiptId ?? "")).tags, ["made"])
  assert.includeMembers([...(await gateway().receipt(heard[1]?.receiptId ?? "")).tags], ["made", "Bound-Tag", "chain"])
  const refused = await bound.invoke("Hello", { model: "failover" }).catch((error: Error) => error)
  assert.instanceOf(refused, Error)
})
