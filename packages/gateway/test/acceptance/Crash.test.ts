/** Two rounds of what `npm run crash` does fifty of. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { crashRun } from "./CrashRun.ts"

it.live("kill -9 under load loses nothing that a client saw finished, doubles nothing and leaves nothing open", () =>
  Effect.gen(function* () {
    const { abandoned, finished, problems, requests } = yield* crashRun({
      rounds: 2,
      seed: "two rounds",
      mostAnswers: 60
    })
    assert.deepStrictEqual(problems, [])
    assert.isAbove(finished, 0)
    // The kills came in the middle of something.
    assert.isAbove(requests, finished)
    assert.isAbove(abandoned, 0)
  })
)

it.live("nor does the end of a single worker, or of all of them with their owner", () =>
  Effect.gen(function* () {
    const { finished, problems, workersKilled } = yield* crashRun({
      rounds: 2,
      seed: "workers",
      mostAnswers: 60,
      workers: 2
    })
    assert.deepStrictEqual(problems, [])
    assert.isAbove(finished, 0)
    assert.strictEqual(workersKilled, 2)
  })
)
