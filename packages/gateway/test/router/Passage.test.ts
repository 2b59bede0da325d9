import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../src/router/Classifier.ts"
import { withoutPassage } from "../../src/router/Passage.ts"

const prose = (sentences: number): string =>
  Array.from(
    { length: sentences },
    (_, i) =>
      `In 19${50 + i} the council sent ${i + 2} men to count the readers, of whom ${i} were asleep; the report, which they wrote in three copies, was never sent.`
  ).join(" ")

const partsOf = (text: string): ReadonlyArray<string> =>
  withoutPassage(text, { from: 0, to: text.length }).map(({ from, to }) => text.slice(from, to))

const QUESTION = "How many men were sent in 1953?"

const about = (passage: string): ReadonlyArray<string> => [
  `Context: ${passage}\n\nQuestion: ${QUESTION}`,
  `Context:\n${passage} Question: ${QUESTION}`,
  `Use only what is given to answer.\n\n### Context:\n${passage}\n\n${QUESTION}`,
  `<document>\n${passage}\n</document>\n${QUESTION}`,
  `${QUESTION}\n\nPassage: ${passage}`,
  `Read the following passage and answer the question.\n${passage}\n${QUESTION}`,
  `This question refers to the following information.\n${passage}\nThe men of 1953 were\nA. two\nB. five\nC. eight\nAnswer:`,
  `上下文：${passage}\n问题：${QUESTION}`
]

describe("prose that a question is about", () => {
  it("does not make the question demanding, however long it is", () => {
    for (const [i, long] of about(prose(30)).entries()) {
      const short = about(prose(3))[i]!
      assert.isBelow(classify(long).score, 0.35, long.slice(0, 40))
      assert.approximately(classify(long).score, classify(short).score, 0.05, long.slice(0, 40))
    }
    assert.isAbove(classify(prose(30)).score, 0.65)
  })

  it("leaves what stands before and after it, and a hard question hard", () => {
    assert.deepStrictEqual(partsOf(`<context>${prose(4)}</context>\n${QUESTION}`), [
      "<context>",
      `</context>\n${QUESTION}`
    ])
    assert.deepStrictEqual(partsOf(`${QUESTION}\nText: ${prose(4)}`), [`${QUESTION}\nText:`])
    assert.deepStrictEqual(partsOf(`Context: ${prose(4)}\nMen were counted.\nQuestion: why?`), [
      "Context:",
      "Question: why?"
    ])
    const proof = `Context: ${prose(10)}\nQuestion: Can you prove by induction that the number of men grows without bound, for every n?`
    assert.isAbove(classify(proof).score, 0.85)
  })

  it("is not what is given for a task, nor a text without a question", () => {
    for (const text of [
      `Context: ${prose(4)}\nTask: Design a library that counts its own readers.`,
      `Design a library.\nContext: ${prose(4)}`,
      `Read the following passage.\n${prose(4)}`,
      `In this context: ${prose(4)}\n${QUESTION}`,
      `Context: short.\nQuestion: ${QUESTION}`,
      prose(4)
    ]) {
      assert.deepStrictEqual(partsOf(text), [text], text.slice(0, 40))
    }
  })

  it("is no program and no formula: to read those is the work", () => {
    const code = `def merge(a, b):\n    return [x for x in a if x not in b] + sorted({y: 1 for y in b})\n`.repeat(6)
    const text = `Context:\n${code}\nQuestion: what does it print?`
    assert.deepStrictEqual(partsOf(text), [text])
  })
})
