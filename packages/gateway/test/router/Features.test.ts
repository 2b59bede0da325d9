import { assert, describe, it } from "@effect/vitest"
import { defaultModel } from "../../src/router/DefaultModel.ts"
import { extract, featureNames, featureSigns } from "../../src/router/Features.ts"
import { hashStep, HASH_START, kindOfHash, wordKinds, wordsOf } from "../../src/router/Lexicon.ts"
import { HEAD, isBlank, scan, TAIL } from "../../src/router/Scan.ts"
import { codeTask, greetings, proof, strange } from "./Prompts.ts"

const valueOf = (prompt: string, name: string) => extract(prompt)[featureNames.indexOf(name)]!
const wordsCounted = (prompt: string, kind: (typeof wordKinds)[number]) => scan(prompt).kinds[wordKinds.indexOf(kind)]

describe("the lexicon", () => {
  it("has every word once, as the scanner spells it", () => {
    const all = wordKinds.flatMap(wordsOf)
    assert.strictEqual(new Set(all).size, all.length)
    for (const word of all) assert.match(word, /^[a-z]+$/)
  })

  it("finds every word by its hash, and none that isn't there", () => {
    const hash = (word: string) => [...word].reduce((sum, letter) => hashStep(sum, letter.charCodeAt(0)), HASH_START)
    for (const [index, kind] of wordKinds.entries()) {
      for (const word of wordsOf(kind)) assert.strictEqual(kindOfHash(hash(word)), index, word)
    }
    for (const word of ["", "zzz", "proto", "constructor"]) assert.strictEqual(kindOfHash(hash(word)), -1, word)
  })
})

describe("scan", () => {
  it("counts words, sentences, lines and numbers", () => {
    const counts = scan("Don't panic. Is 3.14 less than 1,000,000?\n\nIn 1984 she paid $20\n  twice")
    assert.strictEqual(counts.words, 9)
    assert.strictEqual(counts.sentences, 3)
    assert.strictEqual(counts.lines, 3)
    assert.strictEqual(counts.indentedLines, 1)
    assert.strictEqual(counts.numbers, 4)
    assert.strictEqual(counts.decimals, 1)
    assert.strictEqual(counts.longNumbers, 1)
    assert.strictEqual(counts.years, 1)
    assert.strictEqual(counts.moneyMarks, 1)
  })

  it("knows options and list items by how their lines begin", () => {
    const counts = scan("Which?\nA. apples\nB) 12.5\n(not C. this)\n- one\n2. two\nI am no option")
    assert.strictEqual(counts.optionLines, 2)
    assert.strictEqual(counts.numericOptions, 1)
    assert.strictEqual(counts.optionLength, "apples".length + "12.5".length)
    assert.strictEqual(counts.listLines, 2)
  })

  it("reads words in any case and with apostrophes of either kind", () => {
    assert.strictEqual(wordsCounted("PROVE that. Prove this! proved", "maths"), 2)
    assert.strictEqual(wordsCounted("Don't, don’t, dont", "negation"), 3)
  })

  it("counts the same with either kind of line ending", () => {
    for (const prompt of [proof, codeTask, "one\n\ntwo\n\n\nthree"]) {
      const [unix, windows] = [scan(prompt), scan(prompt.replaceAll("\n", "\r\n"))]
      for (const name of ["words", "lines", "sentences", "indentedLines", "listLines"] as const) {
        assert.strictEqual(windows[name], unix[name], name)
      }
    }
  })

  it("never reads more than its two ends", () => {
    const counts = scan("a b. ".repeat(200_000))
    assert.strictEqual(counts.read, HEAD + TAIL)
    assert.strictEqual(counts.length, 1_000_000)
    assert.isAtMost(counts.words, (HEAD + TAIL) / 2)
  })

  it("takes a prompt for blank only when what is read is", () => {
    assert.isTrue(isBlank("\n \t"))
    assert.isFalse(isBlank(`${" ".repeat(HEAD + 500)}x`))
    assert.isFalse(isBlank("👍"))
  })
})

describe("extract", () => {
  it("gives as many finite numbers as there are names, whatever the prompt", () => {
    for (const prompt of ["", " ", ...greetings, ...Object.values(strange), codeTask]) {
      const values = extract(prompt)
      assert.strictEqual(values.length, featureNames.length)
      assert.isTrue(values.every(Number.isFinite))
    }
  })

  it("tells code, maths and scripts apart", () => {
    assert.isAbove(valueOf(codeTask, "code marks"), valueOf(proof, "code marks"))
    assert.isAbove(valueOf(proof, "LaTeX marks"), valueOf(codeTask, "LaTeX marks"))
    assert.isAbove(valueOf(strange.chinese!, "Chinese, Japanese or Korean"), 0.5)
    assert.isAbove(valueOf(strange.arabic!, "other scripts and accents"), 0.5)
    assert.isAbove(valueOf(strange.emoji!, "emoji"), 0)
    assert.strictEqual(valueOf("It costs $5 and $10", "LaTeX marks"), 0)
  })
})

describe("the committed model", () => {
  it("weighs exactly these features, in this order", () => {
    assert.deepStrictEqual([...defaultModel.linear.names], [...featureNames])
    assert.strictEqual(new Set(featureNames).size, featureNames.length)
  })

  it("keeps each weight on the side that its feature allows", () => {
    for (const [index, name] of defaultModel.linear.names.entries()) {
      assert.isAtLeast(defaultModel.linear.weights[index]! * featureSigns[index]!, 0, name)
    }
  })
})
