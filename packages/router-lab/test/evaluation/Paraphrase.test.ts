import { assert, describe, it } from "@effect/vitest"
import { mixed, rules } from "../../../../bench/router/Paraphrase.ts"
import { contractions, spellings, synonyms } from "../../../../bench/router/Words.ts"
import { seededRandom } from "../../src/SeededRandom.ts"

const prompt = `If the train travels 60 miles in 2 hours, how fast is it? Explain the answer, please. Don't use \`fast()\` or $x^2$ twice.
\`\`\`python
def colour(start):
    return start  # begin quickly
\`\`\`
A. The first colour
B. The second
C. The third
D. None of the children, because we don't know`

const ruleNamed = (name: string) => rules.find((rule) => rule.name === name)!
const tried = (name: string, text: string): ReadonlyArray<string> => {
  const random = seededRandom(4)
  return Array.from({ length: 40 }, () => ruleNamed(name).apply(text, random))
}

describe("paraphrase rules", () => {
  it("say the same for the same seed and something else for another", () => {
    for (const rule of [...rules, mixed]) {
      const all = (seed: number) => {
        const random = seededRandom(seed)
        return Array.from({ length: 20 }, () => rule.apply(prompt, random))
      }
      assert.deepStrictEqual(all(1), all(1), rule.name)
      if (!["contractions", "spelling"].includes(rule.name)) assert.notDeepEqual(all(1), all(2), rule.name)
    }
  })

  it("each change the prompt, and never its code and formulas", () => {
    for (const rule of [...rules, mixed]) {
      const random = seededRandom(9)
      const said = Array.from({ length: 60 }, () => rule.apply(prompt, random))
      assert.isTrue(
        said.some((text) => text !== prompt),
        rule.name
      )
      for (const text of said) {
        assert.include(
          text.replaceAll(/[ ]+$/gm, ""),
          "```python\ndef colour(start):\n    return start  # begin quickly\n```",
          rule.name
        )
        assert.include(text, "`fast()`", rule.name)
        assert.include(text, "$x^2$", rule.name)
      }
    }
  })

  it("keep the words when they only reorder", () => {
    const words = (text: string) => (text.toLowerCase().match(/\p{L}+/gu) ?? []).toSorted()
    for (const text of tried("reordering", prompt)) assert.deepStrictEqual(words(text), words(prompt))
    assert.isTrue(
      tried("reordering", prompt).some((text) => text.includes("A. The second") || text.includes("A. The third"))
    )
    assert.isTrue(
      tried("reordering", "If it rains in June, the harvest is late.").includes(
        "The harvest is late if it rains in June."
      )
    )
  })

  it("keep the letters when they change case, spaces or marks", () => {
    const letters = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\d]/gu, "")
    for (const name of ["case", "whitespace", "punctuation"]) {
      for (const text of tried(name, prompt)) assert.strictEqual(letters(text), letters(prompt), name)
    }
  })

  it("turn a request and a question into polite ones", () => {
    assert.isTrue(tried("frame", "Write a poem.").includes("Could you please write a poem."))
    assert.isTrue(tried("frame", "What is a mole?").includes("Can you tell me: what is a mole?"))
  })

  it("exchange words in the form and case they were in", () => {
    const said = tried("synonyms", "Big cars start QUICKLY.").join("\n")
    for (const word of ["Large ", " automobiles ", " begin ", " RAPIDLY."]) assert.include(said, word)
    assert.deepStrictEqual(
      [...new Set(tried("contractions", "I don't know what is left"))],
      ["I do not know what's left"]
    )
    assert.deepStrictEqual([...new Set(tried("spelling", "The Color of the centre"))], ["The Colour of the center"])
  })

  it("mistype about two letters in a hundred, none of them in short words", () => {
    const text = "somewhere ".repeat(2_000)
    const random = seededRandom(3)
    const wrong = ruleNamed("typing errors")
      .apply(text, random)
      .split(" ")
      .filter((word) => word !== "somewhere" && word !== "").length
    // 2 % of nine letters: about 166 in a thousand words, a few of which swap two equal letters.
    assert.approximately(wrong / 2_000, 0.166, 0.04)
    assert.strictEqual(ruleNamed("typing errors").apply("to be or not", random), "to be or not")
  })
})

describe("the words", () => {
  it("are a few hundred, and none stands for itself", () => {
    assert.isAbove(synonyms.flat().length, 600)
    for (const group of [...synonyms, ...contractions, ...spellings]) {
      assert.isAbove(group.length, 1, group.join())
      assert.strictEqual(new Set(group).size, group.length, group.join())
      for (const word of group) assert.match(word, /^[\p{L}' -]+$/u)
    }
  })
})
