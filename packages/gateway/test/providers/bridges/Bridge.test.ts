import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { UpstreamCall } from "../../../src/core/pool/Protocol.ts"
import { type Bridge, dialectFor, operationsOf } from "../../../src/providers/bridges/Bridge.ts"
import { OpenAiChat, OpenAiProtocol } from "../../../src/providers/protocols/openai/OpenAiProtocol.ts"
import { callOf, chunk } from "../protocols/openai/Support.ts"

/** `{ "model": …, "ask": "…" }`, answered with `{ "said": "…" }`. */
const asks: Bridge = {
  from: "ask",
  to: "chat",
  down: (call) => {
    const { ask, ...rest } = call.request.body
    const body = { ...rest, messages: [{ role: "user", content: ask }] }
    return Result.succeed({ ...call, operation: "chat", request: { ...call.request, body } })
  },
  up: ({ body, ...answer }) => {
    const [choice] = body["choices"] as ReadonlyArray<{ readonly message: { readonly content: string } }>
    return { ...answer, text: undefined, body: { said: choice?.message.content } }
  },
  upStream: () => ({
    push: (event) =>
      event.kind === "content"
        ? [{ kind: "content", data: JSON.stringify({ saying: JSON.parse(event.data).choices[0].delta.content }) }]
        : [event],
    end: () => [{ kind: "lifecycle", data: '{"said":true}' }]
  })
}

const asking: UpstreamCall = { ...callOf({ model: "m", ask: "Why?", stream: true }), operation: "ask" }

const bridged = (operation: string) =>
  dialectFor(OpenAiProtocol.speaks, [asks], operation) ?? assert.fail("no dialect for the operation")

describe("dialectFor", () => {
  it("is the protocol's own where it has the operation, and nothing where no bridge leads there", () => {
    assert.strictEqual(dialectFor(OpenAiProtocol.speaks, [{ ...asks, from: "chat" }], "chat"), OpenAiChat)
    assert.isUndefined(dialectFor(OpenAiProtocol.speaks, [asks], "divination"))
    assert.isUndefined(dialectFor(OpenAiProtocol.speaks, [{ ...asks, to: "divination" }], "ask"))
    assert.deepStrictEqual(
      operationsOf(new Map([["chat", OpenAiChat]]), [asks, { ...asks, from: "no", to: "divination" }]),
      new Set(["chat", "ask"])
    )
  })

  it("leads over a further bridge where no single one leads to the protocol, and never in a circle", () => {
    const begs: Bridge = {
      ...asks,
      from: "beg",
      to: "ask",
      down: (call) => Result.succeed({ ...call, operation: "ask" })
    }
    const back: Bridge = { ...asks, from: "ask", to: "beg" }
    const dialect = dialectFor(OpenAiProtocol.speaks, [begs, back, asks], "beg") ?? assert.fail("no dialect")
    const wire = Result.getOrThrow(dialect.lower({ ...asking, operation: "beg" }))
    assert.deepInclude(JSON.parse(wire.body), { messages: [{ role: "user", content: "Why?" }] })
    assert.deepStrictEqual(
      operationsOf(new Map([["chat", OpenAiChat]]), [begs, back, asks]),
      new Set(["chat", "beg", "ask"])
    )
    assert.deepStrictEqual(operationsOf(new Map([["chat", OpenAiChat]]), [begs, back]), new Set(["chat"]))
  })

  it("takes the request down and the answer up, usage unchanged", () => {
    const dialect = bridged("ask")
    const wire = Result.getOrThrow(dialect.lower(asking))
    assert.deepInclude(JSON.parse(wire.body), { messages: [{ role: "user", content: "Why?" }] })
    assert.notProperty(JSON.parse(wire.body), "ask")
    const message = { role: "assistant", content: "Because." }
    const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const text = JSON.stringify({ id: "a", choices: [{ index: 0, message, finish_reason: "stop" }], usage })
    const answer = Result.getOrThrow(dialect.lift(text, asking))
    assert.deepStrictEqual(answer.body, { said: "Because." })
    assert.deepInclude(answer.usage, { input: 3, output: 2 })
    assert.isTrue(Result.isFailure(dialect.lift("<html>", asking)))
  })

  it("takes a stream up event by event, and says what is still to be said at its end", () => {
    const lifter = bridged("ask").stream(asking)
    const data = JSON.stringify(chunk({ content: "Be" }))
    assert.deepStrictEqual(lifter.push({ kind: "", data }), [{ kind: "content", data: '{"saying":"Be"}' }])
    assert.deepStrictEqual(lifter.push({ kind: "", data: "[DONE]" }).at(-1), { kind: "done" })
    assert.deepStrictEqual(lifter.end(), [{ kind: "lifecycle", data: '{"said":true}' }])
  })
})
