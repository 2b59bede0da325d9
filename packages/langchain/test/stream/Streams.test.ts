import { assert, describe, it } from "@effect/vitest"
import type { ServerResponse } from "node:http"
import { type GatewayDecision, gatewayDecision, GatewayTimeoutError, StreamInterruptedError } from "../../src/index.ts"
import { pass, timers, useClock } from "../support/Clock.ts"
import { collect, failure } from "../support/Model.ts"
import { delta, finish, serving, streaming } from "../support/Sse.ts"

const interruption = async (reading: Promise<unknown>): Promise<StreamInterruptedError> => {
  const error = await failure(reading)
  assert.isTrue(StreamInterruptedError.isInstance(error), `${error}`)
  return error as StreamInterruptedError
}

const gatewayHeaders = {
  "x-gateway-decision": "p/m",
  "x-gateway-cost-usd": "0.01",
  "x-gateway-cost-final": "false",
  "x-request-id": "req_1"
}

describe("a stream that breaks is an error with what had arrived", () => {
  const call = delta({ tool_calls: [{ index: 0, id: "call_1", function: { name: "look", arguments: '{"at":' } }] })

  for (const [how, pieces, end, reason] of [
    ["an error event", ['data: {"error":{"message":"no more","code":"upstream_error"}}\n\n'], "end", "no more"],
    ["an error that is a text", ['data: {"error":"no more"}\n\n'], "end", "no more"],
    ["an end without a finish", [], "end", "ended before"],
    ["an event that is no JSON", ["data: {oops\n\n"], "end", "no JSON"],
    ["an event cut in the middle", ['data: {"id":"c1","choi'], "end", "no JSON"],
    ["a connection that breaks", [], "destroy", ""]
  ] as const) {
    it(`${how}`, async () => {
      await using server = await streaming(
        [delta({ content: "Hel" }), delta({ content: "lo" }), call, ...pieces],
        end,
        {
          ...gatewayHeaders
        }
      )
      const decisions: Array<GatewayDecision> = []
      const model = server.model({ onDecision: (decision) => void decisions.push(decision), maxRetries: 3 })
      const error = await interruption(model.stream("hi").then(collect))
      assert.include(error.message, reason)
      assert.strictEqual(error.text, "Hello")
      assert.deepInclude(error.partial?.tool_call_chunks?.[0], { name: "look", args: '{"at":', id: "call_1" })
      assert.deepInclude(error.decision, { deployment: "p/m", costUsd: 0.01, costIsFinal: false, requestId: "req_1" })
      assert.deepStrictEqual(decisions, [error.decision!])
      assert.strictEqual(server.calls(), 1)
      const events = model.streamEvents("hi")
      assert.strictEqual((await interruption(Promise.resolve(events.output))).text, "Hello")
    })
  }

  it("without the key in it, whatever the server repeats", async () => {
    await using server = await streaming(['data: {"error":{"message":"bad key mgw_x"}}\n\n'])
    const error = await interruption(server.model().stream("hi").then(collect))
    assert.notInclude(`${error.message} ${String(error.cause)}`, "mgw_x")
  })

  it("before anything came, too", async () => {
    await using server = await streaming([": hello\n\n"])
    const error = await interruption(server.model().stream("hi").then(collect))
    assert.strictEqual(error.text, "")
    assert.isUndefined(error.partial)
  })
})

describe("a stream of somebody else", () => {
  it("without [DONE], headers or usage is an answer without a decision", async () => {
    await using server = await streaming([delta({ role: "assistant", content: "Hi" }), finish()])
    const { whole } = await collect(await server.model().stream("hi"))
    assert.strictEqual(whole.text, "Hi")
    assert.isUndefined(gatewayDecision(whole))
    assert.strictEqual(whole.response_metadata["finish_reason"], "stop")
  })

  it("of several answers gives the first alone, and all of it", async () => {
    const others = { index: 1, delta: { content: "X" }, finish_reason: "stop" }
    const both = { choices: [{ index: 0, delta: { content: "b" } }, others] }
    const pieces = [`data: ${JSON.stringify({ choices: [others] })}\n\n`, `data: ${JSON.stringify(both)}\n\n`]
    await using server = await streaming([delta({ content: "a" }), ...pieces, delta({ content: "c" }), finish()])
    assert.strictEqual((await collect(await server.model().stream("hi"))).whole.text, "abc")
    await using broken = await streaming([delta({ content: "a" }), ...pieces])
    assert.strictEqual((await interruption(broken.model().stream("hi").then(collect))).text, "ab")
  })

  it("may have events without a piece", async () => {
    const empty = ["[]", "null", '[{"delta":null}]', "[{}]"].map((choices) => `data: {"choices":${choices}}\n\n`)
    await using server = await streaming([empty[0]!, delta({ content: "a" }), ...empty, finish()])
    assert.strictEqual((await collect(await server.model().stream("hi"))).whole.text, "a")
    let text = ""
    for await (const event of server.model().streamEvents("hi")) {
      if (event.event === "content-block-delta") text += (event.delta as { readonly text?: string }).text ?? ""
    }
    assert.strictEqual(text, "a")
  })

  it("without a finish but with [DONE] is whole", async () => {
    await using server = await streaming([delta({ content: "Hi" }), "data: [DONE]\r\n\r\n"])
    assert.strictEqual((await collect(await server.model().stream("hi"))).whole.text, "Hi")
  })

  it("that does not stream gives the whole answer at once", async () => {
    const message = { content: "Hi", tool_calls: [{ id: "c", function: { name: "f", arguments: "{}" } }] }
    await using server = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ id: "c1", model: "m", choices: [{ message, finish_reason: "stop" }] }))
    })
    const { whole } = await collect(await server.model().stream("hi"))
    assert.strictEqual(whole.text, "Hi")
    assert.deepStrictEqual(
      whole.tool_calls?.map(({ id, name }) => [id, name]),
      [["c", "f"]]
    )
  })

  it("that repeats the gateway's object has the decision on one chunk, the last, all the same", async () => {
    const gateway = { decision: "p/m", deployment: "d", bucket: "simple", score: 0.5, retries: 1 }
    const event = (cost: number) =>
      `data: ${JSON.stringify({ id: "c1", model: "m", gateway: { ...gateway, cost_usd: cost }, choices: [] })}\n\n`
    await using server = await streaming([event(0.1), delta({ content: "Hi" }), event(0.2), finish(), event(0.3)])
    const { chunks, whole } = await collect(await server.model().stream("hi"))
    assert.deepStrictEqual(
      chunks.map((chunk) => gatewayDecision(chunk)?.costUsd),
      [undefined, 0.3]
    )
    assert.deepInclude(gatewayDecision(whole), { deployment: "d", costUsd: 0.3, retries: 1, score: 0.5 })
  })

  it("may hold text of any split: characters, events, line ends", async () => {
    const bytes = new TextEncoder().encode(`: x\r\n\r\n${delta({ content: "ä😀" })}${finish()}data: [DONE]\n\n`)
    await using server = await streaming([...bytes].map((byte) => Uint8Array.of(byte)))
    assert.strictEqual((await collect(await server.model().stream("hi"))).whole.text, "ä😀")
  })
})

describe("who leaves a stream", () => {
  it("closes the connection, and is told the decision as far as it is known", async () => {
    await using server = await streaming([delta({ content: "a" }), delta({ content: "b" })], "open", gatewayHeaders)
    const decisions: Array<GatewayDecision> = []
    const stream = server
      .model({ onDecision: (decision) => void decisions.push(decision) })
      ._streamResponseChunks([], {})
    for await (const chunk of stream) if (chunk.text === "a") break
    await server.left
    assert.deepStrictEqual(
      decisions.map(({ costIsFinal, costUsd }) => [costUsd, costIsFinal]),
      [[0.01, false]]
    )
  })

  it("does not wait for the next piece, which may never come", async () => {
    await using server = await streaming([delta({ content: "a" })], "open", gatewayHeaders)
    const decisions: Array<GatewayDecision> = []
    const model = server.model({ onDecision: (decision) => void decisions.push(decision) })
    for await (const chunk of await model.stream("hi")) if (chunk.text === "a") break
    await server.left
    const stream = await model.withConfig({ temperature: 0 }).stream("hi", { signal: new AbortController().signal })
    await stream.next()
    await stream.return()
    assert.lengthOf(decisions, 2)
    for (const version of ["v1", "v2"] as const) {
      for await (const { event } of model.streamEvents("hi", { version })) {
        if (!event.endsWith("_stream")) continue
        // By then LangChain waits for the next event.
        await new Promise((resolve) => setImmediate(resolve))
        break
      }
    }
    assert.lengthOf(decisions, 4)
  })

  it("by a signal, and never touches it again, as chains do, is told the decision once", async () => {
    await using server = await streaming([delta({ content: "a" }) + delta({ content: "b" })], "open", gatewayHeaders)
    const decisions: Array<GatewayDecision> = []
    const model = server.model({ onDecision: (decision) => void decisions.push(decision) })
    const controller = new AbortController()
    const pieces = model._streamIterator("hi", { signal: controller.signal })
    await pieces.next()
    controller.abort()
    await server.left
    assert.deepStrictEqual(
      decisions.map(({ costIsFinal, costUsd }) => [costUsd, costIsFinal]),
      [[0.01, false]]
    )
    await failure(pieces.next())
    assert.lengthOf(decisions, 1)
  })

  it("by a signal gets the signal's reason, in the middle of a silence", async () => {
    await using server = await streaming([delta({ content: "a" })], "open")
    const controller = new AbortController()
    const reading = server
      .model()
      .stream("hi", { signal: controller.signal })
      .then(async (stream) => {
        for await (const _ of stream) controller.abort(new Error("enough"))
      })
    assert.strictEqual((await failure(reading)).message, "enough")
    await server.left
  })
})

describe("silence", () => {
  useClock()
  const timeout = 60_000

  /** A server that says the next piece when it is told to. */
  const onCommand = async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>()
    const server = await serving((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      resolve(response)
    })
    return { server, say: async (piece: string) => void (await promise).write(piece) }
  }

  it("longer than the timeout ends a stream", async () => {
    await using server = await streaming([delta({ content: "a" })], "open")
    const stream = await server.model({ timeout }).stream("hi")
    assert.strictEqual((await stream.next()).value.text, "a")
    let isOver = false
    const ending = interruption(stream.next()).finally(() => void (isOver = true))
    await timers(1)
    await pass(timeout - 1)
    assert.isFalse(isOver)
    await pass(1)
    const error = await ending
    assert.include(error.message, "60000 ms")
    assert.strictEqual(error.text, "a")
    assert.isTrue(GatewayTimeoutError.isInstance(error.cause))
  })

  it("is measured between pieces, not over the whole stream", async () => {
    const { say, server } = await onCommand()
    await using _ = server
    const opening = server.model({ timeout }).stream("hi")
    let text = ""
    for (const letter of ["a", "b", "c", "d", "e"]) {
      await say(delta({ content: letter }))
      text += (await (await opening).next()).value.text
      await timers(1)
      await pass(timeout - 1)
    }
    await say(finish())
    await say("data: [DONE]\n\n")
    for await (const chunk of await opening) text += chunk.text
    assert.strictEqual(text, "abcde")
  })

  it("is the server's: a reader may take its time", async () => {
    await using server = await streaming([delta({ content: "a" }), delta({ content: "b" }), finish()])
    let text = ""
    for await (const chunk of await server.model({ timeout }).stream("hi")) {
      text += chunk.text
      await pass(0)
      await timers(0)
      await pass(2 * timeout)
    }
    assert.strictEqual(text, "ab")
  })

  it("may have no limit, in every way to say so", async () => {
    for (const limit of [0, Infinity, 1e10]) {
      const { say, server } = await onCommand()
      await using _ = server
      const reading = server.model({ timeout: limit }).stream("hi").then(collect)
      await say(delta({ content: "a" }))
      await pass(2 ** 31)
      await say(finish())
      await say("data: [DONE]\n\n")
      assert.strictEqual((await reading).whole.text, "a")
    }
  })
})
