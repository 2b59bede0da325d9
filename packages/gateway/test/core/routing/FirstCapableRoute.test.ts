import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { Capability } from "../../../src/core/domain/Deployment.ts"
import { embeddings } from "../../../src/core/operations/embeddings/Embeddings.ts"
import { Router } from "../../../src/core/routing/Router.ts"
import { ask, mini, world, type World } from "./RouterWorld.ts"
import { callerWith, deployment } from "../call/Support.ts"

const vectors = (id: string) => deployment(id, { supports: new Set<Capability>(["embeddings"]) })
const chatOnly = { ...mini, supports: new Set<Capability>(["chat", "stream"]) }
const deployments = [chatOnly, vectors("one/small"), vectors("two/large"), vectors("three/small")]
const buckets = [{ name: "simple", deployments: ["openai/mini", "one/small"] }]

const embed = (models: ReadonlyArray<string> = []) =>
  Effect.flatMap(Router, (router) =>
    router.decide(
      Result.getOrThrow(embeddings.read({ kind: "json", value: { model: "auto", input: "Hi" }, bytes: 20 })),
      callerWith({ models })
    )
  )
const routed = (given: World = {}) => world({ deployments, buckets, ...given })

describe("auto for embeddings", () => {
  it.effect("takes the first that makes vectors, in a bucket or not, and spares of the same model only", () =>
    Effect.gen(function* () {
      const { bucket, candidates, reasons, score } = yield* embed()
      assert.deepStrictEqual(
        candidates.map(({ id }) => id),
        ["one/small", "three/small"]
      )
      assert.deepStrictEqual([bucket, score], ["none", 0])
      assert.match(reasons[0]!, /^auto: there is no bucket for embeddings/)
    }).pipe(Effect.provide(routed()))
  )

  it.effect("is held to what the key may use and what is in rotation", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* embed(["two/*", "auto"])).candidates[0]?.id, "two/large")
      const { candidates, reasons } = yield* embed()
      assert.strictEqual(candidates[0]?.id, "two/large")
      assert.include(reasons, "one/small was skipped: disabled")
    }).pipe(
      Effect.provide(
        routed({ standing: { "one/small": { isInRotation: false }, "three/small": { isInRotation: false } } })
      )
    )
  )

  it.effect("a chat never goes to what makes vectors only", () =>
    Effect.gen(function* () {
      const { candidates } = yield* Effect.flatMap(Router, (router) => router.decide(ask("auto"), callerWith()))
      assert.deepStrictEqual(
        candidates.map(({ id }) => id),
        ["openai/mini"]
      )
    }).pipe(Effect.provide(routed()))
  )

  it.effect("says when nothing makes vectors", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(embed())
      if (error._tag !== "NoCapableDeployment") return assert.fail(error._tag)
      assert.deepStrictEqual(error.reasons, ["no deployment supports embeddings"])
    }).pipe(Effect.provide(routed({ deployments: [chatOnly] })))
  )
})
