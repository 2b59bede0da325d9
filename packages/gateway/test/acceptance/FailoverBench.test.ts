import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { failoverBench, tuned, type Verdict } from "../faults/FailoverBench.ts"
import { scenarios } from "../faults/FailoverScenarios.ts"

/** Those without long silences; `npm run failoverbench` runs all. */
const expected: Readonly<Record<string, Verdict>> = {
  S03: "partial",
  S08: "pass",
  S10: "pass",
  S12: "safe",
  S13: "pass",
  S14: "pass",
  S16: "pass"
}

describe("Failover Bench", () => {
  it.live(
    "gives the verdicts that the documents show",
    () =>
      Effect.gen(function* () {
        const some = scenarios.filter(({ id }) => id in expected)
        const judged = yield* failoverBench(tuned, some)
        const verdicts = Object.fromEntries(judged.map(({ scenario, verdict }) => [scenario.id, verdict]))
        assert.deepStrictEqual(verdicts, expected, JSON.stringify(judged.map(({ notes }) => notes)))
      }),
    180_000
  )
})
