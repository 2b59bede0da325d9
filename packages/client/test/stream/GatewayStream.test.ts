import { assert, describe, it } from "@effect/vitest"
import { ConnectionError, InvalidAnswerError, StreamInterruptedError } from "../../src/index.ts"
import { closedEarly, failure, gateway, hello, scripted, scriptUrl } from "../support/Servers.ts"

const paced = { ...hello, model: "paced/standard" }

describe("a stream", () => {
  it("text gives the pieces, final the whole of it, in whatever order they are asked", async () => {
    const stream = await gateway().chat.completions.stream(hello)
    let said = ""
    for await (const piece of stream.text) said += piece
    const final = await stream.final()
    assert.strictEqual(final.choices[0]?.message.content, said)
    assert.deepStrictEqual(final.gateway, stream.gateway)
    assert.strictEqual((await stream.final()).choices[0]?.message.content, said)
  })

  it("final gives the whole although some was read before", async () => {
    const stream = await gateway().chat.completions.stream(hello)
    await stream[Symbol.asyncIterator]().next()
    assert.match((await stream.final()).choices[0]?.message.content ?? "", /^Hello! I am “mini”.*serve`\.$/)
  })

  it("is what create gives to a request that asks for one", async () => {
    const stream = await gateway().chat.completions.create({ ...hello, stream: true })
    assert.isTrue((await stream.final()).gateway?.costIsFinal)
  })

  it("has the token counts at its end, unless the request asks for none", async () => {
    const final = await (await gateway().chat.completions.stream(hello)).final()
    const complete = await gateway().chat.completions.create(hello)
    assert.deepStrictEqual(final.usage, complete.usage)
    const silent = { ...hello, stream_options: { include_usage: false } }
    assert.notProperty(await (await gateway().chat.completions.stream(silent)).final(), "usage")
    const prompt = { model: "demo/mini", prompt: "Hello" }
    assert.isAbove((await (await gateway().completions.stream(prompt)).final()).usage?.total_tokens ?? 0, 0)
  })

  it("several choices stay apart", async () => {
    const { choices } = await (await gateway().chat.completions.stream({ ...hello, n: 2 })).final()
    assert.match(choices[0]?.message.content ?? "", /^Hello!/)
    assert.match(choices[1]?.message.content ?? "", /^Hi there!/)
  })

  it("await using closes the connection at the end of its block", async () => {
    const baseUrl = scriptUrl("endless-stream")
    {
      await using stream = await scripted("", { baseUrl }).chat.completions.stream(hello)
      for await (const piece of stream.text) if (piece.includes("a")) break
    }
    assert.isTrue(await closedEarly(baseUrl))
  })

  it("one that was left has no final answer, and says so with what had come", async () => {
    const stream = await gateway().chat.completions.stream(paced)
    for await (const _ of stream) break
    await stream.close()
    const error = await failure(stream.final())
    assert.instanceOf(error, StreamInterruptedError)
    assert.match((error as Error).message, /left before its end/)
  })

  it("the caller's own abort is thrown as it is, before and during a stream", async () => {
    const reason = new Error("enough")
    assert.strictEqual(
      await failure(gateway().chat.completions.stream(paced, { signal: AbortSignal.abort(reason) })),
      reason
    )
    const leave = new AbortController()
    const stream = await gateway().chat.completions.stream(paced, { signal: leave.signal })
    const left = (async () => {
      for await (const _ of stream) leave.abort(reason)
    })()
    assert.strictEqual(await failure(left), reason)
  })

  it("one that breaks off has everything that had come, also in partial", async () => {
    const stream = await gateway().chat.completions.stream({ ...hello, model: "demo/cut-6" })
    const error = await failure(stream.final())
    assert.instanceOf(error, StreamInterruptedError)
    if (!(error instanceof StreamInterruptedError)) return
    assert.match(error.text, /^Hello!/)
    assert.deepInclude((error.partial as { choices: Array<{ message: object }> }).choices[0]?.message, {
      role: "assistant",
      content: error.text
    })
    assert.strictEqual(error.gateway?.costIsFinal, false)
  })

  it("a whole answer in its place is an error, and so is nothing at all", async () => {
    assert.instanceOf(await failure(scripted("ok").chat.completions.stream(hello)), InvalidAnswerError)
    assert.instanceOf(await failure(scripted("reset").chat.completions.stream(hello)), ConnectionError)
  })

  it("changes no other object, whatever its events are called", async () => {
    const final = await (await scripted("odd-places").chat.completions.stream(hello)).final()
    assert.strictEqual(final.choices[0]?.message.content, "Once")
    assert.notProperty({}, "polluted")
  })

  it("loses nothing to two readers who wait at once", async () => {
    const event = (content: string) =>
      `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`
    const pieces = [event("a") + event("b"), event("c") + event("d"), "data: [DONE]\n\n"]
    const body = new ReadableStream({
      start: (controller) => {
        for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
        controller.close()
      }
    })
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } })
    const stream = await scripted("", { fetch }).chat.completions.stream(hello)
    const [first, second] = await Promise.all([text(stream.text), text(stream.text)])
    assert.strictEqual([...first, ...second].toSorted().join(""), "abcd")
    assert.strictEqual((await stream.final()).choices[0]?.message.content, "abcd")
  })
})

const text = async (pieces: AsyncIterable<string>): Promise<string> => {
  let said = ""
  for await (const piece of pieces) said += piece
  return said
}
