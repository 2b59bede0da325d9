import { assert, describe, it } from "@effect/vitest"
import { matchesGlob } from "../../../src/core/collections/Glob.ts"
import { nearestNames } from "../../../src/core/collections/NearestNames.ts"
import { seeded } from "../call/Support.ts"

describe("matchesGlob", () => {
  it("takes * for any characters, none included, and all others as they are", () => {
    const yes: ReadonlyArray<readonly [string, string]> = [
      ["*", ""],
      ["*", "openai/gpt-5"],
      ["openai/*", "openai/"],
      ["openai/*", "openai/gpt-5/x"],
      ["*mini", "gpt-5-mini"],
      ["gpt-*-mini", "gpt--mini"],
      ["a*b*c", "a1b2b3c"],
      ["a**b", "ab"],
      ["*a*a*", "aa"]
    ]
    const no: ReadonlyArray<readonly [string, string]> = [
      ["openai/*", "openai"],
      ["openai/*", "xopenai/gpt"],
      ["gpt-5", "gpt-5-mini"],
      ["gpt.5", "gpt-5"],
      ["GPT-5", "gpt-5"],
      ["a*a", "a"],
      ["ab*bc", "abc"],
      ["*a*a*", "a"],
      ["a*b*c", "acb"],
      ["", "x"]
    ]
    for (const [pattern, name] of yes) assert.isTrue(matchesGlob(pattern, name), `${pattern} ~ ${name}`)
    for (const [pattern, name] of no) assert.isFalse(matchesGlob(pattern, name), `${pattern} ~ ${name}`)
  })

  it("agrees with a regular expression", () => {
    const chance = seeded(5)
    const word = (letters: string) => Array.from({ length: chance.below(7) }, () => chance.pick([...letters])).join("")
    for (let i = 0; i < 20_000; i++) {
      const pattern = word("ab**")
      const name = word("ab")
      const expected = new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name)
      assert.strictEqual(matchesGlob(pattern, name), expected, `${pattern} ~ ${name}`)
    }
  })

  it("takes no longer for patterns made to be slow", () => {
    assert.isFalse(matchesGlob("*a".repeat(2_000) + "b", "a".repeat(20_000)))
  })
})

describe("nearestNames", () => {
  const names = ["gpt-5", "gpt-5-mini", "openai/gpt-5-mini", "claude-sonnet-4", "fast"]

  it("offers at most three, nearest first, provider or not, whatever the case", () => {
    assert.deepStrictEqual(nearestNames("gpt5-mini", names), ["gpt-5-mini", "openai/gpt-5-mini"])
    assert.strictEqual(nearestNames("Claude-Sonet-4", names)[0], "claude-sonnet-4")
    assert.strictEqual(nearestNames("fats", names)[0], "fast")
    assert.isAtMost(nearestNames("gpt", [...names, "gpt-1", "gpt-2", "gpt-3"]).length, 3)
  })

  it("offers nothing that is far away, each name once, and takes no time for long names", () => {
    assert.deepStrictEqual(nearestNames("mistral-large", ["fast"]), [])
    assert.deepStrictEqual(nearestNames("fast", ["fast", "fast"]), ["fast"])
    assert.deepStrictEqual(nearestNames("x", []), [])
    assert.isAtMost(nearestNames("y".repeat(100_000), names).length, 3)
  })
})
