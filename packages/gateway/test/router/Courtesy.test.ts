import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../src/router/Classifier.ts"
import { withoutCourtesy } from "../../src/router/Courtesy.ts"
import { codeTask, competition, proof } from "./Prompts.ts"

const asked = (text: string) => {
  const { from, to } = withoutCourtesy(text)
  return text.slice(from, to)
}

describe("withoutCourtesy", () => {
  it("finds what is asked between greetings, requests and thanks", () => {
    for (const wrapped of [
      "Hi! What is 2 + 2?",
      "  Good morning, could you please tell me: What is 2 + 2?  ",
      "What is 2 + 2? Thanks in advance for your help!",
      "What is 2 + 2? Please.\n",
      "Hello there. I have a question. What is 2 + 2? Thank you!",
      "I’d like to know, What is 2 + 2?",
      "Bonjour, What is 2 + 2? Merci d'avance.",
      "Hallo! What is 2 + 2?"
    ]) {
      assert.strictEqual(asked(wrapped), "What is 2 + 2?", wrapped)
    }
    assert.strictEqual(asked("请证明根号二是无理数。谢谢"), "证明根号二是无理数。")
  })

  it("leaves nothing of a greeting", () => {
    for (const text of ["hi", "Hello, how are you?", "THANK YOU!!", "Guten Morgen", "Привет!", "こんにちは"]) {
      assert.strictEqual(asked(text), "", text)
    }
  })

  it("takes no words for courtesies that only begin like them", () => {
    for (const text of [
      "History of Rome?",
      "Okinawa lies where?",
      "Solve x = 2",
      "Yoga or pilates?",
      "Wellington or Auckland?",
      "What pleased them?"
    ]) {
      assert.strictEqual(asked(text), text)
    }
  })

  it("reads no further than it must", () => {
    const long = "please ".repeat(100_000)
    assert.isAbove(asked(long).length, long.length - 500)
    assert.deepStrictEqual(withoutCourtesy(""), { from: 0, to: 0 })
    assert.deepStrictEqual(withoutCourtesy(" "), { from: 1, to: 1 })
  })
})

describe("a courtesy", () => {
  it("changes no score", () => {
    for (const prompt of [codeTask, competition, proof, "What is the capital of France?"]) {
      for (const wrapped of [`Hi! ${prompt}`, `Could you please help me? ${prompt}`, `${prompt}\n\nThanks!`]) {
        assert.strictEqual(classify(wrapped).score, classify(prompt).score, wrapped.slice(0, 40))
      }
    }
  })
})
