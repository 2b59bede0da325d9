/** What `npm run conformance` prints, as a test: no recorded exchange fails. That one cuts streams after each of their events. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasData, sayWhenMissing } from "../support/Transcripts.ts"
import { replayFamily } from "./Conformance.ts"
import { recordedFamilies } from "./Families.ts"

const MOST_CUTS = 48

sayWhenMissing("conformance with recorded exchanges")

describe.skipIf(!hasData)("recorded exchanges through the whole gateway", () => {
  it.live.each(recordedFamilies)("$name at $path", (family) =>
    Effect.gen(function* () {
      const { outcomes } = yield* replayFamily(family, MOST_CUTS)
      assert.isNotEmpty(outcomes)
      assert.deepStrictEqual(
        outcomes.filter(({ problems }) => problems.length > 0),
        []
      )
    })
  )
})
