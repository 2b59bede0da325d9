import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../../src/classifier/PromptScore.ts"
import { withoutPassage } from "../../../src/classifier/features/Passage.ts"
import { prose } from "../Prompts.ts"

const partsOf = (text: string): ReadonlyArray<string> =>
  withoutPassage(text, { from: 0, to: text.length }).map(({ from, to }) => text.slice(from, to))

const QUESTION = "How many men were sent in 1953?"

const about = (passage: string): ReadonlyArray<string> => [
  `Context: ${passage}\n\nQuestion: ${QUESTION}`,
  `Context:\n${passage} Question: ${QUESTION}`,
  `Use only what is given to answer.\n\n### Context:\n${passage}\n\nQuestion: ${QUESTION}`,
  `Question: ${QUESTION}\nContext: ${passage}\nAnswer:`,
  `Document:\n${passage}\n\n${QUESTION}`,
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
    assert.deepStrictEqual(partsOf(`${QUESTION}\nPassage: ${prose(4)}`), [`${QUESTION}\nPassage:`])
    assert.deepStrictEqual(partsOf(`Context: ${prose(4)}\nMen were counted.\nQuestion: who?`), [
      "Context:",
      "Question: who?"
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
      `Context: ${prose(4)}\n\n${QUESTION}`,
      `${QUESTION}\nText: ${prose(4)}`,
      `<document>${prose(4)}</document>\nImplement what is described above.`,
      `Turn this text into a poem:\n${prose(4)}\nWho counts?`,
      `This document service loses readers.\n${prose(4)}\n${QUESTION}`,
      `Read this document service's log.\n${prose(4)}\n${QUESTION}`,
      `Given the following information, find out who is asleep.\n${prose(4)}\nWho is?`,
      `Context: short.\nQuestion: ${QUESTION}`,
      prose(4)
    ]) {
      assert.deepStrictEqual(partsOf(text), [text], text.slice(0, 40))
    }
  })

  it("is not the situation of whoever asks, in any language", () => {
    for (const told of [
      "We run a library in three towns.",
      "I'm the librarian of three towns.",
      "Its readers are my concern.",
      "Wir führen eine Bücherei.",
      "Nous gérons une bibliothèque.",
      "Мы ведём библиотеку.",
      "我们有一个图书馆。"
    ]) {
      for (const text of [
        `Context: ${told} ${prose(4)}\n\nQuestion: ${QUESTION}`,
        `<context>${told} ${prose(4)}</context>\n${QUESTION}`,
        `Document: ${prose(4)} ${told}\n${QUESTION}`
      ]) {
        assert.deepStrictEqual(partsOf(text), [text], text.slice(0, 60))
      }
    }
  })

  it("counts where the question asks for more than reading", () => {
    for (const question of [
      "How would you count them so that none is counted twice?",
      "Which design counts each of them once?",
      "Find every race condition in it.",
      "Give a minimal set of changes that counts each once?",
      "Can you rewrite this as a specification?",
      "Is the argument valid?",
      "What is the best strategy for the next count, and why?",
      "Kannst du eine Zählung entwerfen?",
      "如何设计一次普查？"
    ]) {
      const text = `Context: ${prose(4)}\nQuestion: ${question}`
      assert.deepStrictEqual(partsOf(text), [text], question)
    }
    const options = `Context: ${prose(4)}\nQuestion: The men were\nA. two\nB. there to design it\n`
    assert.lengthOf(partsOf(options), 2)
  })

  it("ends with its own tag, and is looked for in time where there is none", () => {
    const open = `<context>${prose(4)}`
    assert.deepStrictEqual(partsOf(`${open}\n${QUESTION}`), [`${open}\n${QUESTION}`])
    assert.lengthOf(partsOf(`${open}</context>${" ".repeat(60_000)}\n${QUESTION}`), 2)
  })

  it("is no program and no formula: to read those is the work", () => {
    const code = `def merge(a, b):\n    return [x for x in a if x not in b] + sorted({y: 1 for y in b})\n`.repeat(6)
    const text = `Context:\n${code}\nQuestion: what does it print?`
    assert.deepStrictEqual(partsOf(text), [text])
    const log = `Context:\n${prose(12)}\n${code}\nQuestion: what does it print?`
    assert.deepStrictEqual(partsOf(log), [log])
  })
})
