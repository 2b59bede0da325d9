/** Documents, help and dashboard use plain words and short sentences. `WordList.ts` has the words. */
import { assert, describe, it } from "@effect/vitest"
import { findingsIn } from "./Findings.ts"
import { sources } from "./Sources.ts"

const checked = ["documents", "help", "dashboard"] as const

describe("the words of", () => {
  for (const kind of checked) {
    it(`${kind} are not on the word list, and no sentence has more than 30 words`, async () => {
      const texts = await sources[kind]()
      assert.isAbove(texts.length, 0)
      assert.deepStrictEqual(texts.flatMap(findingsIn), [])
    })
  }
})

describe("the check of words", () => {
  const find = (text: string) => findingsIn({ name: "page.md", text })

  it("finds a listed word in prose, in a table and in a heading", () => {
    assert.match(find("The gateway answers.")[0] ?? "", /^page\.md:1 "answers" \(use: response, respond\)/)
    assert.lengthOf(find("| a | b |\n|---|---|\n| nobody | told |"), 2)
    assert.lengthOf(find("# The house\n\nText."), 1)
  })

  it("ignores code, addresses and names in backticks", () => {
    assert.deepStrictEqual(
      find("Read `idempotency_answer_too_large` at https://example.com/answer.\n\n```sh\nasked\n```"),
      []
    )
  })

  it("finds a sentence of 31 words, and counts a name in backticks as one", () => {
    const words = (count: number) => `${Array.from({ length: count }, () => "word").join(" ")}.`
    assert.deepStrictEqual(find(words(30)), [])
    assert.lengthOf(find(words(31)), 1)
    assert.deepStrictEqual(find(`${words(29)} \`a b c\` ${words(28)}`), [])
  })

  it("finds a page of 301 lines, unless a program writes it", () => {
    const page = "Text.\n\n".repeat(151)
    assert.lengthOf(find(page), 1)
    assert.deepStrictEqual(findingsIn({ name: "page.md", text: page, isGenerated: true }), [])
  })

  it("reads help pages and the dashboard", async () => {
    const help = await sources.help()
    assert.isAbove(help.length, 30)
    assert.isTrue(help.every(({ text }) => text.length > 0))
    assert.include(
      sources
        .dashboard()
        .map(({ text }) => text)
        .join("\n"),
      "Requests"
    )
  })
})
