/** `X-Gateway-No-Fallback`: one deployment, one call, whatever comes of it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderPool } from "../../../src/core/pool/ProviderPool.ts"
import { Script } from "../../../src/testing/Script.ts"
import type { Step } from "../../../src/testing/ScriptStep.ts"
import { inTime } from "./InTime.ts"
import { ask, books, input, read, streaming } from "./Talk.ts"
import { deployment, gatewayLayer } from "./Support.ts"

const both = { model: "both" }
const alone = { noFallback: true }

const world = (does: Step) =>
  gatewayLayer(
    { openai: [does], backup: [Script.answer("fine")] },
    {
      deployments: [deployment("openai/a"), deployment("backup/b", { contextWindow: 1_000_000 })],
      aliases: new Map([["both", ["openai/a", "backup/b"]]])
    }
  )

describe("without fallback", () => {
  const cases: ReadonlyArray<readonly [string, Step, string]> = [
    ["an outage", Script.status(503), "unavailable"],
    ["a broken connection", Script.failure("reset"), "unavailable"],
    ["a rate limit that passes in a second", Script.status(429, { retryAfter: "1 seconds" }), "rate_limited"],
    ["want of credit", Script.status(402), "quota_exhausted"],
    ["silence", Script.hang, "first_token_timeout"],
    ["a prompt too long for it", Script.status(400, { code: "context_length_exceeded" }), "context_length"]
  ]
  for (const [what, does, name] of cases) {
    it.effect(`${what} is what the caller is told, plain and streamed`, () =>
      Effect.gen(function* () {
        const script = yield* Script
        const answers = [
          Effect.asVoid(ask(input(both, alone))),
          Effect.asVoid(read(streaming(alone, both))),
          Effect.asVoid(read(streaming({ ...alone, streamRecovery: "buffer" }, both)))
        ]
        for (const [index, answer] of answers.entries()) {
          const error = yield* inTime(Effect.flip(answer))
          if (error._tag !== "Exhausted" && error._tag !== "ProviderFailure") return assert.fail(error._tag)
          assert.strictEqual(error.class, name)
          if (error._tag === "Exhausted") assert.strictEqual(error.attempts, 1)
          assert.lengthOf(yield* script.requestsTo("openai"), index + 1)
        }
        assert.lengthOf(yield* script.requestsTo("backup"), 0)
        assert.strictEqual((yield* books).reserved, 0)
      }).pipe(Effect.provide(world(does)))
    )
  }

  it.effect("the one that is asked is the first that is ready: that is no fallback", () =>
    Effect.gen(function* () {
      for (let i = 0; i < 5; i++) yield* inTime(Effect.flip(ask(input(both, alone))))
      const pool = yield* ProviderPool
      assert.strictEqual((yield* pool.status)[0]?.health.consecutiveFailures, 5)
    }).pipe(Effect.provide(world(Script.status(503))))
  )

  it.effect("an open circuit is stepped over before the one call is made", () =>
    Effect.gen(function* () {
      yield* Effect.flip(ask(input(both, alone)))
      const { report } = yield* ask(input(both, alone))
      assert.deepStrictEqual([report.deployment.id, report.retries], ["backup/b", 0])
    }).pipe(Effect.provide(world(Script.status(401))))
  )
})
