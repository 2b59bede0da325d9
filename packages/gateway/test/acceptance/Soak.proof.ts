/** Half a minute of what `npm run soak` does for ten. Too short to judge slow growth, long enough for what is never given back. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { soakRun } from "./soak/Run.ts"

it.live(
  "mixed load leaves no fiber, no connection and no open row behind, and books every answer",
  () =>
    Effect.gen(function* () {
      const report = yield* soakRun({ seconds: 20, rate: 100, seed: 1, mostRss: 400, mostGrowth: Infinity })
      assert.deepStrictEqual(report.problems, [])
      assert.isAbove(report.finished, 500)
    }),
  300_000
)
