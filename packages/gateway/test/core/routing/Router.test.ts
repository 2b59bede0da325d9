import { assert, describe, it } from "@effect/vitest"
import { Effect, Random } from "effect"
import { Router } from "../../../src/core/routing/Router.ts"
import { ask, azure, big, claude, mini, world, type World } from "./RouterWorld.ts"
import { budget, callerWith, chatRequest, deployment } from "../call/Support.ts"

const candidates = (request: ReturnType<typeof ask>, caller = callerWith()) =>
  Effect.flatMap(Router, (router) => router.decide(request, caller)).pipe(
    Effect.map((decision) => decision.candidates.map((one) => one.id))
  )

const refusal = (request: ReturnType<typeof ask>, caller = callerWith()) => Effect.flip(candidates(request, caller))

const only = (...models: ReadonlyArray<string>) => callerWith({ models })

describe("Router, by name", () => {
  it.effect("finds aliases, deployments, provider and model, and bare models", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidates(ask("fast")), ["openai/mini", "azure/mini"])
      assert.deepStrictEqual(yield* candidates(ask("best")), ["anthropic/claude", "openai/big"])
      assert.deepStrictEqual(yield* candidates(ask("eu")), ["eu"])
      assert.deepStrictEqual(yield* candidates(ask("openai/mini")), ["openai/mini"])
      assert.sameMembers([...(yield* candidates(ask("mini")))], ["openai/mini", "azure/mini", "eu"])
      const decision = yield* Effect.flatMap(Router, (router) => router.decide(ask("eu"), callerWith()))
      assert.deepInclude(decision, { bucket: "none", score: 0, reasons: ["the caller named eu"] })
    }).pipe(Effect.provide(world()))
  )

  it.effect("shares a bare model's requests out by weight", () =>
    Effect.gen(function* () {
      const firsts = new Map<string, number>()
      for (let i = 0; i < 2_000; i++) {
        const [first] = yield* candidates(ask("mini"))
        firsts.set(first!, (firsts.get(first!) ?? 0) + 1)
      }
      assert.closeTo(firsts.get("openai/mini")! / 2_000, 0.75, 0.04)
    }).pipe(
      Effect.provide(world({ deployments: [{ ...mini, weight: 3 }, azure, big, claude] })),
      Random.withSeed("bare")
    )
  )

  it.effect("keeps the list's order for aliases unless told otherwise", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidates(ask("fast")), ["azure/mini", "openai/mini"])
    }).pipe(
      Effect.provide(
        world({
          order: "latency",
          standing: { "openai/mini": { expectedFirstToken: 9 }, "azure/mini": { expectedFirstToken: 1 } }
        })
      )
    )
  )

  it.effect("orders an alias by its own rule, and asks its fallbacks last, as listed", () =>
    Effect.gen(function* () {
      const firsts = new Map<string, number>()
      for (let i = 0; i < 1_000; i++) {
        const [first, ...others] = yield* candidates(ask("fast"))
        firsts.set(first!, (firsts.get(first!) ?? 0) + 1)
        assert.strictEqual(others.at(-1), "openai/mini")
      }
      assert.closeTo(firsts.get("azure/mini")! / 1_000, 0.75, 0.05)
      assert.strictEqual(firsts.get("anthropic/claude"), 1_000 - firsts.get("azure/mini")!)
      assert.deepStrictEqual(yield* candidates(ask("best")), ["anthropic/claude", "openai/big"])
    }).pipe(
      Effect.provide(
        world({
          sessionAffinity: false,
          deployments: [mini, { ...azure, weight: 3 }, big, claude],
          aliases: { fast: ["azure/mini", "anthropic/claude", "openai/mini"] },
          aliasRules: new Map([["fast", { order: "weight", fallbacks: ["openai/mini"] }]])
        })
      ),
      Random.withSeed("rule")
    )
  )

  it.effect("asks a fallback first where all before it are unhealthy, or can't serve", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidates(ask("fast")), ["azure/mini", "openai/mini"])
      assert.deepStrictEqual(yield* candidates(ask("fast"), only("azure/mini")), ["azure/mini"])
    }).pipe(
      Effect.provide(
        world({
          standing: { "openai/mini": { isReady: false } },
          aliasRules: new Map([["fast", { order: undefined, fallbacks: ["azure/mini"] }]])
        })
      )
    )
  )

  it.effect("offers the nearest names that the key may use, and no others", () =>
    Effect.gen(function* () {
      const error = yield* refusal(ask("opnai/mini"))
      if (error._tag !== "ModelNotFound") return assert.fail(error._tag)
      assert.strictEqual(error.nearest[0], "openai/mini")
      const narrow = yield* refusal(ask("opnai/mini"), only("anthropic/*"))
      if (narrow._tag !== "ModelNotFound") return assert.fail(narrow._tag)
      assert.notInclude(narrow.nearest, "openai/mini")
      const auto = yield* refusal(ask("autoo"), only("nothing"))
      if (auto._tag !== "ModelNotFound") return assert.fail(auto._tag)
      assert.deepStrictEqual(auto.nearest, [])
    }).pipe(Effect.provide(world()))
  )

  it.effect("knows no names that JavaScript objects have by themselves", () =>
    Effect.gen(function* () {
      for (const name of ["__proto__", "constructor", "toString"]) {
        assert.strictEqual((yield* refusal(ask(name)))._tag, "ModelNotFound")
      }
    }).pipe(Effect.provide(world()))
  )

  it.effect("lists what a key may name", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const names = (...models: ReadonlyArray<string>) => router.models(only(...models)).map((entry) => entry.id)
      assert.deepStrictEqual(names(), [
        "auto",
        "fast",
        "best",
        "openai/mini",
        "openai/big",
        "azure/mini",
        "anthropic/claude",
        "eu"
      ])
      assert.deepStrictEqual(names("auto"), ["auto"])
      assert.deepStrictEqual(names("best"), ["best"])
      assert.deepStrictEqual(names("anthropic/*"), ["auto", "best", "anthropic/claude"])
      assert.deepStrictEqual(names("nothing"), [])
      assert.deepStrictEqual(router.bucketsOf("openai/big"), ["standard"])
      assert.deepStrictEqual(router.bucketsOf("eu"), [])
    }).pipe(Effect.provide(world()))
  )
})

describe("Router, by what a key may use", () => {
  it.effect("lists of a model no deployment that the key may not use through it", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const listed = (...models: ReadonlyArray<string>) =>
        router.models(only(...models)).map(({ deployments, id }) => [id, deployments.map((one) => one.id)])
      assert.deepStrictEqual(listed("auto", "openai/*"), [
        ["auto", ["openai/mini", "openai/big"]],
        ["fast", ["openai/mini"]],
        ["best", ["openai/big"]],
        ...["openai/mini", "openai/big"].map((id) => [id, [id]])
      ])
      assert.deepStrictEqual(listed("best"), [["best", ["anthropic/claude", "openai/big"]]])
    }).pipe(Effect.provide(world()))
  )

  it.effect("checks names, globs and bare models on every deployment", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidates(ask("fast"), only("azure/*")), ["azure/mini"])
      assert.deepStrictEqual(yield* candidates(ask("openai/mini"), only("mini")), ["openai/mini"])
      assert.deepStrictEqual(yield* candidates(ask("mini"), only("eu")), ["eu"])
      assert.strictEqual((yield* refusal(ask("openai/big"), only("mini")))._tag, "ModelNotAllowed")
      assert.strictEqual((yield* refusal(ask("best"), only("fast")))._tag, "ModelNotAllowed")
    }).pipe(Effect.provide(world()))
  )

  it.effect("who may use an alias may use all it stands for, under that name only", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidates(ask("best"), only("best")), ["anthropic/claude", "openai/big"])
      assert.strictEqual((yield* refusal(ask("openai/big"), only("best")))._tag, "ModelNotAllowed")
    }).pipe(Effect.provide(world()))
  )

  it.effect("auto alone stands for everything, and only under that name", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* candidates(ask("auto", "0.9"), only("auto")))[0], "anthropic/claude")
      assert.strictEqual((yield* refusal(ask("anthropic/claude"), only("auto")))._tag, "ModelNotAllowed")
    }).pipe(Effect.provide(world()))
  )

  it.effect("auto in a list goes nowhere the list does not go", () =>
    Effect.gen(function* () {
      const caller = only("auto", "openai/*")
      assert.deepStrictEqual(yield* candidates(ask("auto", "0.1"), caller), ["openai/mini", "openai/big"])
      assert.strictEqual((yield* refusal(ask("auto", "0.9"), caller))._tag, "ModelNotAllowed")
    }).pipe(Effect.provide(world()))
  )
})

describe("Router, auto", () => {
  it.effect("takes the bucket of the score, and those above it as spares, never one below", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const decision = yield* router.decide(ask("auto", "0.3"), callerWith())
      assert.strictEqual(decision.bucket, "standard")
      assert.strictEqual(decision.score, 0.3)
      assert.include(decision.reasons, "looks like 0.3")
      assert.deepStrictEqual(
        decision.candidates.map((one) => one.id),
        ["openai/big", "azure/mini", "anthropic/claude"]
      )
    }).pipe(Effect.provide(world()))
  )

  it.effect("goes up when nothing in the bucket is in rotation, and says so", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const decision = yield* router.decide(ask("auto", "0.1"), callerWith())
      assert.strictEqual(decision.bucket, "simple")
      assert.strictEqual(decision.candidates[0]?.id, "openai/big")
      assert.isTrue(decision.reasons.some((reason) => reason.includes("simple")))
      assert.strictEqual((yield* refusal(ask("auto", "0.9")))._tag, "OutOfRotation")
    }).pipe(
      Effect.provide(
        world({ standing: { "openai/mini": { isInRotation: false }, "anthropic/claude": { isInRotation: false } } })
      )
    )
  )

  it.effect("goes up when nothing in the bucket is ready, and keeps what is not as a last resort", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* candidates(ask("auto", "0.1")), [
        "openai/big",
        "anthropic/claude",
        "openai/mini",
        "azure/mini"
      ])
    }).pipe(
      Effect.provide(world({ standing: { "openai/mini": { isReady: false }, "azure/mini": { isReady: false } } }))
    )
  )

  it.effect("an empty bucket is no reason to say that a model is not allowed", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* candidates(ask("auto", "0.1")))[0], "openai/big")
      assert.strictEqual((yield* refusal(ask("auto", "0.9")))._tag, "OutOfRotation")
    }).pipe(
      Effect.provide(
        world({
          buckets: [
            { name: "simple", deployments: [] },
            { name: "standard", deployments: ["openai/big"] },
            { name: "complex", deployments: [] }
          ]
        })
      )
    )
  )
})

describe("Router, by what a request needs", () => {
  const plain = deployment("openai/plain", { supports: new Set(["chat", "stream"]), contextWindow: 1_000 })
  const able = deployment("openai/able", { supports: new Set(["chat", "stream", "tools", "images", "json_schema"]) })
  const unpriced = deployment("openai/unpriced", { price: undefined })
  const routed = (standing: World["standing"] = {}) =>
    world({
      standing,
      deployments: [plain, able, unpriced],
      buckets: [
        { name: "simple", deployments: ["openai/plain"] },
        { name: "standard", deployments: ["openai/able"] },
        { name: "complex", deployments: [] }
      ]
    })

  const tools = { tools: [{ type: "function", function: { name: "f" } }] }

  it.effect("leaves out what can't do it, and says what it lacks", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const decision = yield* router.decide(ask("auto", "0.1", tools), callerWith())
      assert.strictEqual(decision.candidates[0]?.id, "openai/able")
      assert.include(decision.reasons, "openai/plain does not support tools")
      const error = yield* refusal(ask("openai/plain", "0.1", tools))
      if (error._tag !== "NoCapableDeployment") return assert.fail(error._tag)
      assert.deepStrictEqual(error.reasons, ["openai/plain does not support tools"])
    }).pipe(Effect.provide(routed()))
  )

  const reranks = new Set(["chat", "rerank"])

  it.effect("leaves out what does not serve the operation, and says what it serves", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const rerank = (model: string, caller = callerWith()) => router.decide(ask(model, "0.1"), caller, {}, "rerank")
      const decision = yield* rerank("auto")
      assert.deepStrictEqual(
        decision.candidates.map(({ id }) => id),
        ["openai/able"]
      )
      assert.include(decision.reasons, "openai/plain can't serve rerank; it serves chat")
      const error = yield* Effect.flip(rerank("openai/plain"))
      if (error._tag !== "NoCapableDeployment") return assert.fail(error._tag)
      assert.deepInclude(error, { isTooLong: false, reasons: ["openai/plain can't serve rerank; it serves chat"] })
      // A key is told nothing of what it may not use.
      assert.strictEqual((yield* Effect.flip(rerank("openai/plain", only("openai/able"))))._tag, "ModelNotAllowed")
      const { candidates } = yield* router.decide(ask("auto", "0.1"), callerWith(), {}, "chat")
      assert.strictEqual(candidates[0]?.id, "openai/plain")
    }).pipe(Effect.provide(routed({ "openai/able": { operations: reranks } })))
  )

  it.effect("what serves the operation and is out of rotation was nearer than what never does", () =>
    Effect.gen(function* () {
      const router = yield* Router
      const error = yield* Effect.flip(router.decide(ask("auto", "0.1"), callerWith(), {}, "rerank"))
      assert.strictEqual(error._tag, "OutOfRotation")
    }).pipe(Effect.provide(routed({ "openai/able": { operations: reranks, isInRotation: false } })))
  )

  it.effect("names images, audio and schemas too", () =>
    Effect.gen(function* () {
      const parts = (part: object) => ({ messages: [{ role: "user", content: [part] }] })
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["images", parts({ type: "image_url", image_url: { url: "https://a/b.png" } })],
        ["audio", parts({ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } })],
        ["files", parts({ type: "file", file: { file_data: "data:application/pdf;base64,AAAA" } })],
        ["json_schema", { response_format: { type: "json_schema", json_schema: {} } }]
      ]
      for (const [need, fields] of cases) {
        const error = yield* refusal(chatRequest({ model: "openai/plain", ...fields }))
        if (error._tag !== "NoCapableDeployment") return assert.fail(error._tag)
        assert.deepStrictEqual(error.reasons, [`openai/plain does not support ${need}`])
      }
    }).pipe(Effect.provide(routed()))
  )

  it.effect("leaves out context windows that are too small", () =>
    Effect.gen(function* () {
      const long = ask("openai/plain", "word ".repeat(5_000))
      const error = yield* refusal(long)
      if (error._tag !== "NoCapableDeployment") return assert.fail(error._tag)
      assert.match(error.reasons[0]!, /context window of 1000 tokens/)
    }).pipe(Effect.provide(routed()))
  )

  it.effect("does not ask what has no price for keys that deny it", () =>
    Effect.gen(function* () {
      const denying = callerWith({ onUnknownPrice: "deny" })
      assert.strictEqual((yield* refusal(ask("openai/unpriced"), denying))._tag, "PriceUnknown")
      assert.deepStrictEqual(yield* candidates(ask("openai/unpriced")), ["openai/unpriced"])
    }).pipe(Effect.provide(routed()))
  )

  it.effect("a budget of the key or of its team alone denies what has no price, unless somebody chose otherwise", () =>
    Effect.gen(function* () {
      const unpriced = ask("openai/unpriced")
      const nobodyChose = { onUnknownPrice: "default" as const }
      const own = { budgets: [budget(1)] }
      const denied = [
        callerWith({ ...nobodyChose, ...own }),
        callerWith({ ...nobodyChose, ...own }, {}),
        callerWith(nobodyChose, own)
      ]
      for (const caller of denied) assert.strictEqual((yield* refusal(unpriced, caller))._tag, "PriceUnknown")
      const allowed = [
        callerWith(nobodyChose),
        callerWith(nobodyChose, {}),
        callerWith({ ...own, onUnknownPrice: "allow" }, own)
      ]
      for (const caller of allowed) assert.deepStrictEqual(yield* candidates(unpriced, caller), ["openai/unpriced"])
    }).pipe(Effect.provide(routed()))
  )

  it.effect("does not ask what is out of rotation", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* refusal(ask("openai/plain")))._tag, "OutOfRotation")
    }).pipe(Effect.provide(routed({ "openai/plain": { isInRotation: false } })))
  )
})
