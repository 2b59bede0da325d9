/** `auto`: filters, then score, then bucket, and from there upward only. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Router } from "../../../src/core/routing/Router.ts"
import { ask, azure, big, claude, mini, world, type World } from "./RouterWorld.ts"
import { callerWith, chatRequest, deployment } from "../call/Support.ts"

const decide = (request: ReturnType<typeof ask>, hints = {}, caller = callerWith()) =>
  Effect.flatMap(Router, (router) => router.decide(request, caller, hints))

const ids = ({ candidates }: { readonly candidates: ReadonlyArray<{ readonly id: string }> }) =>
  candidates.map(({ id }) => id)

const down = (...names: ReadonlyArray<string>): NonNullable<World["standing"]> =>
  Object.fromEntries(names.map((name) => [name, { isReady: false }]))

describe("auto, what can't serve a request", () => {
  const small = deployment("openai/mini", { contextWindow: 128_000 })
  const blind = deployment("openai/big", { supports: new Set(["chat", "stream", "tools"]) })
  const plain = deployment("azure/mini", { supports: new Set(["chat", "stream"]) })
  const unpriced = deployment("anthropic/claude", { contextWindow: 1_000_000, price: undefined })
  const deployments = [small, blind, plain, unpriced]

  it.effect("is out before scoring: a history that is too long for the bucket's window goes up at once", () =>
    Effect.gen(function* () {
      const turn = [
        { role: "user", content: "word ".repeat(5_000) },
        { role: "assistant", content: "word ".repeat(5_000) }
      ]
      const messages = [
        ...Array.from({ length: 16 }, () => turn).flat(),
        { role: "user", content: "0.1 is all that this last message is worth, by itself" }
      ]
      const decision = yield* decide(chatRequest({ model: "auto", messages }))
      assert.deepStrictEqual([decision.bucket, ids(decision)], ["simple", ["anthropic/claude"]])
      assert.isTrue(
        decision.reasons.some((reason) => reason.startsWith("openai/mini has a context window of 128000 tokens"))
      )
      assert.include(decision.reasons, "bucket simple has no deployment that can serve this: moved up to standard")
      assert.include(decision.reasons, "bucket standard has no deployment that can serve this: moved up to complex")
    }).pipe(Effect.provide(world({ deployments })))
  )

  it.effect("is named with what is in its way, and only where it would have been asked", () =>
    Effect.gen(function* () {
      const photo = { type: "image_url", image_url: { url: "https://a/b.png" } }
      const text = { type: "text", text: "0.4 is what this prompt is worth, with or without its image" }
      const request = chatRequest({ model: "auto", messages: [{ role: "user", content: [text, photo] }] })
      const decision = yield* decide(request)
      assert.deepStrictEqual(ids(decision), ["anthropic/claude"])
      const left = decision.reasons.filter((reason) => reason.includes("does not support"))
      assert.deepStrictEqual(left, ["openai/big does not support images", "azure/mini does not support images"])
      const denying = yield* Effect.flip(decide(request, {}, callerWith({ onUnknownPrice: "deny" })))
      assert.strictEqual(denying._tag, "NoCapableDeployment")
    }).pipe(Effect.provide(world({ deployments })))
  )

  it.effect("is never replaced by a lower bucket", () =>
    Effect.gen(function* () {
      const hard = ask("auto", "0.9")
      const rotated = world({ standing: { "anthropic/claude": { isInRotation: false } } })
      const gone = yield* Effect.flip(Effect.provide(decide(hard), rotated))
      assert.deepInclude(gone, { _tag: "OutOfRotation", bucket: "complex" })
      const allowed = callerWith({ models: ["auto", "openai/*"] })
      const denied = yield* Effect.flip(Effect.provide(decide(hard, {}, allowed), world()))
      assert.deepInclude(denied, { _tag: "ModelNotAllowed", bucket: "complex" })
      const nothing = yield* Effect.flip(Effect.provide(decide(hard, {}, callerWith({ models: ["x"] })), world()))
      assert.notProperty(nothing, "bucket")
    })
  )
})

describe("auto, health", () => {
  it.effect("a bucket of which nothing is ready goes up, and says so", () =>
    Effect.gen(function* () {
      const decision = yield* decide(ask("auto", "0.1"))
      assert.deepStrictEqual(ids(decision), ["openai/big", "azure/mini", "anthropic/claude", "openai/mini"])
      assert.strictEqual(decision.bucket, "simple")
      assert.include(decision.reasons, "bucket simple has no deployment that is ready: moved up to standard")
    }).pipe(Effect.provide(world({ standing: down("openai/mini") })))
  )

  it.effect("the bucket that serves instead keeps its own order", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(ids(yield* decide(ask("auto", "0.1"))).slice(0, 2), ["azure/mini", "openai/big"])
    }).pipe(
      Effect.provide(
        world({
          order: "priority",
          deployments: [mini, { ...big, priority: 2 }, { ...azure, priority: 1 }, claude],
          standing: down("openai/mini")
        })
      )
    )
  )

  it.effect("where nothing at all is ready, the prompt's own bucket is the last resort, and never one below", () =>
    Effect.gen(function* () {
      const all = yield* decide(ask("auto", "0.3"))
      assert.deepStrictEqual(ids(all), ["openai/big", "azure/mini", "anthropic/claude"])
    }).pipe(Effect.provide(world({ standing: down("openai/big", "azure/mini", "anthropic/claude") })))
  )
})

describe("auto, what the caller prefers", () => {
  it.effect("moves the cut points up for cost and down for quality", () =>
    Effect.gen(function* () {
      const bucketOf = (score: string, prefer?: "cost" | "quality") =>
        Effect.map(decide(ask("auto", score), { prefer }), ({ bucket }) => bucket)
      assert.deepStrictEqual(
        yield* Effect.all([bucketOf("0.4"), bucketOf("0.4", "cost"), bucketOf("0.5", "quality")]),
        ["standard", "simple", "complex"]
      )
      const { reasons } = yield* decide(ask("auto", "0.4"), { prefer: "cost" })
      assert.strictEqual(reasons[0], "auto: score 0.4 is below 0.45, bucket simple")
      assert.include(reasons, "the caller prefers cost: cut points 0.45, 0.75 instead of 0.3, 0.6")
    }).pipe(Effect.provide(world()))
  )

  it.effect("means nothing where the caller names the model, or the configuration leaves no room", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* decide(ask("fast"), { prefer: "quality" })).bucket, "none")
      const { bucket, reasons } = yield* decide(ask("auto", "0.4"), { prefer: "cost" })
      assert.strictEqual(bucket, "standard")
      assert.include(reasons, "the caller prefers cost: no cut point is moved for that")
    }).pipe(Effect.provide(world({ preferShift: 0 })))
  )
})

describe("auto, what can't be read", () => {
  const photo = { type: "image_url", image_url: { url: "https://a/b.png" } }
  const messages = (content: unknown) => chatRequest({ model: "auto", messages: [{ role: "user", content }] })

  it.effect("images alone are taken for the middle, an empty prompt for what it is", () =>
    Effect.gen(function* () {
      const image = yield* decide(messages([photo]))
      assert.deepInclude(image, { bucket: "standard", score: 0.5 })
      assert.isTrue(image.reasons.some((reason) => reason.startsWith("nothing to read beside images")))
      assert.strictEqual((yield* decide(messages([{ type: "text", text: "  " }, photo]))).score, 0.5)
      for (const empty of ["", [], null])
        assert.deepInclude(yield* decide(messages(empty)), { bucket: "simple", score: 0 })
    }).pipe(Effect.provide(world()))
  )
})
