import { assert, describe, it } from "@effect/vitest"
import { SentGroups } from "../../../src/storage/postgres/ledger/SentGroups.ts"

const numbers = (sent: SentGroups) => sent.all().map(({ number }) => number)

const sentAt = (times: ReadonlyArray<number>) => {
  const sent = new SentGroups(30_000)
  for (const [index, at] of times.entries()) sent.add({ number: index + 1, ended: [], statement: "", texts: [], at })
  return sent
}

describe("the groups that were sent lately", () => {
  it("are remembered for so long at least, oldest first", () => {
    const sent = sentAt([0, 400, 1_100, 29_999, 30_900])
    assert.deepStrictEqual(numbers(sent), [1, 2, 3, 4, 5])
  })

  it("are forgotten after that", () => {
    assert.deepStrictEqual(numbers(sentAt([0, 400, 1_100, 32_000])), [3, 4])
    assert.deepStrictEqual(numbers(sentAt([0, 1_100, 90_000])), [3])
  })

  it("outlive a clock that is set back", () => {
    assert.deepStrictEqual(numbers(sentAt([50_000, 10_000, 10_001])), [1, 2, 3])
  })
})
