/** What a KeyStore makes of keys and teams that another process makes and changes in the same store. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, type Scope, Stream } from "effect"
import { TestClock } from "effect/testing"
import { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { budget, noLimits } from "../core/call/Support.ts"
import { key } from "../storage/Support.ts"

interface Shared<E> {
  readonly ours: Layer.Layer<KeyRepository, E>
  readonly theirs: Layer.Layer<KeyRepository, E>
}

/** By then a repository has told. */
const told = TestClock.adjust("1 second")

const code = (keys: KeyStore["Service"], credential: string) =>
  Effect.map(Effect.flip(keys.authenticate(credential)), (error) =>
    error._tag === "Unauthorized" ? error.code : error._tag
  )

export const keyChangesContract = <E>(name: string, shared: Effect.Effect<Shared<E>, E, Scope.Scope>) => {
  const build = <I, S, F>(tag: Context.Key<I, S>, layer: Layer.Layer<I, F>) =>
    Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, tag))

  const stores = Effect.gen(function* () {
    const { ours, theirs } = yield* shared
    const here = yield* build(KeyStore, Layer.provide(KeyStore.layer, ours))
    const there = yield* build(KeyStore, Layer.provide(KeyStore.layer, theirs))
    return { here, there }
  })

  describe(`Keys changed by another process · ${name}`, () => {
    it.effect("a key that was made there is accepted here", () =>
      Effect.gen(function* () {
        const { here, there } = yield* stores
        const { record, secret } = yield* there.create({ name: "made there" })
        yield* told
        assert.strictEqual((yield* here.authenticate(secret)).key.id, record.id)
        assert.strictEqual((yield* here.authenticate(secret)).key.name, "made there")
      })
    )

    it.effect("a key that was revoked there is refused here, also when it is in use", () =>
      Effect.gen(function* () {
        const { here, there } = yield* stores
        const { record, secret } = yield* here.create({})
        const other = yield* here.create({})
        yield* here.authenticate(secret)
        yield* there.revoke(record.id)
        yield* told
        assert.strictEqual(yield* code(here, secret), "revoked_api_key")
        assert.strictEqual((yield* here.authenticate(other.secret)).key.id, other.record.id)
      })
    )

    it.effect("a change of a key holds here, and so do its new secrets", () =>
      Effect.gen(function* () {
        const { here, there } = yield* stores
        const { record, secret } = yield* here.create({})
        assert.deepStrictEqual((yield* here.authenticate(secret)).key.models, [])
        yield* there.update(record.id, { models: ["openai/*"], budgets: [budget(7)] })
        yield* told
        const { key } = yield* here.authenticate(secret)
        assert.deepStrictEqual([key.models, key.budgets], [["openai/*"], [budget(7)]])
        const rotated = yield* there.rotate(record.id, 0)
        yield* told
        assert.strictEqual(yield* code(here, secret), "invalid_api_key")
        assert.strictEqual((yield* here.authenticate(rotated.secret)).key.id, record.id)
      })
    )

    it.effect("a change of a team holds here for its keys", () =>
      Effect.gen(function* () {
        const { here, there } = yield* stores
        const { secret } = yield* here.create({ team: "red" })
        assert.isUndefined((yield* here.authenticate(secret)).team)
        yield* there.putTeam("red", { limits: { ...noLimits, rpm: 3 }, budgets: [] })
        yield* told
        assert.strictEqual((yield* here.authenticate(secret)).team?.limits.rpm, 3)
        yield* there.putTeam("red", { limits: { ...noLimits, rpm: 4 }, budgets: [budget(7)] })
        yield* told
        assert.strictEqual((yield* here.authenticate(secret)).team?.limits.rpm, 4)
        assert.strictEqual((yield* here.team("red")).limits.rpm, 4)
      })
    )

    it.effect("a change here does not undo one there that nobody has told of yet", () =>
      Effect.gen(function* () {
        const { here, there } = yield* stores
        const { record, secret } = yield* here.create({ name: "a" })
        yield* there.update(record.id, { tags: ["there"] })
        assert.deepInclude(yield* here.update(record.id, { name: "b" }), { name: "b", tags: ["there"] })
        yield* there.revoke(record.id)
        assert.strictEqual((yield* Effect.flip(here.update(record.id, { name: "c" })))._tag, "InvalidField")
        yield* told
        assert.strictEqual(yield* code(here, secret), "revoked_api_key")
      })
    )

    it.effect("of changes here and there at one moment none undoes another, and a revoked key stays revoked", () =>
      Effect.gen(function* () {
        const { here, there } = yield* stores
        for (let round = 0; round < 5; round++) {
          const { record, secret } = yield* here.create({})
          const changes = [
            Effect.asVoid(here.update(record.id, { name: "here" })),
            Effect.asVoid(there.update(record.id, { tags: ["there"] })),
            Effect.asVoid(here.rotate(record.id, 60)),
            Effect.asVoid(there.update(record.id, { models: ["there/*"] }))
          ]
          yield* Effect.all(changes, { concurrency: "unbounded", discard: true })
          yield* told
          const { key } = yield* here.authenticate(secret)
          assert.deepInclude(key, { name: "here", tags: ["there"], models: ["there/*"] })
          const late = Effect.ignore(here.update(record.id, { name: "later" }))
          yield* Effect.all([late, there.revoke(record.id)], { concurrency: "unbounded" })
          yield* told
          assert.strictEqual(yield* code(here, secret), "revoked_api_key")
          assert.strictEqual(yield* code(there, secret), "revoked_api_key")
        }
      })
    )

    it.effect("a repository tells of what others changed, and not of its own changes", () =>
      Effect.gen(function* () {
        const { ours, theirs } = yield* shared
        const here = yield* build(KeyRepository, ours)
        const there = yield* build(KeyRepository, theirs)
        const first = yield* Effect.forkChild(Stream.runHead(here.changes))
        yield* here.insert(key({ id: "key_here" }))
        yield* here.putTeam({ name: "here", limits: noLimits, budgets: [], updatedAt: 0 })
        yield* told
        assert.isUndefined(first.pollUnsafe())
        yield* there.insert(key({ id: "key_there" }))
        yield* told
        const notice = (yield* Fiber.join(first)).pipe((found) => (found._tag === "Some" ? found.value : undefined))
        assert.isTrue(notice?.what === "all" || notice?.id === "key_there")
      })
    )
  })
}
