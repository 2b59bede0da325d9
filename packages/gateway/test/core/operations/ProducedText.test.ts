/** What is kept of a stream's events. */
import { assert, describe, it } from "@effect/vitest"
import { ProducedText } from "../../../src/core/operations/ProducedText.ts"
import { KnownChunk } from "../../../src/providers/protocols/openai/answer/OpenAiChatScan.ts"

const chunk = (delta: object, more: object = {}): string =>
  JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: null }], ...more })

const produced = (...events: ReadonlyArray<readonly [string, (string | undefined)?]>) => {
  const all = new ProducedText()
  for (const [data, said] of events) all.add(data, said)
  const { calls, hasThoughts, text } = all.all()
  return { calls, hasThoughts, text }
}

describe("ProducedText", () => {
  it("is the same of events and of their texts, in their order", () => {
    const texts = ["He said ", '"{', '"', "日本語", "\n\\", '"function": {"name": "x"', '"reasoning": "x', "{}"]
    const events = texts.map((text) => [chunk({ content: text })] as const)
    const kept = texts.map((text, n): readonly [string, (string | undefined)?] => [
      chunk({ content: text }),
      n % 3 === 0 ? undefined : JSON.stringify(text)
    ])
    assert.deepStrictEqual(produced(...kept), { calls: 0, hasThoughts: false, text: texts.join("") })
    assert.deepStrictEqual(produced(...kept), produced(...events))
  })

  it("takes a text that can't be read for none, as it does with an event", () => {
    assert.strictEqual(produced(['{"choices":[{"delta":{"content":"a\u0001"}}]}'], ["", '"a\u0001"']).text, "")
  })

  it("reads very long answers on the way", () => {
    const long = "x".repeat(100_000)
    assert.strictEqual(
      produced(...Array.from({ length: 9 }, () => ["", JSON.stringify(long)] as const)).text.length,
      900_000
    )
  })
})

describe("a chunk like an earlier one", () => {
  const matched = (first: string, next: string, key: string) => {
    const place = (text: string) => text.indexOf(`"${key}":`) + key.length + 3
    return KnownChunk.of(first, place(first), first, place(first))?.match(next)
  }

  it("keeps its text alone, where that is all it says", () => {
    for (const text of ["a", "a longer piece of text", '"quoted"\\', "日本語"]) {
      const data = chunk({ content: text })
      assert.deepStrictEqual(matched(chunk({ content: "first" }), data, "content"), {
        kind: "content",
        data,
        said: JSON.stringify(text)
      })
    }
  })

  it("keeps all of it, where it says more", () => {
    for (const more of [
      { reasoning_content: "hm" },
      { refusal: "no" },
      { tool_calls: [{ index: 0, function: { name: "f", arguments: "{" } }] }
    ]) {
      const event = matched(chunk({ content: "a", ...more }), chunk({ content: "b", ...more }), "content")
      assert.strictEqual(event?.kind, "content")
      assert.isUndefined(event?.said)
    }
    const thoughts = matched(chunk({ reasoning_content: "a" }), chunk({ reasoning_content: "b" }), "reasoning_content")
    assert.strictEqual(thoughts?.kind, "content")
    assert.isUndefined(thoughts?.said)
  })
})
