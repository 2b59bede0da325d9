/** Metrics and logs must not be noticeable beside a request of about 100 µs. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DEFAULT, measureCosts } from "./Cost.ts"

it.live("metrics and logs cost a request a few microseconds", () =>
  Effect.gen(function* () {
    const costs = new Map((yield* measureCosts(40_000)).map(({ micros, name }) => [name, micros]))
    // Promised are 2 on a quiet machine; this one may be busy, and the code is not compiled yet.
    assert.isBelow(costs.get(DEFAULT)!, 8)
  })
)
