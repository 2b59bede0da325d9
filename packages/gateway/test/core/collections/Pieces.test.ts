import { assert, describe, it } from "@effect/vitest"
import { Pieces } from "../../../src/core/collections/Pieces.ts"

const put = (pieces: ReadonlyArray<Uint8Array>): Pieces => {
  const all = new Pieces()
  for (const piece of pieces) all.add(piece)
  return all
}

describe("Pieces", () => {
  it("are one whole, in their order, however many there are", () => {
    for (const count of [0, 1, 2, 255, 256, 257, 512, 1_000]) {
      const pieces = Array.from({ length: count }, (_, index) => Buffer.from(`${index},`))
      const all = put(pieces)
      assert.deepStrictEqual(all.whole(), Buffer.concat(pieces), `${count}`)
      assert.strictEqual(all.size, all.whole().length)
    }
  })

  it("are not copied where there is one", () => {
    const piece = Buffer.from("one")
    assert.strictEqual(put([piece]).whole(), piece)
  })
})
