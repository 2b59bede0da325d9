/** What `npm run overspend` does, with fewer requests. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPrograms } from "../../../../scripts/postgres/Programs.ts"
import { forTests } from "../../../../scripts/postgres/Server.ts"
import { isSkipped } from "../support/postgres/Databases.ts"
import { overspendRun } from "./OverspendRun.ts"
import { pricedStorm, storms } from "./PricedStorm.ts"

it.live("300 requests at once on a budget with room for 90: exactly 90 are admitted, and nothing stays held", () =>
  Effect.gen(function* () {
    const { outcomes, problems } = yield* overspendRun({ requests: 300, room: 90 })
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(
      outcomes.map(({ admitted, refused, stillReserved }) => ({ admitted, refused, stillReserved })),
      Array.from({ length: outcomes.length }, () => ({ admitted: 90, refused: 210, stillReserved: 0 }))
    )
    assert.lengthOf(outcomes, 8)
  })
)

describe("40 requests at once on a budget with room for 10 of the vendor's bills", () => {
  for (const storm of storms) {
    it.live(`spend no more than it has: ${storm.name}`, () =>
      Effect.gen(function* () {
        const { admitted, problems } = yield* pricedStorm(storm, 40, 10)
        assert.deepStrictEqual(problems, [])
        assert.isAtLeast(admitted, 5)
      })
    )
  }
})

describe.skipIf(isSkipped)("three gateways on one Postgres", () => {
  it.live("nor where three gateways do", (context) =>
    Effect.gen(function* () {
      const programs = yield* Effect.promise(findPrograms)
      if (programs === undefined) return context.skip("needs a Postgres of its own")
      const { outcomes, problems } = yield* overspendRun({
        requests: 200,
        room: 60,
        topology: { nodes: 3, bin: programs.bin, settings: forTests }
      })
      assert.deepStrictEqual(problems, [])
      assert.lengthOf(outcomes, 8)
      for (const { admitted, stillReserved } of outcomes) {
        assert.isAtMost(admitted, 60)
        assert.strictEqual(stillReserved, 0)
      }
    })
  )
})
