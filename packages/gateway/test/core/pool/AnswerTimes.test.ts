import { assert, describe, it } from "@effect/vitest"
import { AnswerTimes } from "../../../src/core/pool/Health.ts"

/** A model that starts after a second and writes 20 tokens a second. */
const took = (tokens: number) => 1_000 + tokens * 50

const after = (...sizes: ReadonlyArray<number>) => {
  const times = new AnswerTimes()
  for (const size of sizes) times.add(took(size), size)
  return times
}

describe("AnswerTimes", () => {
  it("knows nothing of one that never answered, and waits all the same for what was asked for", () => {
    const times = new AnswerTimes()
    assert.strictEqual(times.longestFor(undefined), 0)
    assert.isUndefined(times.usualFor(100))
    assert.isAtLeast(times.longestFor(4_000), 4_000 * 50)
  })

  it("gives every answer the time it needs, whatever those before were like", () => {
    for (const history of [[5], [40, 40, 40], [2_000], [1, 10, 100, 1_000], Array.from({ length: 200 }, () => 300)]) {
      const times = after(...history)
      for (const asked of [1, 50, 500, 5_000, 50_000]) {
        const limit = times.longestFor(asked)
        assert.isAbove(limit, took(asked), `${history.length} answers of ${history[0]}, ${asked} asked for`)
        // A model that answers three words in a second may be a slow one: that is all there is to know of it.
        assert.isBelow(limit, took(asked) * 8, `${history.length} answers of ${history[0]}, ${asked} asked for`)
      }
    }
  })

  it("takes an answer that nobody limited for no more than four of the longest", () => {
    const times = after(100, 500, 20)
    assert.strictEqual(times.longestFor(undefined), times.longestFor(2_000))
    assert.strictEqual(times.usualFor(undefined), times.longestFor(2_000))
    assert.strictEqual(times.usualFor(64_000), times.longestFor(2_000))
    assert.strictEqual(times.usualFor(100), times.longestFor(100))
  })

  it("is not misled by a few slow ones, and follows when it becomes slow for good, and quick again", () => {
    const times = after(...Array.from({ length: 64 }, () => 200))
    const before = times.longestFor(1_000)
    for (let i = 0; i < 3; i++) times.add(took(200) * 20, 200)
    for (let i = 0; i < 61; i++) times.add(took(200), 200)
    assert.strictEqual(times.longestFor(1_000), before)
    for (let i = 0; i < 64; i++) times.add(took(200) * 3, 200)
    assert.closeTo(times.longestFor(1_000), before * 3, 3)
    for (let i = 0; i < 64; i++) times.add(took(200), 200)
    assert.strictEqual(times.longestFor(1_000), before)
  })
})
