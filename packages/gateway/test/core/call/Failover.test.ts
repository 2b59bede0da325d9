import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Random } from "effect"
import { TestClock } from "effect/testing"
import type { Deployment } from "../../../src/core/domain/Deployment.ts"
import { makeFailover } from "../../../src/core/call/Failover.ts"
import { type FailureClass, ProviderFailure, Unsupported } from "../../../src/core/domain/Failures.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import { standings } from "../routing/Pool.ts"
import { deployment } from "./Support.ts"
import { failed as failure } from "./Failures.ts"

const unsupported = new Unsupported({ message: "no", param: "x" })

const ofKey = (
  name: FailureClass,
  key: number,
  fields: { readonly mayBeOfRequest?: boolean; readonly retryAfterMs?: number } = {}
) => new ProviderFailure({ ...failure(name), message: name, key, ...fields })

type Outcome = ProviderFailure | Unsupported | StoreUnavailable | "answer"

const a = deployment("x/a")
const b = deployment("x/b")
const c = deployment("x/c")
const d = deployment("x/d")

const settings = {
  attempts: 3,
  baseDelayMs: 250,
  retryBudget: { percent: 20, extra: 3, windowMs: 10_000 },
  pool: standings({})
}

/** What each attempt came to, in order; who was asked and when; and what came out. Waits pass by themselves. */
const run = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<Deployment>,
  outcomes: ReadonlyArray<Outcome>,
  limits: typeof settings = settings
) {
  const asked: Array<{
    readonly id: string
    readonly at: number
    readonly number: number
    readonly tried: ReadonlyArray<number>
  }> = []
  const start = yield* Clock.currentTimeMillis
  const failover = makeFailover(limits, limits.pool, yield* Clock.Clock)
  const fiber = yield* Effect.forkChild(
    Effect.result(
      failover(candidates, limits.attempts, ({ deployment: { id }, number, triedKeys: tried = [] }) =>
        Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<string, Exclude<Outcome, "answer">> => {
          asked.push({ id, at: now - start, number, tried })
          const outcome = outcomes[number] ?? "answer"
          return outcome === "answer" ? Effect.succeed(id) : Effect.fail(outcome)
        })
      )
    )
  )
  for (let i = 0; i < 200; i++) yield* TestClock.adjust(limits.attempts > 9 ? 1_000 : 100)
  const result = yield* Fiber.join(fiber)
  return { asked, ids: asked.map(({ id }) => id), result }
})

const failed = (outcome: { readonly result: { readonly _tag: string; readonly failure?: unknown } }) =>
  outcome.result._tag === "Failure"
    ? (outcome.result.failure as { _tag: string } & Record<string, unknown>)
    : assert.fail("it succeeded")

describe("failover", () => {
  it.effect("asks the next one at once for everything that is not the request's fault", () =>
    Effect.gen(function* () {
      const classes: ReadonlyArray<FailureClass> = [
        "rate_limited",
        "quota_exhausted",
        "auth",
        "unavailable",
        "connections_full",
        "connect_timeout",
        "first_token_timeout",
        "truncated",
        "model_not_found"
      ]
      for (const name of classes) {
        const { asked, ids, result } = yield* run([a, b, c], [failure(name, 1_000)])
        assert.deepStrictEqual(ids, ["x/a", "x/b"], name)
        assert.strictEqual(asked[1]?.at, 0, name)
        assert.isTrue(result._tag === "Success" && result.success === "x/b")
      }
    })
  )

  it.effect("asks nobody else when the request is at fault, and says so in the provider's words", () =>
    Effect.gen(function* () {
      for (const name of ["content_filter", "bad_request"] as const) {
        const outcome = yield* run([a, b, c], [failure(name)])
        assert.deepStrictEqual(outcome.ids, ["x/a"])
        assert.deepInclude(failed(outcome), { _tag: "ProviderFailure", class: name })
      }
    })
  )

  it.effect("makes three attempts at most, numbered from 0", () =>
    Effect.gen(function* () {
      const down = failure("unavailable")
      const outcome = yield* run([a, b, c, d], [down, failure("connect_timeout"), failure("auth"), down])
      assert.deepStrictEqual(outcome.ids, ["x/a", "x/b", "x/c"])
      assert.deepStrictEqual(
        outcome.asked.map(({ number }) => number),
        [0, 1, 2]
      )
      assert.deepInclude(failed(outcome), { _tag: "Exhausted", class: "auth", attempts: 3 })
    })
  )

  it.effect("asks once when one attempt is all there is", () =>
    Effect.gen(function* () {
      for (const name of ["unavailable", "rate_limited"] as const) {
        const outcome = yield* run([a, b], [failure(name, 1_000)], { ...settings, attempts: 1 })
        assert.deepStrictEqual(outcome.ids, ["x/a"])
        assert.deepInclude(failed(outcome), { _tag: "Exhausted", attempts: 1 })
      }
    })
  )

  it.effect("waits for a rate limit of up to 10 s when nothing else is free", () =>
    Effect.gen(function* () {
      const waited = yield* run([a], [failure("rate_limited", 10_000)])
      assert.deepStrictEqual(waited.ids, ["x/a", "x/a"])
      assert.strictEqual(waited.asked[1]?.at, 10_000)
      const tooLong = yield* run([a], [failure("rate_limited", 10_001)])
      assert.deepStrictEqual(tooLong.ids, ["x/a"])
      assert.deepInclude(failed(tooLong), { _tag: "Exhausted", class: "rate_limited", retryAfterMs: 10_001 })
      const unsaid = yield* run([a], [failure("rate_limited")])
      assert.deepStrictEqual(unsaid.ids, ["x/a"])
      assert.notProperty(failed(unsaid), "retryAfterMs")
    })
  )

  it.effect("tells the shortest wait that any of them asked for", () =>
    Effect.gen(function* () {
      const outcome = yield* run(
        [a, b, c],
        [failure("rate_limited", 40_000), failure("rate_limited", 30_000), failure("rate_limited", 90_000)]
      )
      assert.deepInclude(failed(outcome), { retryAfterMs: 30_000, attempts: 3 })
    })
  )

  it.effect("tells that there was no room only where nothing else failed", () =>
    Effect.gen(function* () {
      const full = failure("connections_full")
      assert.deepInclude(failed(yield* run([a, b], [full, full])), { class: "connections_full", attempts: 2 })
      const first = yield* run([a, b], [full, failure("auth")])
      assert.deepInclude(failed(first), { class: "auth", attempts: 2 })
      assert.deepInclude(failed(yield* run([a, b], [failure("auth"), full])), { class: "auth", attempts: 2 })
    })
  )

  it.effect("asks the only deployment once more after an outage, within the bounds of full jitter", () =>
    Effect.gen(function* () {
      const waits: Array<number> = []
      for (let i = 0; i < 60; i++) {
        const outcome = yield* run([a], [failure("unavailable"), failure("unavailable")])
        assert.deepStrictEqual(outcome.ids, ["x/a", "x/a"])
        assert.deepInclude(failed(outcome), { _tag: "Exhausted", attempts: 2 })
        waits.push(outcome.asked[1]!.at)
      }
      assert.isAtMost(Math.max(...waits), 250)
      assert.isAtLeast(Math.min(...waits), 0)
      // Full jitter: spread over all of it, not around a middle.
      for (const quarter of [0, 1, 2, 3]) {
        const inIt = waits.filter((wait) => Math.min(3, Math.floor(wait / 62.5)) === quarter)
        assert.isAtLeast(inIt.length, 5, `quarter ${quarter}`)
      }
    }).pipe(Random.withSeed("jitter"))
  )

  it.effect("asks the last one once more after an outage of all, each of them at most twice", () =>
    Effect.gen(function* () {
      const down = failure("unavailable")
      const both = yield* run([a, b], [down, down, down, down])
      assert.deepStrictEqual(both.ids, ["x/a", "x/b", "x/a"])
      const patient = yield* run([a, b], [down, down, down, down, down], { ...settings, attempts: 9 })
      assert.deepStrictEqual(patient.ids, ["x/a", "x/b", "x/a", "x/b"])
      assert.deepInclude(failed(patient), { _tag: "Exhausted", attempts: 4 })
    })
  )

  it.effect("doubles the room of the jitter with every wait, up to 8 s", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 9 }, (_, index) => deployment(`x/${index}`))
      const down = failure("unavailable")
      const longest: Array<number> = []
      for (let i = 0; i < 40; i++) {
        const limits = {
          ...settings,
          attempts: 18,
          baseDelayMs: 250,
          retryBudget: { ...settings.retryBudget, extra: 99 }
        }
        const { asked } = yield* run(
          many,
          Array.from({ length: 18 }, () => down),
          limits
        )
        assert.lengthOf(asked, 18)
        asked.slice(1).forEach(({ at }, index) => {
          longest[index] = Math.max(longest[index] ?? 0, at - asked[index]!.at)
        })
      }
      // The first eight go to untried deployments, at once; the waits after them are already at their most.
      assert.isTrue(longest.slice(0, 8).every((wait) => wait === 0))
      for (const wait of longest.slice(8)) {
        assert.isAtMost(wait, 8_000)
        assert.isAbove(wait, 6_500)
      }
    }).pipe(Random.withSeed("cap"))
  )

  it.effect("waits for the rate limit that passes first, whoever set it", () =>
    Effect.gen(function* () {
      const outcome = yield* run([a, b], [failure("rate_limited", 3_000), failure("rate_limited", 9_000)])
      assert.deepStrictEqual(outcome.ids, ["x/a", "x/b", "x/a"])
      assert.strictEqual(outcome.asked[2]?.at, 3_000)
      const mixed = yield* run([a, b], [failure("rate_limited", 3_000), failure("quota_exhausted")])
      assert.deepStrictEqual(mixed.ids, ["x/a", "x/b", "x/a"])
    })
  )

  it.effect("goes to one that is ready before one that is not, and to that before it gives up", () =>
    Effect.gen(function* () {
      const pool = standings({ "x/b": { isReady: false } })
      const ready = yield* run([a, b, c], [failure("auth"), failure("auth"), failure("auth")], { ...settings, pool })
      assert.deepStrictEqual(ready.ids, ["x/a", "x/c", "x/b"])
    })
  )

  it.effect("never asks a silent or broken deployment again", () =>
    Effect.gen(function* () {
      for (const name of ["first_token_timeout", "connect_timeout", "truncated", "quota_exhausted", "auth"] as const) {
        const outcome = yield* run([a], [failure(name)])
        assert.deepStrictEqual(outcome.ids, ["x/a"], name)
        assert.deepInclude(failed(outcome), { _tag: "Exhausted", class: name, attempts: 1 })
      }
    })
  )

  it.effect("takes a request that is too long only to larger windows", () =>
    Effect.gen(function* () {
      const small = deployment("x/small", { contextWindow: 8_000 })
      const same = deployment("x/same", { contextWindow: 8_000 })
      const large = deployment("x/large", { contextWindow: 128_000 })
      const unknown = deployment("x/unknown", { contextWindow: undefined })
      const tooLong = failure("context_length")
      assert.deepStrictEqual((yield* run([small, same, unknown, large], [tooLong])).ids, ["x/small", "x/large"])
      const none = yield* run([large, small, same], [tooLong])
      assert.deepStrictEqual(none.ids, ["x/large"])
      assert.deepInclude(failed(none), { _tag: "ProviderFailure", class: "context_length" })
      // It has been too long for 8,000 before: an outage of the large one does not make it shorter.
      const out = yield* run([small, same, large], [tooLong, failure("quota_exhausted")])
      assert.deepStrictEqual(out.ids, ["x/small", "x/large"])
      assert.deepInclude(failed(out), { _tag: "Exhausted", class: "quota_exhausted" })
    })
  )

  it.effect("asks with another key of the same provider first, at once, and counts that as no attempt", () =>
    Effect.gen(function* () {
      const pool = standings({ "x/a": { keys: 4 } })
      for (const name of ["auth", "quota_exhausted", "rate_limited"] as const) {
        const refused = [0, 1, 2].map((key) => ofKey(name, key))
        const answered = yield* run([a, b], refused, { ...settings, attempts: 1, pool })
        assert.deepStrictEqual(answered.ids, ["x/a", "x/a", "x/a", "x/a"])
        assert.deepStrictEqual(
          answered.asked.map(({ at, number, tried }) => [at, number, tried]),
          [
            [0, 0, []],
            [0, 1, [0]],
            [0, 2, [0, 1]],
            [0, 3, [0, 1, 2]]
          ]
        )
        const all = yield* run([a, b], [...refused, ofKey(name, 3)], { ...settings, attempts: 2, pool })
        assert.deepStrictEqual(all.ids, ["x/a", "x/a", "x/a", "x/a", "x/b"], name)
        assert.deepStrictEqual(all.asked.at(-1)?.tried, [])
      }
    })
  )

  it.effect("tries no other key for what is not the key's fault, nor a third one where it may be the request's", () =>
    Effect.gen(function* () {
      const pool = standings({ "x/a": { keys: 4 } })
      const down = yield* run([a, b], [ofKey("unavailable", 0)], { ...settings, pool })
      assert.deepStrictEqual(down.ids, ["x/a", "x/b"])
      const walled = [0, 1].map((key) => ofKey("auth", key, { mayBeOfRequest: true }))
      const blocked = yield* run([a, b], walled, { ...settings, pool })
      assert.deepStrictEqual(blocked.ids, ["x/a", "x/a", "x/b"])
    })
  )

  it.effect("says rate limited where one of the keys is, whatever is wrong with the others", () =>
    Effect.gen(function* () {
      const pool = standings({ "x/a": { keys: 2 } })
      const limit = ofKey("rate_limited", 0, { retryAfterMs: 60_000 })
      const outcome = yield* run([a], [limit, ofKey("auth", 1)], { ...settings, pool })
      assert.deepStrictEqual(outcome.ids, ["x/a", "x/a"])
      assert.deepInclude(failed(outcome), {
        _tag: "Exhausted",
        class: "rate_limited",
        retryAfterMs: 60_000,
        attempts: 2
      })
    })
  )

  it.effect("needs no room in the retry budget to ask with another key", () =>
    Effect.gen(function* () {
      const pool = standings({ "x/a": { keys: 2 } })
      const retryBudget = { percent: 0, extra: 0, windowMs: 10_000 }
      const outcome = yield* run([a, b], [ofKey("auth", 0)], { ...settings, retryBudget, pool })
      assert.deepStrictEqual(outcome.ids, ["x/a", "x/a"])
    })
  )

  it.effect("calls it rate limited, or an unknown model, only when all say so", () =>
    Effect.gen(function* () {
      const limit = failure("rate_limited", 60_000)
      for (const [outcomes, name] of [
        [["unavailable", "truncated", limit], "truncated"],
        [[limit, "auth", limit], "auth"],
        [[limit, limit, limit], "rate_limited"],
        [["model_not_found", limit, "model_not_found"], "rate_limited"],
        [["model_not_found", "connect_timeout", "model_not_found"], "connect_timeout"],
        [["model_not_found", "model_not_found", "model_not_found"], "model_not_found"]
      ] as const) {
        const failures = outcomes.map((one) => (typeof one === "string" ? failure(one) : one))
        const outcome = yield* run([a, b, c], failures)
        assert.deepStrictEqual(outcome.ids, ["x/a", "x/b", "x/c"])
        assert.deepInclude(failed(outcome), { _tag: "Exhausted", class: name, attempts: 3 })
      }
    })
  )

  it.effect("passes over a provider that can't take the request", () =>
    Effect.gen(function* () {
      const outcome = yield* run([a, b], [unsupported])
      assert.deepStrictEqual(outcome.ids, ["x/a", "x/b"])
      assert.strictEqual(failed(yield* run([a], [unsupported]))._tag, "Unsupported")
      assert.strictEqual(failed(yield* run([a, b], [unsupported, unsupported]))._tag, "Unsupported")
    })
  )

  it.effect("calls an outage an outage, though the other provider could not take the request", () =>
    Effect.gen(function* () {
      const outcome = yield* run([a, b], [failure("quota_exhausted"), unsupported])
      assert.deepInclude(failed(outcome), { _tag: "Exhausted", class: "quota_exhausted", attempts: 2 })
    })
  )

  it.effect("stops at once for failures of our own", () =>
    Effect.gen(function* () {
      const outcome = yield* run([a, b], [new StoreUnavailable({ message: "down" })])
      assert.deepStrictEqual(outcome.ids, ["x/a"])
      assert.strictEqual(failed(outcome)._tag, "StoreUnavailable")
    })
  )

  it.effect("stops when the caller does, also while it waits", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const failover = makeFailover(settings, settings.pool, yield* Clock.Clock)
      const fiber = yield* Effect.forkChild(
        failover([a], 3, ({ deployment: { id } }) => {
          asked.push(id)
          return Effect.fail(failure("rate_limited", 5_000))
        })
      )
      yield* TestClock.adjust("1 seconds")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("1 minutes")
      assert.deepStrictEqual(asked, ["x/a"])
    })
  )
})
