import { assert, beforeAll, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { get_encoding } from "tiktoken"
import { exactTokens, loadTokenizer } from "../../../../src/core/operations/Tokens.ts"
import { LONGEST, tokensIn } from "../../../../src/core/operations/tokens/BytePairs.ts"
import type { Vocabulary } from "../../../../src/core/operations/tokens/Vocabulary.ts"

const root = join(import.meta.dirname, "..", "..", "..", "..", "..", "..")

let vocabulary: Vocabulary
beforeAll(async () => {
  vocabulary = await Effect.runPromise(loadTokenizer)
})

const o200k = get_encoding("o200k_base")

/** OpenAI's own count. */
const counted = (text: string): number => o200k.encode(text, [], []).length

/** Pieces as long as may be, the last one shorter; surrogate pairs stay whole. */
const pieces = (text: string): ReadonlyArray<string> => {
  const found: Array<string> = []
  let piece = ""
  for (const character of text) {
    if (piece.length + character.length > LONGEST) {
      found.push(piece)
      piece = ""
    }
    piece += character
  }
  return piece === "" ? found : [...found, piece]
}

/** Pieces of which the two have other counts. */
const disputed = (text: string): ReadonlyArray<string> =>
  pieces(text).filter((piece) => tokensIn(piece, vocabulary) !== counted(piece))

const random = (seed: number) => () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32

const scrambled = (seed: number, length: number, character: (next: () => number) => string): string => {
  const next = random(seed)
  return Array.from({ length }, () => character(next)).join("")
}

describe("tokens of o200k", () => {
  it("are as many as another program counts in prose, code and data", () => {
    for (const file of ["README.md", "package.json", "packages/gateway/src/core/call/Gateway.ts"]) {
      assert.isEmpty(disputed(readFileSync(join(root, file), "utf8")))
    }
  })

  it("are as many in other scripts, signs, numbers, blanks and contractions", () => {
    assert.isEmpty(disputed("東京に行きます。これは日本語のテストです 안녕하세요 Привет мир مرحبا بالعالم नमस्ते दुनिया"))
    assert.isEmpty(disputed("👩‍👩‍👧‍👦 🇩🇪 e\u0301 ǅ ﬃ 12345678901234567890 3.14e-10 !!!???///\r\n\r\n \t\n    x \n\n"))
    // Signs without width. gpt-tokenizer 4.0.0 counts the last one as two tokens.
    assert.isEmpty(disputed("a\u0310\u200b\u200d\ufeff".repeat(50)))
    assert.isEmpty(
      disputed("I'll we'VE DON'T it's O'Neil's 'tis camelCaseHTTPServer snake_case_name <|endoftext|> <|fim_prefix|>")
    )
  })

  it("are as many in what no one writes", () => {
    assert.isEmpty(disputed(scrambled(1, 4_000, (next) => String.fromCharCode(32 + next() * 95))))
    assert.isEmpty(disputed(scrambled(2, 4_000, (next) => String.fromCharCode(97 + next() * 26))))
    assert.isEmpty(disputed(scrambled(3, 2_000, (next) => String.fromCodePoint(Math.floor(next() * 0xd800)))))
    assert.isEmpty(
      disputed(scrambled(4, 2_000, (next) => String.fromCodePoint(0x10000 + Math.floor(next() * 0x10_0000))))
    )
    assert.isEmpty(
      disputed(`${"a".repeat(999)}${" ".repeat(999)}${"\n".repeat(99)}${"=-".repeat(500)}${"\0".repeat(300)}`)
    )
  })

  it("of half a surrogate pair are those of the sign that stands for what is no text", () => {
    assert.strictEqual(tokensIn("\ud83d", vocabulary), tokensIn("\ufffd", vocabulary))
  })

  it.effect("of a long text without blanks are not fewer for its being cut", () =>
    Effect.gen(function* () {
      const text = `x${"\u{13000}".repeat(5_000)}`
      assert.isAtLeast(yield* exactTokens(text), counted(text))
    })
  )

  it.effect(
    "of texts that repeat themselves are less than two per cent fewer for their being cut, however they are made",
    () =>
      Effect.gen(function* () {
        const signs = [..."aA1 \n\r\t'sT.,=-_/\\{}<>\u00a0\u0301\u200b\u200d\u3000\ufeffßжع한中हि😀👧🏽"]
        const next = random(5)
        for (let count = 0; count < 500; count++) {
          const few = Array.from(
            { length: 1 + Math.floor(next() * 6) },
            () => signs[Math.floor(next() * signs.length)]!
          )
          const unit = Array.from({ length: 1 + Math.floor(next() * 14) }, () => few[Math.floor(next() * few.length)]!)
          const text = unit.join("").repeat(Math.ceil(2_000 / unit.length))
          assert.isAtMost(counted(text), 1.02 * (yield* exactTokens(text)), JSON.stringify(unit.join("")))
        }
      })
  )

  it.effect("of a long text are those of its pieces, with others served in between", () =>
    Effect.gen(function* () {
      const word = " tokenizer"
      assert.strictEqual(yield* exactTokens(word.repeat(20_000)), counted(word) * 20_000)
    })
  )
})
