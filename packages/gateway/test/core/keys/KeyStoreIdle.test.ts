import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { KeyStore } from "../../../src/core/keys/KeyStore.ts"
import { KeyRepository } from "../../../src/core/keys/KeyRepository.ts"
import * as SqliteStore from "../../../src/storage/sqlite/file/SqliteStore.ts"
import { NOW } from "../call/Support.ts"

it.effect("a key that nobody used for a while is read again, once, as it is then", () => {
  let found = 0
  const counting = Layer.effect(
    KeyRepository,
    Effect.map(KeyRepository, (real) => ({
      ...real,
      find: (id: string) => {
        found++
        return real.find(id)
      }
    }))
  )
  const layer = KeyStore.layer.pipe(Layer.provide(counting), Layer.provide(SqliteStore.layerMemory))
  return Effect.gen(function* () {
    yield* TestClock.setTime(NOW)
    const keys = yield* KeyStore
    const { record, secret } = yield* keys.create({ name: "ci", team: "red", tags: ["a"] })
    yield* keys.authenticate(secret)
    const others = Effect.forEach(Array.from({ length: 5 }), () => keys.create({}), { discard: true })
    yield* TestClock.adjust("9 minutes")
    yield* others
    const used = (yield* keys.authenticate(secret)).key
    assert.strictEqual(found, 0)
    yield* TestClock.adjust("12 minutes")
    yield* others
    const again = (yield* keys.authenticate(secret)).key
    assert.strictEqual(found, 1)
    assert.deepStrictEqual({ ...again, lastUsedAt: 0 }, { ...used, lastUsedAt: 0 })
    assert.strictEqual(again.lastUsedAt, NOW + 21 * 60_000)
    yield* keys.authenticate(secret)
    assert.strictEqual(found, 1)
    yield* TestClock.adjust("12 minutes")
    yield* others
    yield* keys.revoke(record.id)
    assert.strictEqual((yield* Effect.flip(keys.authenticate(secret)))._tag, "Unauthorized")
  }).pipe(Effect.provide(layer))
})
