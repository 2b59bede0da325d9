import { assert, describe, it } from "@effect/vitest"
import { Slots } from "../../../src/core/collections/Slots.ts"

describe("Slots", () => {
  it("gives each a number of its own, and takes it once", () => {
    const slots = new Slots<string>()
    const numbers = ["a", "b", "c"].map((value) => slots.put(value))
    assert.strictEqual(new Set(numbers).size, 3)
    assert.strictEqual(slots.take(numbers[1]!), "b")
    assert.isUndefined(slots.take(numbers[1]!))
    assert.isUndefined(slots.take(99))
    assert.deepStrictEqual(
      numbers.map((number) => slots.take(number)),
      ["a", undefined, "c"]
    )
  })

  it("gives numbers again, so that it is no larger than what ever waited at once", () => {
    const slots = new Slots<number>()
    const first = slots.put(0)
    let most = first
    for (let value = 1; value < 1_000; value++) {
      const number = slots.put(value)
      most = Math.max(most, number)
      assert.strictEqual(slots.take(number), value)
    }
    assert.isAtMost(most, 1)
    assert.strictEqual(slots.take(first), 0)
  })

  it("gives all that wait, and is empty then", () => {
    const slots = new Slots<string>()
    const [a] = [slots.put("a"), slots.put("b"), slots.put("c")]
    slots.take(a)
    assert.deepStrictEqual([...slots.takeAll()].sort(), ["b", "c"])
    assert.lengthOf(slots.takeAll(), 0)
    const again = slots.put("d")
    assert.strictEqual(slots.take(again), "d")
  })
})
