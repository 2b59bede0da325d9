import { assert, describe, it } from "@effect/vitest"
import { defaultModel } from "../../../src/classifier/model/Builtin.ts"
import { LATEST, hashOf, kindOfSlot, slotOfHash, wordKinds, wordsOf } from "../../../src/classifier/features/Lexicon.ts"
import { asksNothing, extract, featureNames, featureSigns } from "../../../src/classifier/features/PromptFeatures.ts"
import { Repetition, HEAD, scan, TAIL } from "../../../src/classifier/features/PromptScan.ts"
import { codeTask, greetings, proof, strange } from "../Prompts.ts"

const valueOf = (prompt: string, name: string) => extract(prompt)[featureNames.indexOf(name)]!
const wordsCounted = (prompt: string, kind: (typeof wordKinds)[number]) => scan(prompt).kinds[wordKinds.indexOf(kind)]

describe("the lexicon", () => {
  it("has every word once, as the scanner spells it", () => {
    const all = wordKinds.flatMap(wordsOf)
    assert.strictEqual(new Set(all).size, all.length)
    for (const word of all) assert.match(word, /^[\p{L}\p{M}]+(_[\p{L}\p{M}]+)?$/u)
  })

  /** Of another kind since the second edition. */
  const moved = new Set(["how", "list", "one"])

  it("finds every word by its hash, and none that isn't there", () => {
    for (const [index, kind] of wordKinds.entries()) {
      for (const word of wordsOf(kind).filter((one) => !one.includes("_"))) {
        const slot = slotOfHash(hashOf(word))
        assert.strictEqual(kindOfSlot(slot, moved.has(word) ? 1 : LATEST), index, word)
      }
    }
    for (const word of moved) {
      const slot = slotOfHash(hashOf(word))
      assert.notStrictEqual(kindOfSlot(slot, LATEST), kindOfSlot(slot, 1), word)
    }
    for (const word of ["", "zzz", "proto", "constructor"]) assert.strictEqual(slotOfHash(hashOf(word)), -1, word)
  })
})

describe("scan", () => {
  it("counts words, sentences, lines and numbers", () => {
    const counts = scan("Don't panic. Is 3.14 less than 1,000,000?\n\nIn 1984 she paid $20\n  twice")
    assert.strictEqual(counts.words, 9)
    assert.strictEqual(counts.sentences, 3)
    assert.strictEqual(counts.lines, 3)
    assert.strictEqual(counts.indentedLines, 1)
    assert.strictEqual(counts.numbers, 3)
    assert.strictEqual(counts.decimals, 1)
    assert.strictEqual(counts.longNumbers, 1)
    assert.strictEqual(counts.years, 1)
    assert.strictEqual(counts.moneyMarks, 1)
  })

  it("knows list items and indented lines by how lines begin", () => {
    const counts = scan("Do:\n- one\n2. two\n  three\nfour")
    assert.strictEqual(counts.listLines, 2)
    assert.strictEqual(counts.indentedLines, 1)
    assert.strictEqual(counts.lines, 5)
  })

  it("tells a question from its options, on lines of their own or in one", () => {
    const question = "Which of the 3 fruits is heaviest?"
    for (const options of [
      "\nA. red apples\nB. 12.5\nC. pears",
      " A) red apples B) 12.5 C) pears",
      "\n(A) red apples (B) 12.5\n(C) pears"
    ]) {
      const counts = scan(question + options)
      assert.strictEqual(counts.options, 3, options)
      assert.strictEqual(counts.optionWords, 3, options)
      assert.strictEqual(counts.words, scan(question).words, options)
      assert.strictEqual(counts.numbers, 1, options)
    }
    assert.strictEqual(scan("Which?\nA. apples\nB) 12.5 C. pears").numericOptions, 0)
    assert.strictEqual(scan("Which number is it?\nA. 17\nB. 12.5\nC. none of these").numericOptions, 2)
    assert.strictEqual(scan("How large is it?\nA. 8.62 ft^3\nB. some 17 litres\nC. larger than that").numericOptions, 2)
  })

  it("takes no options for what only looks like them", () => {
    for (const text of [
      "It has vitamin A. So eat it often, they say.",
      `Section A. ${"word ".repeat(200)}. Section B. ${"word ".repeat(200)}`
    ]) {
      assert.strictEqual(scan(text).options, 0)
      assert.isAbove(scan(text).words, 6)
    }
  })

  it("tells options apart though the letter of one is missing", () => {
    const texts = ["five metres", "six metres", "seven metres", "eight metres"]
    const withMarks = (marks: string) =>
      scan(`How long is the pole in the yard?\n${texts.map((text, i) => `${marks[i]}. ${text}`).join("\n")}`)
    for (const marks of ["ABCD", "AsCD", "ABxD"]) {
      assert.strictEqual(withMarks(marks).words, 8, marks)
      assert.isAtLeast(withMarks(marks).options, 3, marks)
    }
    assert.isAtMost(withMarks("xBCD").words, 12)
    assert.strictEqual(withMarks("AxyD").options, 0)
  })

  it("counts what repeats itself once", () => {
    const line = "Ignore this: prove the theorem {x}."
    const once = scan(line)
    for (const text of [Array(150).fill(line).join("\n"), Array(100).fill(line).join(" "), `${line}\n\n  ${line}`]) {
      const counts = scan(text)
      assert.strictEqual(counts.words, once.words)
      assert.deepStrictEqual(counts.kinds, once.kinds)
      assert.strictEqual(counts.visible, once.visible)
    }
    assert.isAtMost(scan("prove ".repeat(900)).kinds[wordKinds.indexOf("proof")]!, 3)
  })

  it("counts what repeats itself once in scripts whose sentences end without a space", () => {
    for (const line of ["证明根号二是无理数。", "それは本当ですか？", "यह प्रश्न का उत्तर दें।", "هل هذا صحيح؟"]) {
      const once = scan(line)
      const counts = scan(line.repeat(100))
      assert.strictEqual(counts.words, once.words, line)
      assert.deepStrictEqual(counts.kinds, once.kinds, line)
    }
  })

  it("knows a sentence by itself, whatever follows it on its line, in any script", () => {
    for (const sentence of ["abc. ", "abc? ", "abc。", "abc？", "abc।", "abc؟", "abc\n"]) {
      const repetition = new Repetition()
      const [first, again] = [`${sentence}one`, `${sentence}two`]
      assert.strictEqual(repetition.skip(first, 0, first.length), 0)
      assert.strictEqual(repetition.skip(again, 0, again.length), sentence.length, sentence)
    }
  })

  it("takes longer quotations for material", () => {
    const quoted = `Who wrote “${"It was a dark and stormy night; the rain fell in torrents. ".repeat(2)}” and when?`
    assert.isAbove(scan(quoted).quoted, 60)
    assert.strictEqual(scan('What does "ibid" mean?').quoted, 0)
  })

  it("counts words in alphabets and scripts that are not Latin", () => {
    assert.strictEqual(scan("Докажите, что корень из двух иррационален.").words, 6)
    assert.strictEqual(wordsCounted("Докажите, что корень из двух иррационален.", "proof"), 1)
    assert.strictEqual(wordsCounted("请证明根号二是无理数,并解释每一步。", "proof"), 1)
    assert.strictEqual(wordsCounted("Démontrez que c'est vrai.", "proof"), 1)
    assert.strictEqual(scan("これは何ですか？").last, 63)
  })

  it("reads words in any case and with apostrophes of either kind", () => {
    assert.strictEqual(wordsCounted("PROVE that. Prove this! proved", "proof"), 2)
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
    assert.strictEqual(counts.length, 999_999)
    assert.isAtMost(counts.words, (HEAD + TAIL) / 2)
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

  it("sees when nothing is asked", () => {
    for (const prompt of ["", "\n \t", ...greetings, "你好", "Bonjour!", "Thank you very much!"]) {
      assert.isTrue(asksNothing(extract(prompt)), prompt)
    }
    for (const prompt of ["👍", "?x", `${" ".repeat(HEAD + 500)}x`, "Hi, why?"]) {
      assert.isFalse(asksNothing(extract(prompt)), prompt)
    }
  })

  it("takes a derivation in mathematics for a proof, in any script, and no other", () => {
    const proofs = (prompt: string) => valueOf(prompt, "proof words")
    for (const prompt of [
      "Derive the quadratic formula.",
      "Give the proof for compact metric spaces that the sequence converges",
      "Montre que racine de 2 est irrationnel",
      "Покажи, что ряд расходится",
      "停止性問題が決定不能であることを示せ"
    ]) {
      assert.isAbove(proofs(prompt), 0, prompt)
    }
    for (const prompt of [
      "Derive our goals from the figures of last year",
      "Demonstrate a function of two numbers in Python",
      "Who has the burden of proof?",
      "Покажи пример"
    ]) {
      assert.strictEqual(proofs(prompt), 0, prompt)
    }
  })

  it("measures how long a word problem is, and nothing else", () => {
    const length = (prompt: string) => valueOf(prompt, "length of a word problem")
    const short = "Tom buys 12 pens at 3 dollars each. How much does he pay?"
    const long = `${short} On the way he spends 5 dollars on a bus and 7 on lunch, and at home he sells half of the pens to his sister for 4 dollars each, who pays him 6 dollars more for the ink. How much money has he spent altogether?`
    assert.isAbove(length(long), length(short))
    assert.isAbove(length(long), 0)
    for (const prompt of ["Why is the sky blue?", codeTask, proof, "Solve $3x^2 - 12x + 7 = 0$ for $x$."]) {
      assert.approximately(length(prompt), 0, 0.05, prompt)
    }
  })

  it("knows designs, proofs and limits by their names, not only as requests", () => {
    for (const [name, prompt] of [
      ["design requests", "parking garage, system design"],
      ["design requests", "Sketch the data model of a lending library."],
      ["proof words", "sum of the first n odd numbers = n^2, give me a proof"],
      ["limits on the answer", "your favourite city, 20 words exactly"],
      ["limits on the answer", "Tell Hamlet. Use precisely 12 words."],
      ["limits on the answer", "Hamlet in twelve words"],
      ["limits on the answer", "Explain gravity in words of one syllable"]
    ] as const) {
      assert.isAbove(valueOf(prompt, name), 0, prompt)
    }
    for (const prompt of [
      "Do you have a proof reader?",
      "Write 1,250 in words",
      "Who said 'the more you know'?",
      "Am I allowed to record phone calls?",
      "What has the council decided?",
      "My bank sent me two letters",
      "What is one word for a lover of books?",
      "Turn 125 from digits to words"
    ]) {
      for (const name of ["proof words", "limits on the answer", "puzzles and riddles"]) {
        assert.strictEqual(valueOf(prompt, name), 0, prompt)
      }
    }
  })

  it("takes no pronoun for a number, no amount for a manner, and no request to list for code", () => {
    assert.strictEqual(wordsCounted("Is leasing one smarter?", "numberWord"), 0)
    assert.strictEqual(wordsCounted("How many legs does a spider have?", "why"), 0)
    assert.strictEqual(wordsCounted("How does a spider walk?", "why"), 1)
    assert.strictEqual(wordsCounted("How do spiders and insects differ?", "why"), 2)
    assert.strictEqual(wordsCounted("Worin unterscheidet sich eine Spinne von einem Insekt?", "why"), 1)
    assert.strictEqual(wordsCounted("List the pros and cons", "computing"), 0)
  })

  it("tells code, maths and scripts apart", () => {
    assert.isAbove(valueOf(codeTask, "code marks"), valueOf(proof, "code marks"))
    assert.isAbove(valueOf(proof, "LaTeX marks"), valueOf(codeTask, "LaTeX marks"))
    assert.isAbove(valueOf(strange.chinese!, "Chinese, Japanese or Korean"), 0.5)
    assert.isAbove(valueOf(strange.arabic!, "other scripts"), 0.5)
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
