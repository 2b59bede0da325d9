import { assert, describe, it } from "@effect/vitest"
import { SHAPES, shapeOf } from "../../../src/classifier/features/Shape.ts"
import { wordsOf } from "../../../src/classifier/features/Words.ts"

const shape = (text: string): ReadonlyArray<number> => [...shapeOf(text, [0, text.length])]

describe("the shape of options", () => {
  it("tells how many there are, and which have digits, capitals and different lengths", () => {
    const [options, withDigit, capitalized, spread] = shape("Which?\nA. Paris\nB. 12 km\nC) rome\n(D) Berlin 3")
    assert.strictEqual(options, 4)
    assert.strictEqual(withDigit, 0.5)
    assert.strictEqual(capitalized, 0.5)
    assert.isAbove(spread!, 0.1)
    assert.strictEqual(shape("Which?\nA. abcd\nB. efgh")[3], 0)
  })

  it("an option goes on over lines, and the order of equal ones tells nothing", () => {
    assert.deepStrictEqual(shape("Which?\nA. one\nB. two\nand 2"), shape("Which?\nA. two and 2\nB. one"))
  })

  it("no options, one, or letters out of turn are none", () => {
    for (const text of [
      "",
      "A. alone",
      "A cat\nB. sat",
      "B. b\nC. c",
      "a. x\nb. y",
      "A.x\nB.y",
      "A.",
      "see A. and B. there"
    ]) {
      assert.deepStrictEqual(
        shape(text),
        Array.from({ length: SHAPES }, () => 0),
        text
      )
    }
  })

  it("reads on in the second part of a long prompt, and ten options at most", () => {
    const text = `Which?\nA. 1\n${"x".repeat(50)}\nB. 2\nC. 3`
    assert.strictEqual(shapeOf(text, [0, 12, text.length - 9, text.length])[0], 3)
    const many = [..."ABCDEFGHIJKL"].map((letter) => `${letter}. x`).join("\n")
    assert.strictEqual(shape(`Which?\n${many}`)[0], 10)
  })

  it("what goes on after the options for long is not read", () => {
    assert.strictEqual(shape(`Which?\nA. one\nB. two\n${"word ".repeat(150)}\n7`)[1], 0)
  })

  it("comes with the words, courtesies left out", () => {
    const asked = "Which is it?\nA. 12\nB. Paris"
    assert.deepStrictEqual([...wordsOf(`Hello! ${asked}`).shape], [...wordsOf(asked).shape])
    assert.strictEqual(wordsOf(asked).shape[1], 0.5)
  })
})
