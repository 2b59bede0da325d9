import { assert, describe, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer, Queue, Stream } from "effect"
import * as Credential from "../../../src/core/keys/Credential.ts"
import { KeyStore } from "../../../src/core/keys/KeyStore.ts"
import { type ChangeNotice, KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import { StoreUnavailable } from "../../../src/core/domain/Errors.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { budget, noLimits, settleDown } from "../call/Support.ts"

const code = (keys: KeyStore["Service"], credential: string) =>
  Effect.map(Effect.flip(keys.authenticate(credential)), (error) =>
    error._tag === "Unauthorized" ? error.code : error._tag
  )

/** Another credential of the same key, whose checksum is right. */
const forged = (id: string) => Credential.generateFor(id)

describe("KeyStore", () => {
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
      const { secret } = yield* keys.create({})
      assert.isString((yield* keys.authenticate(secret)).key.id)
    }).pipe(Effect.provide(withRepository(deafExceptTo(Array.from({ length: 1_000 }, (_, n) => `key_${n}`)))))
  )

  it.effect("keeps keys and teams over a restart", () =>
    Effect.gen(function* () {
      const first = yield* Effect.provide(KeyStore, KeyStore.layer)
      yield* first.putTeam("red", { limits: noLimits, budgets: [budget(7)] })
      const { record, secret } = yield* first.create({ team: "red" })
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
        Effect.flatMap(KeyStore, (before) => before.create({ team: "red" })),
        KeyStore.layer
      )
      const keys = yield* Effect.provide(KeyStore, Layer.fresh(KeyStore.layer)).pipe(
        Effect.provideService(KeyRepository, repository)
      )
      return { asked: () => asked, gate, keys, record, secret }
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

  it.effect(
    "however many come with a key that is not in memory, the store is asked once, and again after a change",
    () =>
      Effect.gen(function* () {
        const { asked, gate, keys, secret } = yield* slow("find")
        const asking = yield* Effect.forkChild(
          Effect.replicateEffect(keys.authenticate(secret), 50, { concurrency: "unbounded" })
        )
        yield* settleDown
        assert.strictEqual(asked(), 1)
        yield* keys.putTeam("red", { limits: { ...noLimits, rpm: 3 }, budgets: [] })
        yield* Deferred.succeed(gate, undefined)
        const callers = yield* Fiber.join(asking)
        assert.deepStrictEqual(new Set(callers.map(({ team }) => team?.limits.rpm)), new Set([3]))
        assert.strictEqual(asked(), 2)
      }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

  it.effect("who hangs up while a key is read takes nobody along", () =>
    Effect.gen(function* () {
      const { gate, keys, secret } = yield* slow("find")
      const first = yield* Effect.forkChild(keys.authenticate(secret))
      yield* settleDown
      const second = yield* Effect.forkChild(keys.authenticate(secret))
      const hangingUp = yield* Effect.forkChild(Fiber.interrupt(first))
      yield* settleDown
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(hangingUp)
      assert.isString((yield* Fiber.join(second)).key.id)
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )

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
      const { record, secret } = yield* keys.create({})
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

  it.effect("what was interrupted is whole or not at all", () =>
    Effect.gen(function* () {
      const real = yield* KeyRepository
      const gate = yield* Deferred.make<void>()
      const late: Repository = { ...real, update: (key) => Effect.andThen(Deferred.await(gate), real.update(key)) }
      const keys = yield* Effect.provide(KeyStore, KeyStore.layer).pipe(Effect.provideService(KeyRepository, late))
      const { record, secret } = yield* keys.create({})
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
      const { record, secret } = yield* keys.create({ name: "before" })
      assert.strictEqual((yield* Effect.flip(keys.update(record.id, { name: "after" })))._tag, "StoreUnavailable")
      assert.strictEqual((yield* Effect.flip(keys.revoke(record.id)))._tag, "StoreUnavailable")
      assert.strictEqual((yield* keys.authenticate(secret)).key.name, "before")
    }).pipe(Effect.provide(withRepository((real) => ({ ...real, update: () => Effect.fail(down) }))))
  )

  /** A key store that hears of changes when `notices` has them, over a repository that was changed; and one of another process. */
  const told = (change: (real: Repository) => Repository = (real) => real) =>
    Effect.gen(function* () {
      const notices = yield* Queue.unbounded<ChangeNotice>()
      const real = yield* KeyRepository
      const there = yield* Effect.provide(KeyStore, KeyStore.layer)
      const repository = Layer.succeed(KeyRepository, change({ ...real, changes: Stream.fromQueue(notices) }))
      const built = yield* Layer.build(Layer.provide(Layer.fresh(KeyStore.layer), repository))
      const here = Context.get(built, KeyStore)
      const tell = (notice: ChangeNotice) => Effect.andThen(Queue.offer(notices, notice), settleDown)
      return { here, tell, there }
    })

  const notice = (kind: "one" | "all", id: string): ChangeNotice =>
    kind === "all" ? { what: "all" } : { what: "key", id }

  for (const kind of ["one", "all"] as const) {
    it.effect(`a revocation elsewhere holds though it came while this process wrote the key (notice of ${kind})`, () =>
      Effect.gen(function* () {
        const gate = yield* Deferred.make<void>()
        const late = (real: Repository): Repository => ({
          ...real,
          update: (key) => Effect.tap(real.update(key), () => Deferred.await(gate))
        })
        const { here, tell, there } = yield* told(late)
        const { record, secret } = yield* here.create({ name: "a" })
        const renaming = yield* Effect.forkChild(here.update(record.id, { name: "b" }))
        yield* settleDown
        yield* there.revoke(record.id)
        yield* tell(notice(kind, record.id))
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* Fiber.join(renaming)).name, "b")
        assert.strictEqual(yield* code(here, secret), "revoked_api_key")
      }).pipe(Effect.provide(SqliteStore.layerMemory))
    )

    it.effect(`a key made elsewhere is known by its notice, and only by it (notice of ${kind})`, () =>
      Effect.gen(function* () {
        const { here, tell, there } = yield* told()
        const { record, secret } = yield* there.create({})
        assert.strictEqual(yield* code(here, secret), "invalid_api_key")
        yield* tell(notice(kind, record.id))
        assert.strictEqual((yield* here.authenticate(secret)).key.id, record.id)
      }).pipe(Effect.provide(SqliteStore.layerMemory))
    )
  }

  it.effect("limits of a team that changed elsewhere are never the old ones, though the store fails meanwhile", () =>
    Effect.gen(function* () {
      let isDown = false
      const failing = (real: Repository): Repository => ({
        ...real,
        findTeam: (name) => (isDown ? Effect.fail(down) : real.findTeam(name))
      })
      const { here, tell, there } = yield* told(failing)
      const { secret } = yield* here.create({ team: "red" })
      assert.isUndefined((yield* here.authenticate(secret)).team)
      yield* there.putTeam("red", { limits: { ...noLimits, rpm: 3 }, budgets: [] })
      isDown = true
      yield* tell({ what: "team", id: "red" })
      assert.strictEqual(yield* code(here, secret), "StoreUnavailable")
      isDown = false
      assert.strictEqual((yield* here.authenticate(secret)).team?.limits.rpm, 3)
    }).pipe(Effect.provide(SqliteStore.layerMemory))
  )
})
