import { assert, describe, it } from "@effect/vitest"
import { asksOrOffers, closing } from "../../../src/classifier/small-talk/SmallTalk.ts"

describe("closing", () => {
  it("takes greetings, thanks and goodbyes for what they are, in many languages, with whatever stands beside them", () => {
    for (const text of [
      "hi",
      "Hello there!",
      "hey, good morning everyone",
      "Guten Morgen",
      "Bonjour !",
      "добрый вечер",
      "你好",
      "こんにちは。",
      "مرحبا",
      "thanks",
      " THANKS!!! ",
      "thx :)",
      "ok thanks",
      "thanks again!",
      "thank you so much for your help!",
      "great, thanks!",
      "no, thanks",
      "that’s all, bye",
      "Vielen Dank für deine Hilfe!",
      "super, danke",
      "D'accord, merci !",
      "¡Muchas gracias!",
      "grazie mille",
      "obrigada 😊",
      "большое спасибо",
      "谢谢你，再见",
      "ありがとうございます。",
      "감사합니다",
      "شكرا جزيلا",
      "תודה רבה",
      "धन्यवाद",
      "Cảm ơn bạn",
      "ขอบคุณครับ"
    ]) {
      assert.strictEqual(closing(text), "courtesy", text)
    }
  })

  it("tells praise from it, which may be a yes", () => {
    for (const text of [
      "great",
      "Perfect!",
      "👍",
      "👍🏽👍🏽",
      "❤️",
      "ok, got it",
      "太好了",
      "sehr gut",
      "wow, nice work"
    ]) {
      assert.strictEqual(closing(text), "praise", text)
    }
  })

  it("takes nothing for it of which anything is left, or that may ask for more", () => {
    for (const text of [
      "",
      " ",
      "?!",
      "ok",
      "yes",
      "yes, thanks",
      "hello?",
      "hi, go on",
      "yes please",
      "sure",
      "do it",
      "continue",
      "go on",
      "please",
      "no",
      "thanks, and now?",
      "thanks, continue",
      "thanks in advance",
      "great, next",
      "great, again!",
      "thanks, and then",
      "perfect, so",
      "that's all?",
      "👍 go",
      "merci, continue",
      "谢谢，继续",
      "__proto__",
      "constructor"
    ]) {
      assert.isUndefined(closing(text), text)
    }
  })
})

describe("asksOrOffers", () => {
  it("looks at the end of an answer for a question or an offer", () => {
    for (const answer of [
      "Shall I prove it?",
      "Möchten Sie mehr?  ",
      "要继续吗？",
      "如果需要，我可以写出来。",
      "Если хотите, запишу его.",
      "Se vuoi, lo scrivo.",
      "Ready when you are.",
      "Let me know and I'll write it down."
    ]) {
      assert.isTrue(asksOrOffers(answer), answer)
    }
    assert.isFalse(asksOrOffers("That is the proof."))
    assert.isFalse(asksOrOffers(`What is a prime? ${"It is a number with two divisors. ".repeat(20)}`))
    assert.isFalse(asksOrOffers(""))
  })
})
