import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../../src/classifier/PromptScore.ts"
import { withoutCourtesy } from "../../../src/classifier/small-talk/Courtesy.ts"
import { codeTask, competition, proof } from "../Prompts.ts"

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

  it("knows courtesies by what they are made of, in many languages", () => {
    for (const text of [
      "heyyy, hope you are having a lovely week :)",
      "Dear Ms. Ito,\n\nthank you so much for your patience.\n\nKind regards,\nAna Lima",
      "**Good morning, team!** 👋",
      "- hi\n- nice to meet you",
      "evening all",
      "Hello, it's me again",
      "Would it be possible to get some help with this?",
      "Hallo Herr Weiß, ich hoffe, es geht Ihnen gut.",
      "Bonjour à tous, j'espère que vous allez bien",
      "¡Hola! ¿Cómo estás?",
      "Olá, tudo bem com você?",
      "Добрый вечер, коллеги!",
      "مرحباً، كيف حالك اليوم؟",
      "नमस्ते जी, आप कैसे हैं?",
      "大家早上好呀",
      "いつもお世話になっております。"
    ]) {
      assert.strictEqual(asked(text), "", text)
    }
    for (const wrapped of [
      "Hi Anna, sorry to bother you, but name three rivers",
      "If it's not too much trouble: name three rivers",
      "To whom it may concern, name three rivers, if you would be so kind",
      "name three rivers I'd appreciate your help"
    ]) {
      assert.strictEqual(asked(wrapped), "name three rivers", wrapped)
    }
    assert.strictEqual(asked("Where is Rome?\nMany thanks and best wishes,\nJ. Keller"), "Where is Rome?")
  })

  it("leaves what is asked in the words of a courtesy", () => {
    for (const text of [
      "This question refers to the following table.",
      "How many days are in a week?",
      "What is a good day to plant trees?",
      "Where do friends meet every day?",
      "print('hello')",
      "one more thing about rivers",
      "哈利波特是谁"
    ]) {
      assert.strictEqual(asked(text), text)
    }
  })

  it("leaves a request in courteous words where nothing else is asked", () => {
    for (const text of [
      "help me find a good doctor",
      "Ask me a question",
      "farewell message for my colleagues",
      "merry christmas or happy christmas?",
      "I am so happy today",
      "was it a good year",
      "meeting minutes",
      "days to christmas",
      "testing",
      "Hope",
      "mind",
      "Weekend",
      "Liebe",
      "placer",
      "Помощь"
    ]) {
      assert.strictEqual(asked(text), text)
    }
    for (const [text, request] of [
      ["Hi! Wish my team a merry christmas", "Wish my team a merry christmas"],
      ["Hello, are you a bot?", "are you a bot?"],
      ["please answer my question", "answer my question"],
      ["could you give me the answer?", "give me the answer?"],
      ["One more, please", "One more"],
      ["Bitte helfen", "helfen"],
      ["请帮忙", "帮忙"]
    ] as const) {
      assert.strictEqual(asked(text), request, text)
    }
  })

  it("leaves thanks that are spoken of", () => {
    for (const text of ["How do I say thank you?", "write a thank you message", "как сказать спасибо"]) {
      assert.strictEqual(asked(text), text)
    }
    assert.strictEqual(asked("please name this thank you"), "name this")
    assert.strictEqual(asked("The capital of France is the Thanks!"), "The capital of France is the")
  })

  it("takes no words for courtesies that only begin like them", () => {
    for (const text of [
      "History of Rome?",
      "Okinawa lies where?",
      "Solve x = 2",
      "Yoga or pilates?",
      "Hi-C analysis of 50M cells",
      "hello()",
      "thanks(1)",
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
