/** A dozen of the faults that `npm run faults` runs all of, and those in the words of other APIs than OpenAI's. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { faults } from "../faults/Faults.ts"
import { faultsRun } from "../faults/FaultsRun.ts"

it.live(
  "whatever a provider does wrong, the client is told the truth, the books are right and no connection stays open",
  () =>
    Effect.gen(function* () {
      const results = yield* faultsRun({
        faults: faults.filter(({ protocol, short }) => short === true || protocol !== undefined)
      })
      const wrong = results.flatMap(({ fault, problems, tag }) =>
        problems.map((problem) => `${fault.name} (${tag}): ${problem}`)
      )
      assert.deepStrictEqual(wrong, [])
      assert.isAtLeast(results.length, 12 * 6)
      assert.isTrue(results.some(({ isHit }) => isHit))
    })
)
