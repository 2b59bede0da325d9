import { assert, describe, it } from "@effect/vitest"
import { StringOutputParser } from "@langchain/core/output_parsers"
import { RunnableLambda, RunnableMap } from "@langchain/core/runnables"
import { FakeListChatModel } from "@langchain/core/utils/testing"
import {
  BudgetExceededError,
  gatewayDecision,
  GatewayConfigurationError,
  GatewaySpendCallbackHandler
} from "../../src/index.ts"
import { nano } from "../support/Gateway.ts"
import { collect, connect, failure } from "../support/Model.ts"
import { delta, streaming } from "../support/Sse.ts"
import { useGateway } from "../support/UseGateway.ts"

const gateway = useGateway()

describe("spend", () => {
  it("is the ledger's, to the nano-dollar: calls, streams, chains and parallel calls", async () => {
    const { keyId, model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler()
    const config = { callbacks: [spend] }
    await model.invoke("Hello", config)
    await collect(await model.stream("Hello, a stream", config))
    await model.pipe(new StringOutputParser()).invoke("Hello, a chain", config)
    await RunnableMap.from({ a: model, b: model }).invoke("Hello, two at once", config)
    await model.invoke("Prove that there are infinitely many primes, step by step.", { ...config, model: "demo/large" })
    const { costNanoUsd, deployments } = spend.total
    assert.strictEqual(costNanoUsd, nano(await gateway().spent(keyId)))
    assert.strictEqual(spend.calls, 6)
    assert.strictEqual(spend.total.streamedCalls, 1)
    assert.strictEqual(nano(spend.totalUsd), costNanoUsd)
    const byDeployment = Object.values(deployments)
    assert.strictEqual(
      byDeployment.reduce((sum, { calls }) => sum + calls, 0),
      6
    )
    assert.strictEqual(
      byDeployment.reduce((sum, { costUsd }) => sum + nano(costUsd), 0),
      costNanoUsd
    )
    assert.strictEqual(deployments["demo/large"]?.calls, 1)
  })

  it("is told by run: everything under one outermost chain", async () => {
    const { model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler()
    const twice = RunnableLambda.from(async (input: string, config) => {
      await model.invoke(input, config)
      return (await model.pipe(new StringOutputParser()).invoke(input, config)).length
    })
    const runId = "00000000-0000-4000-8000-000000000001"
    await twice.invoke("Hello", { callbacks: [spend], runId })
    await model.invoke("Hello", { callbacks: [spend] })
    assert.deepStrictEqual(
      spend.runs.map(({ calls }) => calls),
      [2, 1]
    )
    assert.strictEqual(spend.run(runId)?.calls, 2)
    assert.strictEqual(
      spend.runs.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0),
      spend.total.costNanoUsd
    )
    assert.isUndefined(spend.run("other"))
  })

  it("counts a call once, wherever the handler is attached", async () => {
    const spend = new GatewaySpendCallbackHandler()
    const { keyId, model } = await connect(gateway(), { callbacks: [spend] })
    await model.pipe(new StringOutputParser()).invoke("Hello", { callbacks: [spend] })
    assert.strictEqual(spend.calls, 1)
    assert.strictEqual(spend.total.costNanoUsd, nano(await gateway().spent(keyId)))
  })

  it("holds the bound of a stream that was left apart, and knows failures and other models", async () => {
    const { model } = await connect(gateway(), { model: "paced/standard" })
    const spend = new GatewaySpendCallbackHandler()
    const config = { callbacks: [spend] }
    for await (const chunk of await model.stream("Hello", config)) if (chunk.text !== "") break
    await failure(model.invoke("Hello", { ...config, model: "no-such-model" }))
    await new FakeListChatModel({ responses: ["hi"] }).invoke("Hello", config)
    assert.deepInclude(spend.total, { costNanoUsd: 0, calls: 1, leftCalls: 1, failedCalls: 1, foreignCalls: 1 })
    assert.isAbove(spend.total.unsettledUsd, 0)
  })

  it("holds the bound of a stream that was aborted and never touched again, as chains do", async () => {
    const { model } = await connect(gateway(), { model: "demo/standard" })
    const spend = new GatewaySpendCallbackHandler()
    const controller = new AbortController()
    const pieces = model._streamIterator("Hello", { callbacks: [spend], signal: controller.signal })
    await pieces.next()
    controller.abort()
    while (spend.calls === 0) await new Promise((resolve) => setImmediate(resolve))
    assert.deepInclude(spend.total, { costNanoUsd: 0, calls: 1, leftCalls: 1, failedCalls: 0 })
    assert.isAbove(spend.total.unsettledUsd, 0)
    await failure(pieces.next())
    assert.strictEqual(spend.calls, 1)
  })

  it("counts a stream that broke once, with its bound", async () => {
    await using server = await streaming([delta({ content: "a" })], "end", {
      "x-gateway-decision": "p/m",
      "x-gateway-cost-usd": "0.01",
      "x-gateway-cost-final": "false"
    })
    const spend = new GatewaySpendCallbackHandler()
    await failure(
      server
        .model({ callbacks: [spend] })
        .stream("hi")
        .then(collect)
    )
    assert.deepInclude(spend.total, { costUsd: 0, unsettledUsd: 0.01, calls: 1, leftCalls: 1, failedCalls: 0 })
  })

  it("knows streams under a handler that wants their events, ended or broken", async () => {
    const wantsEvents = { lc_prefer_chat_model_stream_events: true, handleChatModelStreamEvent: () => undefined }
    const { keyId, model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler()
    await model.invoke("Hello", { callbacks: [spend, wantsEvents] })
    assert.deepInclude(spend.total, { calls: 1, streamedCalls: 1, costNanoUsd: nano(await gateway().spent(keyId)) })
    await failure(model.invoke("Hello", { callbacks: [spend, wantsEvents], model: "demo/cut-6" }))
    assert.deepInclude(spend.total, { calls: 2, leftCalls: 1, failedCalls: 0 })
  })

  it("knows the new protocol's streams, ended, aborted or broken", async () => {
    const { keyId, model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler()
    const callbacks = [spend]
    const message = await model.streamEvents("Hello", { callbacks, tags: ["a"] })
    assert.deepInclude(spend.total, { calls: 1, streamedCalls: 1, costNanoUsd: nano(await gateway().spent(keyId)) })
    assert.strictEqual(nano(gatewayDecision(message)?.costUsd), spend.total.costNanoUsd)
    const controller = new AbortController()
    const { signal } = controller
    const events = model.streamEvents("Hello", { callbacks, signal, model: "paced/standard" })
    for await (const text of events.text) if (text !== "") break
    controller.abort()
    assert.match((await failure(Promise.resolve(events))).name, /Abort/)
    assert.deepInclude(spend.total, { calls: 2, leftCalls: 1, failedCalls: 0 })
    await failure(Promise.resolve(model.streamEvents("Hello", { callbacks, model: "demo/cut-6" })))
    assert.deepInclude(spend.total, { calls: 3, leftCalls: 2, failedCalls: 0 })
    await failure(Promise.resolve(model.streamEvents("Hello", { callbacks, model: "no-such-model" })))
    assert.deepInclude(spend.total, { calls: 3, leftCalls: 2, failedCalls: 1 })
    // One run each, and nothing of them is left open.
    assert.lengthOf(spend.runs, 4)
  })

  it("forgets the earliest runs beyond `maxRuns`, not their sum", async () => {
    const { model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler({ maxRuns: 1 })
    await model.invoke("Hello", { callbacks: [spend] })
    await model.invoke("Hello", { callbacks: [spend] })
    assert.lengthOf(spend.runs, 1)
    assert.strictEqual(spend.calls, 2)
  })

  it("remembers a run that goes on longer than others that are over", async () => {
    const { model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler({ maxRuns: 2 })
    const callbacks = [spend]
    const agent = RunnableLambda.from(async (input: string, config) => {
      await model.invoke(input, config)
      await model.invoke("Hello", { callbacks })
      await model.invoke(input, config)
      await model.invoke("Hello", { callbacks })
    })
    await agent.invoke("Hello", { callbacks })
    assert.deepStrictEqual(
      spend.runs.map(({ calls }) => calls),
      [2, 1]
    )
  })
})

describe("a budget", () => {
  it("ends a run before the next call is sent, in every way to call", async () => {
    const { keyId, model } = await connect(gateway())
    const first = await model.invoke("Hello")
    const costUsd = gatewayDecision(first)?.costUsd ?? 0
    const spend = new GatewaySpendCallbackHandler({ budgetUsd: costUsd })
    const agent = RunnableLambda.from(async (input: string, config) => {
      for (let step = 0; step < 5; step++) await model.invoke(input, config)
    })
    const error = (await failure(agent.invoke("Hello", { callbacks: [spend] }))) as BudgetExceededError
    assert.isTrue(BudgetExceededError.isInstance(error))
    assert.deepInclude(error, { budgetUsd: costUsd, spentUsd: costUsd, runId: spend.runs[0]!.runId })
    const streamed = failure(model.stream("Hello", { callbacks: [spend] }).then(collect))
    assert.isTrue(BudgetExceededError.isInstance(await streamed))
    const events = failure(Promise.resolve(model.streamEvents("Hello", { callbacks: [spend] })))
    assert.isTrue(BudgetExceededError.isInstance(await events))
    // The first to learn the cost, and the one that the budget was for.
    assert.lengthOf(await gateway().ledger(keyId), 2)
  })

  it("keeps nothing of a call that it has refused", () => {
    const spend = new GatewaySpendCallbackHandler({ budgetUsd: 0 })
    assert.throws(() => spend.handleChatModelStart({}, [], "run"), BudgetExceededError)
    // Somebody else's end of that run finds nothing open.
    spend.handleLLMError(new Error("refused"), "run")
    assert.lengthOf(spend.runs, 0)
  })

  it("of each run leaves the next run its own", async () => {
    const { model } = await connect(gateway())
    const spend = new GatewaySpendCallbackHandler({ runBudgetUsd: 0.000_000_001 })
    const twice = RunnableLambda.from(async (input: string, config) => {
      await model.invoke(input, config)
      await model.invoke(input, config)
    })
    for (const _ of [1, 2]) {
      assert.isTrue(BudgetExceededError.isInstance(await failure(twice.invoke("Hello", { callbacks: [spend] }))))
    }
    assert.strictEqual(spend.calls, 2)
  })

  it("of nothing lets nothing pass, and one that is no amount is refused", async () => {
    const { model } = await connect(gateway())
    const none = new GatewaySpendCallbackHandler({ budgetUsd: 0 })
    assert.isTrue(BudgetExceededError.isInstance(await failure(model.invoke("Hello", { callbacks: [none] }))))
    for (const budgetUsd of [-1, Number.NaN]) {
      assert.throws(() => new GatewaySpendCallbackHandler({ budgetUsd }), GatewayConfigurationError, "`budgetUsd`")
    }
  })
})
