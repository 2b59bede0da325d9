import { assert, describe, it } from "@effect/vitest"
import { stepsOf } from "../../../../bench/router/Effort.ts"
import { ladders, languages, levels } from "../../../../bench/router/Prompts.ts"

describe("the ladders", () => {
  it("are forty of five different rungs", () => {
    assert.strictEqual(ladders.length, 40)
    assert.strictEqual(new Set(ladders.map(({ name }) => name)).size, 40)
    for (const { name, rungs } of ladders) assert.strictEqual(new Set(rungs).size, levels.length, name)
    assert.strictEqual(new Set(ladders.flatMap(({ rungs }) => rungs)).size, 200)
  })

  it("are climbed: nine in ten prompts score higher than the one that asks for less", () => {
    const steps = stepsOf()
    const wrong = steps.filter(({ isInOrder }) => !isInOrder)
    assert.strictEqual(steps.length, 160)
    assert.isAtMost(wrong.length, 16, wrong.map(({ from, ladder }) => `${ladder}: ${levels[from]}`).join("\n"))
  })
})

describe("the languages", () => {
  it("say the same in each", () => {
    const english = languages["en"]!
    assert.isAtLeast(Object.keys(languages).length, 13)
    for (const [code, prompts] of Object.entries(languages)) {
      assert.deepStrictEqual(Object.keys(prompts), [...levels], code)
      for (const level of levels) {
        assert.strictEqual(prompts[level].length, english[level].length, `${code} ${level}`)
        if (code === "en") continue
        for (const prompt of prompts[level]) assert.notInclude(english[level], prompt, code)
      }
    }
  })
})
