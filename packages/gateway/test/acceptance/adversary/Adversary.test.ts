/** What `npm run overspend -- --adversary` does, with fewer runs. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { adversary } from "./Adversary.ts"
import { play } from "./Run.ts"

it.live(
  "20 runs of callers who try, and 3 through the port: no budget is overspent, and what was told is booked to the nano-dollar",
  () =>
    Effect.gen(function* () {
      // What holds on average needs more runs: `npm run overspend -- --adversary` looks at that.
      const { judged, violations } = yield* adversary({ runs: 20, seed: 1, throughPort: 3 })
      assert.deepStrictEqual(violations, [])
      assert.isAbove(judged.filter(({ outcome }) => outcome === "admitted").length, judged.length / 4)
    })
)

it.live("the same seed plays the same run", () =>
  Effect.gen(function* () {
    const [first, again] = [yield* play(7), yield* play(7)]
    const seen = ({ judged }: typeof first) => judged.map(({ billed, booked, why }) => ({ billed, booked, why }))
    assert.deepStrictEqual(seen(again), seen(first))
  })
)
