import { assert, describe, it } from "@effect/vitest"
import { ProviderFailure } from "../../../../src/core/domain/Failures.ts"
import type { StreamEvent } from "../../../../src/core/operations/LiftedAnswer.ts"
import { StreamRelay } from "../../../../src/core/operations/chat/StreamRelay.ts"
import { noUsage } from "../../../../src/core/domain/Usage.ts"

const chunk = (choices: ReadonlyArray<object>, fields: object = {}) =>
  JSON.stringify({ id: "c1", object: "chat.completion.chunk", model: "m", choices, ...fields })

const role: StreamEvent = { kind: "lifecycle", data: chunk([{ index: 0, delta: { role: "assistant" } }]) }
const says = (content: string, index = 0): StreamEvent => ({
  kind: "content",
  data: chunk([{ index, delta: { content } }])
})
const finish = (index = 0): StreamEvent => ({
  kind: "finish",
  data: chunk([{ index, delta: {}, finish_reason: "stop" }])
})
const usage: StreamEvent = {
  kind: "usage",
  data: chunk([], { usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } }),
  usage: { ...noUsage, input: 3, output: 2 }
}
const done: StreamEvent = { kind: "done" }
const malformed: StreamEvent = { kind: "malformed" }
const failed: StreamEvent = {
  kind: "failed",
  failure: new ProviderFailure({ class: "unavailable", status: 200, message: "x", type: null, code: null, param: null })
}

const parsed = (text: string) =>
  text
    .split("\n\n")
    .filter((line) => line !== "")
    .map((line) => {
      assert.isTrue(line.startsWith("data: ") && !line.slice(6).includes("\n"), line)
      return line === "data: [DONE]" ? "[DONE]" : JSON.parse(line.slice(6))
    })

const gateway = { decision: "x/y" }
const counted = { prompt_tokens: 7, completion_tokens: 8, total_tokens: 15 }

describe("StreamRelay", () => {
  it("passes content on as it comes, and holds the finish until the cost is known", () => {
    const relay = new StreamRelay(false, 1)
    assert.lengthOf(parsed(relay.push([role])), 1)
    assert.isFalse(relay.started)
    assert.lengthOf(parsed(relay.push([says("a"), says("b")])), 2)
    assert.isTrue(relay.started)
    assert.strictEqual(relay.push([finish(), usage, done]), "")
    assert.isTrue(relay.isOver)
    relay.close()
    const [last, end] = parsed(relay.last(gateway, 0.5, counted))
    assert.strictEqual(last.choices[0].finish_reason, "stop")
    assert.deepStrictEqual(last.gateway, gateway)
    assert.notProperty(last, "usage")
    assert.strictEqual(end, "[DONE]")
    assert.strictEqual(relay.produced.all().text, "ab")
  })

  it("counts what comes with the finish as produced", () => {
    const relay = new StreamRelay(false, 1)
    relay.push([
      { kind: "finish", data: chunk([{ index: 0, delta: { content: "all of it" }, finish_reason: "stop" }]) }
    ])
    assert.strictEqual(relay.produced.all().text, "all of it")
  })

  it("gives the usage chunk to who asked for it, with the cost, as the last one", () => {
    const relay = new StreamRelay(true, 1)
    relay.push([says("a"), finish(), usage, done])
    relay.close()
    const [finished, last, end] = parsed(relay.last(gateway, 0.5, counted))
    assert.strictEqual(finished.choices[0].finish_reason, "stop")
    assert.notProperty(finished, "gateway")
    assert.deepStrictEqual(last.choices, [])
    assert.deepStrictEqual(last.usage, { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5, cost: 0.5 })
    assert.deepStrictEqual(last.gateway, gateway)
    assert.strictEqual(end, "[DONE]")
  })

  it("makes the usage chunk itself when the provider does not tell, in the answer's own words", () => {
    const relay = new StreamRelay(true, 1)
    relay.push([says("a"), finish(), done])
    relay.close()
    const [, last] = parsed(relay.last(gateway, null, counted))
    assert.deepStrictEqual(last.usage, { ...counted, cost: null })
    assert.deepInclude(last, { id: "c1", object: "chat.completion.chunk", model: "m" })
    assert.deepStrictEqual(last.choices, [])
  })

  it("adds the end mark that the provider left out", () => {
    const relay = new StreamRelay(false, 1)
    relay.push([says("a"), finish()])
    relay.close()
    assert.isUndefined(relay.failure)
    assert.isTrue(relay.last(gateway, 0, counted).endsWith("data: [DONE]\n\n"))
  })

  it("calls an answer without a finish cut, end mark or not", () => {
    for (const events of [[says("a")], [says("a"), usage], [says("a"), done], [done], [], [role]]) {
      const relay = new StreamRelay(false, 1)
      relay.push(events)
      relay.close()
      assert.strictEqual(relay.failure?.class, "truncated")
    }
  })

  it("holds only the last of several finishes", () => {
    const relay = new StreamRelay(false, 2)
    relay.push([says("a", 0), says("b", 1)])
    assert.strictEqual(relay.push([finish(0)]), "")
    const more = parsed(relay.push([says("c", 1)]))
    assert.strictEqual(more[0].choices[0].finish_reason, "stop")
    assert.strictEqual(more[1].choices[0].delta.content, "c")
    assert.strictEqual(relay.push([finish(1), usage, done]), "")
    relay.close()
    assert.isUndefined(relay.failure)
    const [last] = parsed(relay.last(gateway, 0, counted))
    assert.strictEqual(last.choices[0].index, 1)
    assert.deepStrictEqual(last.gateway, gateway)
  })

  it("calls an answer cut when one of its choices has no finish", () => {
    const late = new StreamRelay(false, 2)
    late.push([says("a", 0), finish(0), says("b", 1)])
    late.close()
    assert.strictEqual(late.failure?.class, "truncated")
    const early = new StreamRelay(false, 2)
    early.push([says("a", 0), says("b", 1), finish(0)])
    early.close()
    assert.strictEqual(early.failure?.class, "truncated")
  })

  it("believes a provider that says it is done with fewer choices", () => {
    const relay = new StreamRelay(false, 2)
    relay.push([says("a"), finish(), done])
    relay.close()
    assert.isUndefined(relay.failure)
  })

  it("skips eight events that can't be read, and fails with the ninth", () => {
    const relay = new StreamRelay(false, 1)
    relay.push([says("a"), ...Array.from({ length: 8 }, () => malformed), finish(), done])
    relay.close()
    assert.isUndefined(relay.failure)
    const worse = new StreamRelay(false, 1)
    const text = worse.push([says("a"), ...Array.from({ length: 9 }, () => malformed), says("b"), finish()])
    assert.lengthOf(parsed(text), 1)
    assert.strictEqual(worse.failure?.class, "truncated")
    assert.isTrue(worse.isOver)
  })

  it("says nothing more after an error of the provider", () => {
    const relay = new StreamRelay(false, 1)
    assert.lengthOf(parsed(relay.push([says("a"), failed, says("b"), finish(), done])), 1)
    assert.strictEqual(relay.failure?.class, "unavailable")
    relay.close()
    assert.strictEqual(relay.failure?.class, "unavailable")
  })

  it("carries __proto__ in an event through as data", () => {
    const relay = new StreamRelay(false, 1)
    relay.push([says("a"), { kind: "finish", data: `{"__proto__":{"x":1},"choices":[{"finish_reason":"stop"}]}` }])
    relay.close()
    assert.include(relay.last(gateway, 0, counted), `"__proto__":{"x":1}`)
  })
})
