/** A session goes on where it was answered last. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { Router } from "../../../src/core/routing/Router.ts"
import { ask, world, type World } from "./RouterWorld.ts"
import { callerWith, deployment } from "../call/Support.ts"

/** Makes a prompt no follow-up. */
const LONG = " is what this prompt is worth, however long it goes on"

describe("Router, sessions", () => {
  const three = ["one", "two", "three"].map((provider) => deployment(`${provider}/m`))
  const weighted = (given: World = {}) => world({ deployments: three, buckets: [], ...given })
  const named = (sessionId: string | undefined, caller = callerWith(), request = ask("m")) =>
    Effect.flatMap(Router, (router) => router.decide(request, caller, { sessionId }))
  /** Decides, and takes the request for answered by the first. */
  const answer = Effect.fnUntraced(function* (...given: Parameters<typeof named>) {
    const router = yield* Router
    const decision = yield* named(...given)
    router.answered(decision, decision.candidates[0]!.id)
    return decision.candidates[0]!.id
  })
  const times = <A, E, R>(count: number, effect: Effect.Effect<A, E, R>) =>
    Effect.map(
      Effect.forEach(Array.from({ length: count }), () => effect),
      (all) => new Set(all)
    )

  it.effect("a session stays where it was answered, in an order that spreads", () =>
    Effect.gen(function* () {
      const first = yield* answer("s")
      assert.deepStrictEqual(yield* times(40, answer("s")), new Set([first]))
      // Another key's session of the same name is another session; 20 of them don't all meet by chance.
      const others = Array.from({ length: 20 }, (_, index) => callerWith({ id: `key_${index}` }))
      const went = yield* Effect.forEach(others, (caller) => answer("s", caller))
      assert.isAbove(new Set(went).size, 1)
    }).pipe(Effect.provide(weighted()), Random.withSeed("sessions"))
  )

  it.effect("a conversation is known by its beginning, and moves to where it was answered", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const { candidates, affinityKey } = yield* named(undefined)
      router.answered({ affinityKey }, candidates[1]!.id)
      assert.deepStrictEqual(yield* times(20, answer(undefined)), new Set([candidates[1]!.id]))
      const prompts = Array.from({ length: 20 }, (_, index) => ask("m", `prompt ${index}`))
      const went = yield* Effect.forEach(prompts, (prompt) => answer(undefined, callerWith(), prompt))
      assert.isAbove(new Set(went).size, 1)
    }).pipe(Effect.provide(weighted()), Random.withSeed("conversations"))
  )

  it.effect("in a fixed order only who named a session stays away from the first", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const request = ask("fast")
      assert.isUndefined((yield* named(undefined, callerWith(), request)).affinityKey)
      const { candidates, affinityKey } = yield* named("s", callerWith(), request)
      assert.deepStrictEqual(
        candidates.map(({ id }) => id),
        ["openai/mini", "azure/mini"]
      )
      router.answered({ affinityKey }, "azure/mini")
      assert.strictEqual(yield* answer("s", callerWith(), request), "azure/mini")
      assert.strictEqual(yield* answer("t", callerWith(), request), "openai/mini")
      assert.strictEqual(yield* answer(undefined, callerWith(), request), "openai/mini")
    }).pipe(Effect.provide(world()))
  )

  it.effect("the bucket of the prompt decides before the session does", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const standard = yield* named("s", callerWith(), ask("auto", `0.5${LONG}`))
      router.answered(standard, "azure/mini")
      assert.strictEqual(yield* answer("s", callerWith(), ask("auto", `0.5${LONG}`)), "azure/mini")
      assert.strictEqual(yield* answer("s", callerWith(), ask("auto", `0.1${LONG}`)), "openai/mini")
      assert.strictEqual(yield* answer("s", callerWith(), ask("auto", `0.9${LONG}`)), "anthropic/claude")
      assert.strictEqual(yield* answer("s", callerWith(), ask("auto", `0.5${LONG}`)), "azure/mini")
    }).pipe(Effect.provide(world()))
  )

  it.effect("a deployment that is not ready is left, and may be kept off by a setting", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const { affinityKey } = yield* named("s", callerWith(), ask("fast"))
      router.answered({ affinityKey }, "azure/mini")
      assert.strictEqual(yield* answer("s", callerWith(), ask("fast")), "openai/mini")
    }).pipe(Effect.provide(world({ standing: { "azure/mini": { isReady: false } } })))
  )

  it.effect("no session is followed where that is turned off", () =>
    Effect.gen(function* () {
      assert.isUndefined((yield* named("s")).affinityKey)
    }).pipe(Effect.provide(weighted({ sessionAffinity: false })))
  )
})
