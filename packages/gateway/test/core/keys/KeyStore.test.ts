import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Credential from "../../../src/core/keys/Credential.ts"
import { KeyStore } from "../../../src/core/keys/KeyStore.ts"
import { KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { budget, newKey, noLimits, NOW, settleDown } from "../call/Support.ts"

const store = Layer.provideMerge(KeyStore.layer, SqliteStore.layerMemory)

const code = (keys: KeyStore["Service"], credential: string) =>
  Effect.map(Effect.flip(keys.authenticate(credential)), (error) =>
    error._tag === "Unauthorized" ? error.code : error._tag
  )

/** Another credential of the same key, whose checksum is right. */
const forged = (id: string) => Credential.generateFor(id)

const filter = { limit: 10, after: undefined, team: undefined, status: undefined, search: undefined }

describe("KeyStore", () => {
  it.effect("knows a key by its secret and never hands the secret's hash out", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const keys = yield* KeyStore
      const { record, secret } = yield* keys.create(newKey({ name: "ci", models: ["openai/*"] }))
      const caller = yield* keys.authenticate(secret)
      assert.strictEqual(caller.key.id, record.id)
      assert.strictEqual(caller.key.createdAt, NOW)
      assert.isUndefined(caller.team)
      assert.notProperty(caller.key, "secrets")
      assert.notProperty(record, "secrets")
      assert.notInclude(JSON.stringify(yield* keys.get(record.id)), secret)
      assert.strictEqual((yield* keys.authenticate(secret)).key.budgets, caller.key.budgets)
    }).pipe(Effect.provide(store))
  )

  it.effect("asks the store nothing about credentials of the wrong shape or checksum", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const { text } = Credential.generate()
      for (const wrong of ["", "sk-123", text.slice(0, -1), text.slice(0, -1) + (text.endsWith("0") ? "1" : "0")]) {
        assert.strictEqual(yield* code(keys, wrong), "invalid_api_key")
      }
      // The repository is down: whoever asks it is told so.
      assert.strictEqual(yield* code(keys, forged(EARLIER)), "StoreUnavailable")
    }).pipe(Effect.provide(withRepository(deafExceptTo([EARLIER]))))
  )

  it.effect("asks the store nothing about ids that no key has, however many somebody makes up", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const codes = yield* Effect.forEach(Array.from({ length: 1_000 }), () => code(keys, Credential.generate().text))
      const asked = codes.filter((one) => one === "StoreUnavailable").length
      assert.isAtMost(asked, 20)
      assert.isAtLeast(codes.filter((one) => one === "invalid_api_key").length, 980)
      // A key made after that is known at once.
      const { secret } = yield* keys.create(newKey())
      assert.isString((yield* keys.authenticate(secret)).key.id)
    }).pipe(Effect.provide(withRepository(deafExceptTo(Array.from({ length: 1_000 }, (_, n) => `key_${n}`)))))
  )

  it.effect("calls unknown keys and wrong secrets invalid, whatever the key's status", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const { record } = yield* keys.create(newKey())
      assert.strictEqual(yield* code(keys, Credential.generate().text), "invalid_api_key")
      assert.strictEqual(yield* code(keys, forged(record.id)), "invalid_api_key")
      yield* keys.update(record.id, { disabled: true })
      assert.strictEqual(yield* code(keys, forged(record.id)), "invalid_api_key")
      yield* keys.revoke(record.id)
      assert.strictEqual(yield* code(keys, forged(record.id)), "invalid_api_key")
    }).pipe(Effect.provide(store))
  )

  it.effect("says disabled, expired or revoked to who has the secret", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const keys = yield* KeyStore
      const { record, secret } = yield* keys.create(newKey({ expiresAt: NOW + 1_000 }))
      yield* keys.update(record.id, { disabled: true })
      assert.strictEqual(yield* code(keys, secret), "disabled_api_key")
      yield* keys.update(record.id, { disabled: false })
      yield* keys.authenticate(secret)
      yield* TestClock.adjust(999)
      yield* keys.authenticate(secret)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* code(keys, secret), "expired_api_key")
      yield* keys.revoke(record.id)
      assert.strictEqual(yield* code(keys, secret), "revoked_api_key")
    }).pipe(Effect.provide(store))
  )

  it.effect("lets an old secret work until its grace ends, and then no longer", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const first = yield* keys.create(newKey())
      const second = yield* keys.rotate(first.record.id, 60)
      assert.strictEqual(second.record.id, first.record.id)
      yield* keys.authenticate(first.secret)
      yield* TestClock.adjust("59 seconds")
      yield* keys.authenticate(first.secret)
      yield* keys.authenticate(second.secret)
      yield* TestClock.adjust("1 seconds")
      assert.strictEqual(yield* code(keys, first.secret), "invalid_api_key")
      yield* keys.authenticate(second.secret)
    }).pipe(Effect.provide(store))
  )

  it.effect("ends an old secret at once without grace, and never lengthens a grace", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const first = yield* keys.create(newKey())
      const second = yield* keys.rotate(first.record.id, 10)
      const third = yield* keys.rotate(first.record.id, 3_600)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* code(keys, first.secret), "invalid_api_key")
      yield* keys.authenticate(second.secret)
      const fourth = yield* keys.rotate(first.record.id, 0)
      assert.strictEqual(yield* code(keys, second.secret), "invalid_api_key")
      assert.strictEqual(yield* code(keys, third.secret), "invalid_api_key")
      yield* keys.authenticate(fourth.secret)
    }).pipe(Effect.provide(store))
  )

  it.effect("revokes at once, for good, and as often as one likes", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const keys = yield* KeyStore
      const { record, secret } = yield* keys.create(newKey())
      yield* keys.authenticate(secret)
      const revoked = yield* keys.revoke(record.id)
      assert.strictEqual(revoked.revokedAt, NOW)
      assert.strictEqual(yield* code(keys, secret), "revoked_api_key")
      yield* TestClock.adjust("1 hours")
      assert.strictEqual((yield* keys.revoke(record.id)).revokedAt, NOW)
      const change = yield* Effect.flip(keys.update(record.id, { disabled: false }))
      assert.strictEqual(change._tag, "InvalidField")
      assert.strictEqual((yield* Effect.flip(keys.rotate(record.id, 0)))._tag, "InvalidField")
      assert.strictEqual(yield* code(keys, secret), "revoked_api_key")
    }).pipe(Effect.provide(store))
  )

  it.effect("does not know keys that do not exist", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      assert.strictEqual((yield* Effect.flip(keys.get("key_x")))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(keys.update("key_x", {})))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(keys.revoke("key_x")))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(keys.rotate("key_x", 0)))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(keys.team("nobody")))._tag, "NotFound")
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps what a change does not name", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const limits = { ...noLimits, rpm: 5 }
      const { record, secret } = yield* keys.create(newKey({ name: "a", limits, budgets: [budget(5)], tags: ["t"] }))
      assert.strictEqual(record.onUnknownPrice, "default")
      yield* TestClock.adjust("1 minutes")
      const changed = yield* keys.update(record.id, { name: "b", tags: undefined! })
      assert.deepStrictEqual(changed, { ...record, name: "b", updatedAt: 60_000 })
      assert.deepStrictEqual((yield* keys.authenticate(secret)).key.budgets, record.budgets)
    }).pipe(Effect.provide(store))
  )

  it.effect("remembers when a key was last used, also when the key changes afterwards", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      const keys = yield* KeyStore
      const { record, secret } = yield* keys.create(newKey())
      yield* keys.authenticate(secret)
      assert.strictEqual((yield* keys.get(record.id)).lastUsedAt, NOW)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* keys.update(record.id, { name: "b" })).lastUsedAt, NOW)
      assert.strictEqual((yield* keys.revoke(record.id)).lastUsedAt, NOW)
      assert.strictEqual((yield* keys.revoke(record.id)).lastUsedAt, NOW)
    }).pipe(Effect.provide(store))
  )

  it.effect("shows a change of a team to its keys at once, and a change of team too", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const { record, secret } = yield* keys.create(newKey({ team: "red" }))
      assert.isUndefined((yield* keys.authenticate(secret)).team)
      yield* keys.putTeam("red", { limits: { ...noLimits, rpm: 3 }, budgets: [budget(7)] })
      const { team } = yield* keys.authenticate(secret)
      assert.strictEqual(team?.limits.rpm, 3)
      assert.deepStrictEqual(team?.budgets, [budget(7)])
      yield* keys.putTeam("blue", { limits: noLimits, budgets: [] })
      yield* keys.update(record.id, { team: "blue" })
      assert.strictEqual((yield* keys.authenticate(secret)).team?.name, "blue")
      yield* keys.update(record.id, { team: null })
      assert.isUndefined((yield* keys.authenticate(secret)).team)
    }).pipe(Effect.provide(store))
  )

  it.effect("pages through keys, newest first, without repeats when new ones come in between", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const made: Array<string> = []
      for (let i = 0; i < 5; i++) {
        made.unshift((yield* keys.create(newKey({ name: `key ${i}` }))).record.id)
        if (i % 2 === 0) yield* TestClock.adjust("1 seconds")
      }
      const first = yield* keys.list({ ...filter, limit: 2 })
      assert.deepStrictEqual(
        first.keys.map((key) => key.id),
        made.slice(0, 2)
      )
      assert.isTrue(first.hasMore)
      yield* keys.create(newKey())
      const second = yield* keys.list({ ...filter, limit: 3, after: made[1] })
      assert.deepStrictEqual(
        second.keys.map((key) => key.id),
        made.slice(2)
      )
      assert.isFalse(second.hasMore)
      const wrong = yield* Effect.flip(keys.list({ ...filter, after: "key_x" }))
      assert.isTrue(wrong._tag === "InvalidField" && wrong.param === "after")
    }).pipe(Effect.provide(store))
  )

  it.effect("lists keys by status as of now", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const expiring = yield* keys.create(newKey({ expiresAt: 1_000 }))
      const disabled = yield* keys.create(newKey())
      yield* keys.update(disabled.record.id, { disabled: true })
      yield* TestClock.adjust(1_000)
      const of = (status: "active" | "disabled" | "expired" | "revoked") =>
        Effect.map(keys.list({ ...filter, status }), (page) => page.keys.map((key) => key.id))
      assert.deepStrictEqual(yield* of("expired"), [expiring.record.id])
      assert.deepStrictEqual(yield* of("disabled"), [disabled.record.id])
      assert.deepStrictEqual(yield* of("active"), [])
    }).pipe(Effect.provide(store))
  )

  it.effect("keeps keys and teams over a restart", () =>
    Effect.gen(function* () {
      const first = yield* Effect.provide(KeyStore, KeyStore.layer)
      yield* first.putTeam("red", { limits: noLimits, budgets: [budget(7)] })
      const { record, secret } = yield* first.create(newKey({ team: "red" }))
      const rotated = yield* first.rotate(record.id, 60)
      const second = yield* Effect.provide(KeyStore, Layer.fresh(KeyStore.layer))
      assert.deepStrictEqual((yield* second.authenticate(secret)).team?.budgets, [budget(7)])
      yield* second.authenticate(rotated.secret)
      yield* second.revoke(record.id)
      const third = yield* Effect.provide(KeyStore, Layer.fresh(KeyStore.layer))
      assert.strictEqual(yield* code(third, rotated.secret), "revoked_api_key")
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )
})

const down = new StoreUnavailable({ message: "down" })

const EARLIER = "key_000000000001"

/** A store that has keys of these ids, and answers no look-up. */
const deafExceptTo = (ids: ReadonlyArray<string>) => (real: KeyRepository["Service"]) => ({
  ...real,
  ids: () => Effect.succeed({ ids, hasMore: false, most: ids.length }),
  find: () => Effect.fail(down)
})

type Repository = KeyRepository["Service"]

/** A key store over a repository that something was done to. */
const withRepository = (change: (real: Repository) => Repository) =>
  KeyStore.layer.pipe(
    Layer.provideMerge(Layer.effect(KeyRepository, Effect.map(KeyRepository, change))),
    Layer.provide(SqliteStore.layerMemory)
  )

describe("KeyStore, while others change the same key", () => {
  /** Look-ups of the kind are answered, but the first answer is delivered only when `gate` opens. */
  const slow = (kind: "find" | "findTeam") =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const real = yield* KeyRepository
      let asked = 0
      const late = <A, E>(effect: Effect.Effect<A, E>) =>
        Effect.suspend(() => (asked++ === 0 ? Effect.tap(effect, () => Deferred.await(gate)) : effect))
      const repository: Repository =
        kind === "find"
          ? { ...real, find: (id) => late(real.find(id)) }
          : { ...real, findTeam: (name) => late(real.findTeam(name)) }
      // Created by a key store of before, so that this one has to look it up.
      const { record, secret } = yield* Effect.provide(
        Effect.flatMap(KeyStore, (before) => before.create(newKey({ team: "red" }))),
        KeyStore.layer
      )
      const keys = yield* Effect.provide(KeyStore, Layer.fresh(KeyStore.layer)).pipe(
        Effect.provideService(KeyRepository, repository)
      )
      return { gate, keys, record, secret }
    })

  for (const kind of ["find", "findTeam"] as const) {
    it.effect(`a revocation holds for requests whose look-up (${kind}) was under way`, () =>
      Effect.gen(function* () {
        const { gate, keys, record, secret } = yield* slow(kind)
        const asking = yield* Effect.forkChild(Effect.result(keys.authenticate(secret)))
        yield* settleDown
        yield* keys.revoke(record.id)
        yield* Deferred.succeed(gate, undefined)
        const early = yield* Fiber.join(asking)
        assert.strictEqual(early._tag, "Failure")
        assert.strictEqual(yield* code(keys, secret), "revoked_api_key")
        assert.isNotNull((yield* keys.get(record.id)).revokedAt)
      }).pipe(Effect.provide(SqliteStore.layerMemory))
    )

    it.effect(`a change of the team is seen by requests whose look-up (${kind}) was under way`, () =>
      Effect.gen(function* () {
        const { gate, keys, secret } = yield* slow(kind)
        const asking = yield* Effect.forkChild(keys.authenticate(secret))
        yield* settleDown
        yield* keys.putTeam("red", { limits: { ...noLimits, rpm: 3 }, budgets: [] })
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* Fiber.join(asking)).team?.limits.rpm, 3)
      }).pipe(Effect.provide(SqliteStore.layerMemory))
    )
  }

  it.effect("a change that began before a revocation does not bring the key back", () =>
    Effect.gen(function* () {
      const real = yield* KeyRepository
      const gate = yield* Deferred.make<void>()
      let updates = 0
      const late: Repository = {
        ...real,
        update: (key) =>
          Effect.suspend(() =>
            updates++ === 0 ? Effect.andThen(Deferred.await(gate), real.update(key)) : real.update(key)
          )
      }
      const keys = yield* Effect.provide(KeyStore, KeyStore.layer).pipe(Effect.provideService(KeyRepository, late))
      const { record, secret } = yield* keys.create(newKey())
      const patching = yield* Effect.forkChild(Effect.result(keys.update(record.id, { name: "patched" })))
      yield* settleDown
      const revoking = yield* Effect.forkChild(keys.revoke(record.id))
      yield* settleDown
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(patching)
      yield* Fiber.join(revoking)
      assert.strictEqual(yield* code(keys, secret), "revoked_api_key")
      const restarted = yield* Effect.provide(KeyStore, Layer.fresh(KeyStore.layer))
      assert.strictEqual(yield* code(restarted, secret), "revoked_api_key")
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("many changes at once all hold", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const { record } = yield* keys.create(newKey())
      const changes = [
        { name: "n" },
        { tags: ["t"] },
        { models: ["m"] },
        { disabled: true },
        { expiresAt: 5_000_000_000_000 },
        { metadata: { a: 1 } }
      ]
      yield* Effect.forEach(changes, (change) => keys.update(record.id, change), { concurrency: "unbounded" })
      assert.deepInclude(yield* keys.get(record.id), Object.assign({}, ...changes))
    }).pipe(Effect.provide(store))
  )

  it.effect("what was interrupted is whole or not at all", () =>
    Effect.gen(function* () {
      const real = yield* KeyRepository
      const gate = yield* Deferred.make<void>()
      const late: Repository = { ...real, update: (key) => Effect.andThen(Deferred.await(gate), real.update(key)) }
      const keys = yield* Effect.provide(KeyStore, KeyStore.layer).pipe(Effect.provideService(KeyRepository, late))
      const { record, secret } = yield* keys.create(newKey())
      const revoking = yield* Effect.forkChild(keys.revoke(record.id))
      yield* settleDown
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(revoking))
      yield* settleDown
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interrupting)
      assert.strictEqual(yield* code(keys, secret), "revoked_api_key")
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("a change that the store refused is not in force", () =>
    Effect.gen(function* () {
      const keys = yield* KeyStore
      const { record, secret } = yield* keys.create(newKey({ name: "before" }))
      assert.strictEqual((yield* Effect.flip(keys.update(record.id, { name: "after" })))._tag, "StoreUnavailable")
      assert.strictEqual((yield* Effect.flip(keys.revoke(record.id)))._tag, "StoreUnavailable")
      assert.strictEqual((yield* keys.authenticate(secret)).key.name, "before")
    }).pipe(Effect.provide(withRepository((real) => ({ ...real, update: () => Effect.fail(down) }))))
  )
})
