import { assert, describe, it } from "@effect/vitest"
import type { StreamEvent } from "../../../src/core/operations/LiftedAnswer.ts"
import { AnswerIds } from "../../../src/providers/pool/UpstreamCalls.ts"

const lifted = (id: unknown, text?: string) => ({ body: { id, object: "chat.completion" }, text, usage: undefined })
const content = (data: object | string): StreamEvent => ({
  kind: "content",
  data: typeof data === "string" ? data : JSON.stringify(data)
})
const dataOf = (event: StreamEvent) => ("data" in event ? JSON.parse(event.data) : assert.fail(event.kind))

describe("AnswerIds", () => {
  it("lets an id pass once, and replaces it from then on, by another one each time", () => {
    const ids = new AnswerIds()
    const first = lifted("a", '{"id":"a","x":"a"}')
    assert.strictEqual(ids.answer(first, "chatcmpl-"), first)
    const told = new Set(["a"])
    for (let n = 0; n < 5; n++) {
      const { body, text } = ids.answer(lifted("a", '{"id":"a","x":"a"}'), "chatcmpl-")
      told.add(String(body["id"]))
      assert.deepStrictEqual(JSON.parse(text!), { id: body["id"], x: "a" })
    }
    assert.strictEqual(told.size, 6)
  })

  it("remembers the last 65,536, and of new ones replaces hardly any", () => {
    const ids = new AnswerIds()
    let replaced = 0
    for (let n = 0; n < 65_536; n++) if (ids.replacementFor(`chatcmpl-${n}`, "chatcmpl-") !== undefined) replaced++
    assert.isBelow(replaced, 400)
    for (let n = 0; n < 65_536; n += 97) assert.isDefined(ids.replacementFor(`chatcmpl-${n}`, "chatcmpl-"), String(n))
    for (let n = 0; n < 60_000; n++) ids.replacementFor(`later-${n}`, "chatcmpl-")
    for (let n = 0; n < 65_536; n += 97) assert.isDefined(ids.replacementFor(`chatcmpl-${n}`, "chatcmpl-"), String(n))
  })

  it("leaves alone what has no id, and text that it can't be sure of", () => {
    const ids = new AnswerIds()
    assert.isUndefined(ids.replacementFor(undefined, "chatcmpl-"))
    assert.isUndefined(ids.replacementFor(7, "chatcmpl-"))
    ids.replacementFor("a", "chatcmpl-")
    const { body, text } = ids.answer(lifted("a", '{"x":{"id":"a"},"id":"a"}'), "chatcmpl-")
    assert.notStrictEqual(body["id"], "a")
    assert.isUndefined(text)
  })

  it("gives all events of a stream the same id, wherever each has it", () => {
    const ids = new AnswerIds()
    ids.replacementFor('odd "id"', "chatcmpl-")
    const own = ids.stream("chatcmpl-")
    const events = [
      content({ id: 'odd "id"', n: 1 }),
      content({ n: 2, nested: { id: 'odd "id"' }, id: 'odd "id"' }),
      content({ id: "another", n: 3 })
    ].map((event) => dataOf(own(event)))
    assert.strictEqual(new Set(events.map(({ id }) => id)).size, 1)
    assert.match(events[0].id, /^chatcmpl-/)
    assert.deepStrictEqual(events[1], { n: 2, nested: { id: 'odd "id"' }, id: events[0].id })
    const other: StreamEvent = { kind: "done" }
    assert.strictEqual(own(other), other)
  })

  it("goes by the first chunk that has an id, and lets a new one pass untouched", () => {
    const ids = new AnswerIds()
    for (let n = 0; n < 2; n++) {
      const own = ids.stream("chatcmpl-")
      const [first, second] = [content({ id: "", n }), content({ id: `azure-${n}`, n })]
      assert.strictEqual(own(first), first)
      assert.strictEqual(own(second), second)
    }
  })
})
