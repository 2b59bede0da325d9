import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { pairIn } from "../../../src/router/evaluation/Pair.ts"
import { readOutcomes } from "../../../src/router/Outcomes.ts"

const rowsOf = (outcomes: object, count = 4) =>
  readOutcomes(Array.from({ length: count }, () => JSON.stringify({ prompt: "x", outcomes })).join("\n")).rows

const three = {
  cheap: { quality: 0.5, cost_usd: 1 },
  worst: { quality: 0.1, cost_usd: 2 },
  best: { quality: 0.9, cost_usd: 9 }
}
const found = (...args: Parameters<typeof pairIn>) => Result.getOrElse(pairIn(...args), (why) => why)

describe("pairIn", () => {
  it("sets the best against the cheapest, or against the worst where costs are not known", () => {
    assert.deepStrictEqual(found(rowsOf(three)), { weak: "cheap", strong: "best" })
    const { best, cheap, worst } = three
    assert.deepStrictEqual(found(rowsOf({ best, cheap, worst: { quality: worst.quality } })), {
      weak: "worst",
      strong: "best"
    })
  })

  it("takes what is named, and the rest by the same rule", () => {
    assert.deepStrictEqual(found(rowsOf(three), { weak: "best" }), { weak: "best", strong: "cheap" })
    assert.deepStrictEqual(found(rowsOf(three), { strong: "cheap" }), { weak: "worst", strong: "cheap" })
    assert.match(
      String(found(rowsOf(three), { weak: "tiny" })),
      /^no row has an outcome of "tiny"; there are best, cheap, worst$/
    )
    assert.match(String(found(rowsOf(three), { weak: "best", strong: "best" })), /can't be both/)
  })

  it("leaves out a deployment that answered seldom, unless it is named", () => {
    const rows = [...rowsOf({ cheap: three.cheap, worst: three.worst }, 9), ...rowsOf(three, 1)]
    assert.deepStrictEqual(found(rows), { weak: "worst", strong: "cheap" })
    assert.deepStrictEqual(found(rows, { strong: "best" }), { weak: "cheap", strong: "best" })
  })
})
