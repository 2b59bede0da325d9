/** What every store of responses keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer, Option, type Scope } from "effect"
import { TestClock } from "effect/testing"
import type { Quota } from "../../src/core/domain/Quota.ts"
import type { StoreUnavailable } from "../../src/core/domain/Errors.ts"
import { KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import { ResponseRepository } from "../../src/core/responses/ResponseRepository.ts"
import { ResponseSettings } from "../../src/core/responses/ResponseSettings.ts"
import { type ItemFilter, ResponseStore } from "../../src/core/responses/ResponseStore.ts"
import { eventually } from "../support/Patience.ts"
import { HOUR, key as storedKey, NOW } from "../storage/Support.ts"

const DAY = 24 * HOUR

const settings = { isStored: true, lifetimeMs: 30 * DAY, quota: { all: 100_000, perKey: 100_000 } }

const message = (id: string, role: string, text: string) => ({ id, type: "message", role, content: [{ text }] })

/** The response `resp_<name>`, which asks `name` and says `<name>!`. */
const save = (name: string, fields: { parent?: string; keyId?: string; text?: string } = {}) =>
  Effect.flatMap(ResponseStore, (store) =>
    store.save({
      id: `resp_${name}`,
      keyId: fields.keyId ?? "key_a",
      parent: fields.parent === undefined ? null : `resp_${fields.parent}`,
      input: [message(`msg_in_${name}`, "user", fields.text ?? name)],
      answer: { id: `resp_${name}`, output: [message(`msg_out_${name}`, "assistant", `${name}!`)] }
    })
  )

const isThere = (name: string, keyId = "key_a") =>
  Effect.flatMap(ResponseStore, (store) => store.find(keyId, `resp_${name}`)).pipe(
    Effect.as(true),
    Effect.catchTag("NotFound", () => Effect.succeed(false))
  )

const conversation = (name: string, keyId = "key_a") =>
  Effect.flatMap(ResponseStore, (store) => store.conversation(keyId, `resp_${name}`, { maxBytes: 10_000 })).pipe(
    Effect.map((items) => items.map((item) => item["id"])),
    Effect.catchTag("PreviousResponseNotFound", ({ id }) => Effect.succeed(`no ${id}`))
  )

const listed = (name: string, filter: Partial<ItemFilter> = {}) =>
  Effect.flatMap(ResponseStore, (store) =>
    store.inputItems(
      "key_a",
      `resp_${name}`,
      { limit: 20, order: "asc", after: undefined, ...filter },
      { maxBytes: 10_000 }
    )
  ).pipe(Effect.map(({ hasMore, items }) => [items.map((item) => item["id"]), hasMore]))

const minute = TestClock.adjust("1 minute")

/** `reopened`: a store that is there again each time the layer is provided, as after a restart. */
export const responsesContract = <E>(
  name: string,
  layer: Layer.Layer<ResponseRepository | KeyRepository, E | StoreUnavailable>,
  reopened: Effect.Effect<Layer.Layer<ResponseRepository | KeyRepository, E>, E, Scope.Scope>
) => {
  /** Once it has looked for what is too old: where that takes a while, the clock must not be moved before it. */
  const store = (given: Partial<typeof settings> = {}) =>
    Layer.unwrap(
      Effect.sync(() => {
        const hasLooked = Latch.makeUnsafe(false)
        const watched = Effect.map(ResponseRepository, (repository) => ({
          ...repository,
          prune: (cutoff: number, quota: Quota) =>
            Effect.ensuring(
              repository.prune(cutoff, quota),
              Effect.sync(() => hasLooked.openUnsafe())
            )
        }))
        return Layer.effectDiscard(hasLooked.await).pipe(
          Layer.provideMerge(ResponseStore.layer),
          Layer.provide(Layer.effect(ResponseRepository, watched)),
          Layer.provideMerge(layer),
          Layer.provide(Layer.succeed(ResponseSettings, { ...settings, ...given }))
        )
      })
    )

  describe(`ResponseStore · ${name}`, () => {
    it.effect("finds a response of a key, and deletes it", () =>
      Effect.gen(function* () {
        yield* save("one")
        assert.deepStrictEqual([yield* isThere("one"), yield* isThere("one", "key_b")], [true, false])
        const responses = yield* ResponseStore
        const others = yield* Effect.flip(responses.remove("key_b", "resp_one"))
        assert.strictEqual(others._tag, "NotFound")
        yield* responses.remove("key_a", "resp_one")
        assert.isFalse(yield* isThere("one"))
        assert.strictEqual((yield* Effect.flip(responses.remove("key_a", "resp_one")))._tag, "NotFound")
        assert.strictEqual((yield* responses.items("key_a", ["msg_out_one"], { maxBytes: 10_000 })).size, 0)
      }).pipe(Effect.provide(store()))
    )

    it.effect("two keys may have responses of the same id", () =>
      Effect.gen(function* () {
        yield* save("one")
        yield* save("one", { keyId: "key_b", text: "theirs" })
        const responses = yield* ResponseStore
        yield* responses.remove("key_a", "resp_one")
        assert.include((yield* responses.find("key_b", "resp_one")).input, "theirs")
      }).pipe(Effect.provide(store()))
    )

    it.effect("tells a conversation from its beginning, and no other branch of it", () =>
      Effect.gen(function* () {
        yield* save("one")
        yield* save("two", { parent: "one" })
        yield* save("other", { parent: "one" })
        yield* save("three", { parent: "two" })
        assert.deepStrictEqual(
          yield* conversation("three"),
          ["one", "two", "three"].flatMap((turn) => [`msg_in_${turn}`, `msg_out_${turn}`])
        )
      }).pipe(Effect.provide(store()))
    )

    it.effect("a conversation that lost its beginning, or that is another key's, is no conversation", () =>
      Effect.gen(function* () {
        yield* save("one")
        yield* save("two", { parent: "one" })
        assert.strictEqual(yield* conversation("two", "key_b"), "no resp_two")
        assert.strictEqual(yield* conversation("never"), "no resp_never")
        const responses = yield* ResponseStore
        yield* responses.remove("key_a", "resp_one")
        assert.strictEqual(yield* conversation("two"), "no resp_two")
        assert.deepStrictEqual(yield* listed("two"), [["msg_in_two"], false])
      }).pipe(Effect.provide(store()))
    )

    it.effect("a conversation larger than a request may be is refused, as a whole", () =>
      Effect.gen(function* () {
        yield* save("one", { text: "x".repeat(6_000) })
        yield* save("two", { parent: "one", text: "x".repeat(6_000) })
        assert.isArray(yield* conversation("one"))
        const wrong = yield* Effect.flip(
          Effect.flatMap(ResponseStore, (all) => all.conversation("key_a", "resp_two", { maxBytes: 10_000 }))
        )
        assert.match(wrong.message, /larger than a request may be: 12\d{3} bytes of JSON, where 10000 are allowed/)
      }).pipe(Effect.provide(store()))
    )

    it.effect("lists what the model was given in pages, either way", () =>
      Effect.gen(function* () {
        yield* save("one")
        yield* save("two", { parent: "one" })
        assert.deepStrictEqual(yield* listed("two"), [["msg_in_one", "msg_out_one", "msg_in_two"], false])
        assert.deepStrictEqual(yield* listed("two", { limit: 2 }), [["msg_in_one", "msg_out_one"], true])
        assert.deepStrictEqual(yield* listed("two", { limit: 2, after: "msg_out_one" }), [["msg_in_two"], false])
        assert.deepStrictEqual(yield* listed("two", { limit: 1, order: "desc" }), [["msg_in_two"], true])
        assert.deepStrictEqual(yield* listed("two", { order: "desc", after: "msg_in_two" }), [
          ["msg_out_one", "msg_in_one"],
          false
        ])
        const wrong = yield* Effect.flip(listed("two", { after: "msg_never" }))
        assert.strictEqual(wrong._tag, "InvalidField")
      }).pipe(Effect.provide(store()))
    )

    it.effect("finds an item by its id, the newest of that name, and none of another key", () =>
      Effect.gen(function* () {
        const responses = yield* ResponseStore
        const item = (keyId: string, id: string) =>
          Effect.map(responses.items(keyId, [id], { maxBytes: 10_000 }), (found) => found.get(id))
        yield* save("one", { text: "first" })
        assert.deepStrictEqual(yield* item("key_a", "msg_in_one"), message("msg_in_one", "user", "first"))
        assert.deepStrictEqual(yield* item("key_a", "msg_out_one"), message("msg_out_one", "assistant", "one!"))
        assert.isUndefined(yield* item("key_b", "msg_out_one"))
        assert.isUndefined(yield* item("key_a", "msg_never"))
        const again = [message("msg_in_one", "user", "second")]
        yield* responses.save({
          id: "resp_two",
          keyId: "key_a",
          parent: null,
          input: again,
          answer: {}
        })
        assert.deepStrictEqual(yield* item("key_a", "msg_in_one"), message("msg_in_one", "user", "second"))
        yield* responses.remove("key_a", "resp_two")
        assert.deepStrictEqual(yield* item("key_a", "msg_in_one"), message("msg_in_one", "user", "first"))
      }).pipe(Effect.provide(store()))
    )

    it.effect("finds many items at once, and refuses to read more than a request may hold", () =>
      Effect.gen(function* () {
        const responses = yield* ResponseStore
        yield* save("one", { text: "x".repeat(6_000) })
        yield* save("two", { text: "x".repeat(6_000) })
        const ofOne = ["msg_in_one", "msg_out_one", "msg_in_one", "msg_never"]
        assert.deepStrictEqual(Array.from((yield* responses.items("key_a", ofOne, { maxBytes: 10_000 })).keys()), [
          "msg_in_one",
          "msg_out_one"
        ])
        const wrong = yield* Effect.flip(responses.items("key_a", [...ofOne, "msg_out_two"], { maxBytes: 10_000 }))
        assert.match(wrong.message, /12\d{3} bytes of JSON, where 10000 are allowed/)
      }).pipe(Effect.provide(store()))
    )

    it.effect("nothing outlives its lifetime, whoever goes on from it", () =>
      Effect.gen(function* () {
        yield* save("one")
        yield* TestClock.adjust("20 days")
        yield* save("two", { parent: "one" })
        yield* TestClock.adjust("10 days")
        assert.isTrue(yield* isThere("one"))
        yield* TestClock.adjust(1)
        assert.deepStrictEqual([yield* isThere("one"), yield* isThere("two")], [false, true])
        assert.strictEqual(yield* conversation("two"), "no resp_two")
        const repository = yield* ResponseRepository
        yield* eventually(Effect.andThen(minute, repository.find("key_a", "resp_one")), Option.isNone)
      }).pipe(Effect.provide(store()))
    )

    it.effect("what is stored never takes more than it may: the oldest go first", () =>
      Effect.gen(function* () {
        const text = "x".repeat(30_000)
        for (const one of ["one", "two", "three", "four"]) yield* save(one, { text })
        const there = yield* Effect.forEach(["one", "two", "three", "four"], (one) => isThere(one))
        assert.deepStrictEqual(there, [false, true, true, true])
        yield* save("large", { text: "x".repeat(100_000) })
        assert.deepStrictEqual([yield* isThere("large"), yield* isThere("two")], [false, true])
      }).pipe(Effect.provide(store()))
    )

    it.effect(
      "of more than there is room for the largest holder's oldest go, and of a key beyond its own quota its own",
      () =>
        Effect.gen(function* () {
          const repository = yield* ResponseRepository
          const text = "x".repeat(15_000)
          const there = (keyId: string, ...names: ReadonlyArray<string>) =>
            Effect.map(
              Effect.forEach(names, (one) => isThere(one, keyId)),
              (all) => names.filter((_, at) => all[at])
            )
          for (const one of ["a1", "a2", "a3", "a4", "a5"]) assert.isTrue(yield* save(one, { text }))
          assert.deepStrictEqual(yield* there("key_a", "a1", "a2", "a3", "a4", "a5"), ["a3", "a4", "a5"])
          for (const one of ["b1", "b2"]) assert.isTrue(yield* save(one, { text, keyId: "key_b" }))
          assert.isTrue(yield* save("c1", { text, keyId: "key_c" }))
          assert.isTrue(yield* save("c2", { text, keyId: "key_c" }))
          assert.deepStrictEqual(yield* there("key_a", "a3", "a4", "a5"), ["a4", "a5"])
          assert.deepStrictEqual(yield* there("key_b", "b1", "b2"), ["b1", "b2"])
          assert.deepStrictEqual(yield* there("key_c", "c1", "c2"), ["c1", "c2"])
          assert.isFalse(yield* save("large", { text: "x".repeat(60_000), keyId: "key_d" }))
          // A lower quota holds for what is there.
          yield* repository.prune(0, { all: 50_000, perKey: 20_000 })
          assert.deepStrictEqual(yield* there("key_b", "b1", "b2"), ["b2"])
        }).pipe(Effect.provide(store({ quota: { all: 100_000, perKey: 50_000 } })))
    )

    it.effect("deletes at most twice the size of a response for it, after its quota was lowered", () =>
      Effect.gen(function* () {
        const repository = yield* ResponseRepository
        const text = "x".repeat(9_000)
        const old = Array.from({ length: 10 }, (_, index) => `old_${index}`)
        for (const one of old) yield* save(one, { text })
        const insert = (id: string) =>
          repository.save({ id, keyId: "key_a", parent: null, createdAt: NOW, input: "[]", body: text }, [], {
            all: 50_000,
            perKey: 50_000
          })
        const left = Effect.map(
          Effect.forEach(old, (one) => isThere(one)),
          (all) => all.filter((one) => one).length
        )
        assert.isTrue(yield* insert("resp_a"))
        assert.strictEqual(yield* left, 8)
        for (const id of ["resp_b", "resp_c", "resp_d"]) assert.isTrue(yield* insert(id))
        assert.isAtMost(yield* left, 2)
      }).pipe(Effect.provide(store()))
    )

    it.effect("erases all of a key's, and takes nothing of a revoked key", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        const responses = yield* ResponseStore
        const repository = yield* ResponseRepository
        yield* keys.insert(storedKey({ id: "key_a" }))
        for (let number = 0; number < 150; number++) yield* save(`${number}`)
        yield* save("theirs", { keyId: "key_b" })
        yield* keys.update(storedKey({ id: "key_a", revokedAt: NOW }))
        yield* responses.erase("key_a")
        assert.deepStrictEqual(yield* repository.links("key_a", "resp_0"), [])
        assert.deepStrictEqual(yield* repository.links("key_a", "resp_149"), [])
        yield* save("late")
        assert.deepStrictEqual([yield* isThere("late"), yield* isThere("theirs", "key_b")], [false, true])
      }).pipe(Effect.provide(store()))
    )

    it.effect("is there after a restart, but for what a stop kept from being erased", () =>
      Effect.gen(function* () {
        const opened = yield* reopened
        const again = Layer.fresh(
          ResponseStore.layer.pipe(Layer.provideMerge(opened), Layer.provide(Layer.succeed(ResponseSettings, settings)))
        )
        const before = Effect.gen(function* () {
          const keys = yield* KeyRepository
          yield* keys.insert(storedKey({ id: "key_a" }))
          yield* keys.insert(storedKey({ id: "key_b" }))
          yield* save("one")
          yield* save("theirs", { keyId: "key_b" })
          yield* keys.update(storedKey({ id: "key_b", revokedAt: NOW }))
        })
        yield* Effect.provide(before, again)
        const after = Effect.gen(function* () {
          const repository = yield* ResponseRepository
          const theirs = Effect.andThen(minute, repository.find("key_b", "resp_theirs"))
          yield* eventually(theirs, Option.isNone)
          assert.isTrue(yield* isThere("one"))
        })
        yield* Effect.provide(after, again)
      })
    )

    it.effect("turned off, it forgets what it had", () =>
      Effect.gen(function* () {
        const opened = yield* reopened
        const using = (isStored: boolean) =>
          Layer.fresh(
            ResponseStore.layer.pipe(
              Layer.provideMerge(opened),
              Layer.provide(Layer.succeed(ResponseSettings, { ...settings, isStored }))
            )
          )
        yield* Effect.provide(save("one"), using(true))
        const off = Effect.gen(function* () {
          assert.isFalse(yield* isThere("one"))
          const repository = yield* ResponseRepository
          yield* eventually(Effect.andThen(minute, repository.find("key_a", "resp_one")), Option.isNone)
        })
        yield* Effect.provide(off, using(false))
      })
    )
  })
}
