import { assert, describe, it } from "@effect/vitest"
import { classify } from "../../../src/classifier/PromptScore.ts"
import { withoutMaterial } from "../../../src/classifier/features/Material.ts"
import { prose } from "../Prompts.ts"

const spanOf = (text: string) => withoutMaterial(text, { from: 0, to: text.length })

describe("text that is only to be handled", () => {
  it("does not make a summary, a translation or a correction demanding, however long it is", () => {
    for (const task of [
      "Summarise this in two sentences:",
      "Fix the spelling:",
      "Translate into French\n",
      "Übersetze ins Englische:"
    ]) {
      const [short, long] = [classify(`${task} ${prose(3)}`).score, classify(`${task} ${prose(30)}`).score]
      assert.isBelow(long, 0.35, task)
      assert.approximately(long, short, 0.05, task)
    }
    assert.isAbove(classify(prose(30)).score, 0.65)
  })

  it("is told by how the request begins, and by the end of that", () => {
    const whole = (text: string) => assert.strictEqual(spanOf(text).to, text.length, text.slice(0, 30))
    const cut = (text: string) => assert.isBelow(spanOf(text).to, 40, text.slice(0, 30))
    cut(`Summarize: ${prose(4)}`)
    cut(`翻译：${prose(4)}`)
    whole(`Summarize: ${prose(1).slice(0, 100)}`)
    whole(`Vatican history: ${prose(4)}`)
    whole(`Translatability of poems: ${prose(4)}`)
    whole(`Summarise what you know of ${prose(4)}`)
    whole(`What year was it? ${prose(4)}`)
  })

  it("is no program and no formula: to translate those is to write them", () => {
    const code = `def merge(a, b):\n    return [x for x in a if x not in b] + sorted({y: 1 for y in b})\n`.repeat(6)
    const text = `Translate to Rust:\n${code}`
    assert.strictEqual(spanOf(text).to, text.length)
  })
})
