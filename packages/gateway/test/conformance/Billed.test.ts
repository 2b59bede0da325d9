import { assert, describe, it } from "@effect/vitest"
import { hasData, sayWhenMissing } from "../support/Transcripts.ts"
import { billedExchanges, isOff } from "./Billed.ts"

sayWhenMissing("what recorded exchanges were billed")

describe.skipIf(!hasData)("what the gateway books for recorded exchanges", () => {
  it("is what the vendor billed, or differs for a known reason", () => {
    // At a time when the recorded models had the prices of today.
    const all = billedExchanges(Date.UTC(2026, 10, 22))
    assert.isAbove(all.length, 30)
    assert.deepStrictEqual(
      all.filter((one) => isOff(one) && one.because === undefined),
      []
    )
    assert.isAbove(all.filter((one) => !isOff(one)).length / all.length, 0.5)
  })
})
