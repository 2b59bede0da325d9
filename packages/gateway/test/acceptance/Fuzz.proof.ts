/** Two hundred of what `npm run fuzz` does ten thousand of. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { fuzzRun } from "./fuzz/FuzzRun.ts"

it.live(
  "damaged requests and garbage from providers: every answer in time and in shape, nobody else waits, the ledger adds up",
  () =>
    Effect.gen(function* () {
      const { healthChecks, ledgerRows, outcomes, violations } = yield* fuzzRun({ count: 200, seed: 7 })
      assert.deepStrictEqual(violations, [])
      assert.isAbove(healthChecks, 10)
      assert.isAbove(ledgerRows, 20)
      // The damage went deep enough to be refused, and not so deep that nothing came through.
      const statuses = new Set([...outcomes.values()].flatMap((row) => [...row.keys()]))
      for (const status of ["200", "400", "401", "404"]) assert.isTrue(statuses.has(status), status)
    }),
  300_000
)
