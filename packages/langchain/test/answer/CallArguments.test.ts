/** Arguments of tool calls that are less, or something else, than an object: read the same in every way to call. */
import { assert, describe, it } from "@effect/vitest"
import { load } from "@langchain/core/load"
import { type AIMessage, AIMessageChunk } from "@langchain/core/messages"
import { gatewayDecision } from "../../src/index.ts"
import { collect, failure } from "../support/Model.ts"
import { delta, finish, serving, streaming } from "../support/Sse.ts"

/** A server whose model calls `pay` with these words, and before it `look` with all that it needs, in pieces of three characters. */
const calling = (args: string, reason: string | null = "tool_calls") =>
  serving(async (request, response) => {
    let body = ""
    for await (const piece of request) body += piece
    const calls = [
      { index: 0, id: "first", function: { name: "look", arguments: '{"x":1}' } },
      { index: 1, id: "second", function: { name: "pay", arguments: args } }
    ]
    if (JSON.parse(body).stream !== true) {
      const choices = [{ message: { content: null, tool_calls: calls }, finish_reason: reason }]
      response.writeHead(200, { "content-type": "application/json", "x-gateway-decision": "p/m" })
      return response.end(JSON.stringify({ id: "c1", model: "m", choices }))
    }
    response.writeHead(200, { "content-type": "text/event-stream", "x-gateway-decision": "p/m" })
    for (const { function: made, id, index } of calls) {
      response.write(delta({ tool_calls: [{ index, id, function: { name: made.name, arguments: "" } }] }))
      for (const part of made.arguments.match(/.{1,3}/gs) ?? []) {
        response.write(delta({ tool_calls: [{ index, function: { arguments: part } }] }))
      }
    }
    response.end((reason === null ? "" : finish(reason)) + "data: [DONE]\n\n")
  })

const read = ({ invalid_tool_calls, tool_calls }: AIMessage | AIMessageChunk) => ({
  valid: tool_calls?.map(({ args, id, name }) => [id, name, args]),
  invalid: invalid_tool_calls?.map(({ args, id, name }) => [id, name, args])
})

const look = ["first", "look", { x: 1 }]

describe("a call", () => {
  for (const [what, args, valid] of [
    ["that was cut off in a number", '{"usd":1', undefined],
    ["that was cut off in a text", '{"to":"Ann', undefined],
    ["that was cut off before its end", '{"usd":10,"to":"Ann"', undefined],
    ["of a list", "[1,2]", undefined],
    ["of null", "null", undefined],
    ["of words", "ten dollars", undefined],
    ["without arguments", "", {}],
    ["with an empty object", "{}", {}]
  ] as const) {
    it(`${what} is ${valid === undefined ? "invalid" : "valid"}: invoked, streamed, by the new protocol`, async () => {
      await using server = await calling(args)
      const expected =
        valid === undefined
          ? { valid: [look], invalid: [["second", "pay", args]] }
          : { valid: [look, ["second", "pay", valid]], invalid: [] }
      const message = await server.model().invoke("hi")
      assert.deepStrictEqual(read(message), expected)
      const { whole } = await collect(await server.model().stream("hi"))
      assert.deepStrictEqual(read(whole), expected)
      assert.deepStrictEqual(read(await server.model({ streaming: true }).invoke("hi")), expected)
      const types = ["tool_call", valid === undefined ? "invalid_tool_call" : "tool_call"]
      const output = await server.model().streamEvents("hi")
      for (const one of [message, whole, output]) {
        assert.deepStrictEqual(
          one.contentBlocks.map(({ type }) => type),
          types
        )
      }
      assert.deepStrictEqual(read(output).valid, expected.valid)
    })
  }

  it("that was cut off is invalid where the server does not say why it ended, and in LangChain's newer form", async () => {
    await using server = await calling('{"usd":1', null)
    for (const outputVersion of ["v0", "v1"] as const) {
      const expected = { valid: [look], invalid: [["second", "pay", '{"usd":1']] }
      const { whole } = await collect(await server.model({ outputVersion }).stream("hi"))
      assert.deepStrictEqual(read(whole), expected)
      assert.deepStrictEqual(read(await server.model({ outputVersion, streaming: true }).invoke("hi")), expected)
    }
  })

  it("without an id gets one of its own: invoked, streamed, by the new protocol", async () => {
    const calls = [
      { index: 0, function: { name: "look", arguments: '{"x":' } },
      { index: 1, id: "", function: { name: "look", arguments: '{"x":1}' } },
      { index: 2, id: "third", function: { name: "pay", arguments: '{"usd":1' } },
      { index: 3, id: null, function: { name: "pay", arguments: '{"usd":1' } }
    ]
    const rest = { index: 0, function: { arguments: "1}" } }
    await using streamed = await streaming([
      delta({ tool_calls: calls }),
      delta({ tool_calls: [rest] }),
      finish("length")
    ])
    await using invoked = await serving((_request, response) => {
      const [first, ...others] = calls
      const tool_calls = [{ function: { ...first!.function, arguments: '{"x":1}' } }, ...others]
      const choices = [{ message: { content: null, tool_calls }, finish_reason: "length" }]
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ id: "c1", choices }))
    })
    const { chunks, whole } = await collect(await streamed.model().stream("hi"))
    assert.isTrue(chunks.every(({ id }) => id === "c1"))
    for (const message of [whole, await invoked.model().invoke("hi"), await streamed.model().streamEvents("hi")]) {
      const blocks = message.contentBlocks as ReadonlyArray<{ type: string; id: string; args: unknown }>
      assert.deepStrictEqual(
        blocks.map(({ args, type }) => [type, args]),
        [
          ["tool_call", { x: 1 }],
          ["tool_call", { x: 1 }],
          ["invalid_tool_call", '{"usd":1'],
          ["invalid_tool_call", '{"usd":1']
        ]
      )
      assert.strictEqual(blocks[2]!.id, "third")
      assert.lengthOf(new Set(blocks.map(({ id }) => id)), 4)
      for (const at of [0, 1, 3]) assert.match(blocks[at]!.id, /^call_[0-9a-f]{32}$/)
    }
  })

  it("that was cut off has its id in whatever order the pieces are added", async () => {
    await using server = await calling('{"usd":1', "length")
    const { chunks } = await collect(await server.model().stream("hi"))
    const halved = (some: ReadonlyArray<AIMessageChunk>): AIMessageChunk =>
      some.length === 1 ? some[0]! : halved(some.slice(0, some.length / 2)).concat(halved(some.slice(some.length / 2)))
    const wholes = [
      chunks.reduce((sum, chunk) => sum.concat(chunk)),
      chunks.reduceRight((sum, chunk) => chunk.concat(sum)),
      halved(chunks),
      halved([...chunks, new AIMessageChunk("")])
    ]
    for (const whole of wholes) {
      assert.deepStrictEqual(read(whole), { valid: [look], invalid: [["second", "pay", '{"usd":1']] })
    }
  })

  it("of one answer is not judged by a call of another that it is added to", async () => {
    await using server = await calling('{"usd":10}')
    const answers = [await server.model().stream("hi"), await server.model().stream("hi")]
    const [one, other] = (await Promise.all(answers.map(collect))).map(({ whole }) => whole)
    for (const call of other!.tool_call_chunks!) call.id = `${call.id}-again`
    assert.deepStrictEqual(
      read(one!.concat(other!)).valid?.map(([id, , args]) => [id, args]),
      ["first", "second", "first-again", "second-again"].map((id) => [
        id,
        id.startsWith("first") ? { x: 1 } : { usd: 10 }
      ])
    )
  })

  it("that was cut off stays invalid where the message is stored and read again", async () => {
    await using server = await calling('{"usd":1', "length")
    const { whole } = await collect(await server.model().stream("hi"))
    const again: AIMessageChunk = await load(JSON.stringify(whole))
    assert.strictEqual(again.constructor, AIMessageChunk)
    assert.deepStrictEqual(read(again).valid, [look])
    assert.deepStrictEqual(read(again).invalid?.[0]?.slice(1), ["pay", '{"usd":1'])
    assert.strictEqual(gatewayDecision(again)?.provider, "p")
  })

  it("that is still coming is read as far as it has come", async () => {
    await using server = await calling('{"usd":10,"to":"Ann"}')
    const { chunks } = await collect(await server.model().stream("hi"))
    const half = chunks.slice(0, -2).reduce((sum, chunk) => sum.concat(chunk))
    assert.deepStrictEqual(half.tool_calls?.[1]?.args, { usd: 10, to: "An" })
  })

  it("of structured output that was cut off is an error that shows it, streaming or not", async () => {
    await using server = await calling('{"city":"Ro', "length")
    for (const streaming of [false, true]) {
      const model = server
        .model({ streaming })
        .withStructuredOutput({ type: "object", properties: {} }, { name: "pay" })
      const error = await failure(model.invoke("hi"))
      assert.include(error.message, "`pay`")
      assert.include(error.message, '{"city":"Ro')
    }
  })
})
