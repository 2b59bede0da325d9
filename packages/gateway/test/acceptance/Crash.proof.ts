/** Two rounds of what `npm run crash` does fifty of. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { findPrograms, withStandbys } from "../../../../scripts/postgres/Programs.ts"
import { forTests } from "../../../../scripts/postgres/Server.ts"
import { isSkipped } from "../support/postgres/Databases.ts"
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

it.live("kill -9 under load makes no hit of a response that is cut or another one's, and counts each once", () =>
  Effect.gen(function* () {
    const { hits, problems } = yield* crashRun({ rounds: 3, seed: "cache", mostAnswers: 400, isCached: true })
    assert.deepStrictEqual(problems, [])
    assert.isAbove(hits, 0)
  })
)

describe.skipIf(isSkipped)("several gateways on one Postgres", () => {
  it.live("nor does the end of one of three, or of Postgres, and no budget is billed more than it has", (context) =>
    Effect.gen(function* () {
      const programs = yield* Effect.promise(findPrograms)
      if (programs === undefined) return context.skip("needs a Postgres that it may kill")
      const { finished, killed, problems } = yield* crashRun({
        rounds: 2,
        seed: "nodes",
        mostAnswers: 60,
        topology: { nodes: 3, bin: programs.bin, settings: forTests }
      })
      assert.deepStrictEqual(problems, [])
      assert.isAbove(finished, 0)
      assert.deepStrictEqual(Object.fromEntries(killed), { node: 2, engine: 1 })
    })
  )

  it.live("nor does a standby that takes over and lacks the last commits", (context) =>
    Effect.gen(function* () {
      const programs = withStandbys()
      if (programs === undefined) return context.skip("pg_basebackup not found")
      const { killed, problems } = yield* crashRun({
        rounds: 1,
        seed: "standby",
        mostAnswers: 60,
        topology: { nodes: 2, bin: programs.bin, settings: forTests, withStandby: true }
      })
      assert.deepStrictEqual(problems, [])
      assert.strictEqual(killed.get("failover"), 1)
    })
  )
})
