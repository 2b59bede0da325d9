/** What every KeyStore keeps to: who is let in, what a change leaves, and what is in force when a call returns. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Credential from "../../src/core/keys/Credential.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { budget, noLimits, NOW } from "../core/call/Support.ts"

const code = (keys: KeyStore["Service"], credential: string) =>
  Effect.map(Effect.flip(keys.authenticate(credential)), (error) =>
    error._tag === "Unauthorized" ? error.code : error._tag
  )

/** Another credential of the same key, whose checksum is right. */
const forged = (id: string) => Credential.generateFor(id)

const filter = { limit: 10, after: undefined, team: undefined, status: undefined, search: undefined }

export const keyStoreContract = <E>(name: string, store: Layer.Layer<KeyStore, E>) => {
  // The time comes first: a store in a file that lives through half a century looks at it in every second.
  const layer = Layer.unwrap(Effect.as(TestClock.setTime(NOW), store))

  describe(`KeyStore · ${name}`, () => {
    it.effect("knows a key by its secret and never hands the secret's hash out", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record, secret } = yield* keys.create({ name: "ci", models: ["openai/*"] })
        const caller = yield* keys.authenticate(secret)
        assert.strictEqual(caller.key.id, record.id)
        assert.strictEqual(caller.key.createdAt, NOW)
        assert.isUndefined(caller.team)
        assert.notProperty(caller.key, "secrets")
        assert.notProperty(record, "secrets")
        assert.notInclude(JSON.stringify(yield* keys.get(record.id)), secret)
        assert.strictEqual((yield* keys.authenticate(secret)).key.budgets, caller.key.budgets)
      }).pipe(Effect.provide(layer))
    )

    it.effect("has one key for each rule and subject, which follows its rule and opens without a secret", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const settings = { team: "ci", models: [], tags: [], limits: noLimits, budgets: [] }
        const rule = { name: "x/a", match: [], per: "sub", endUser: undefined, maxSubjects: 2, key: settings }
        const id = yield* keys.workload(rule, "ada")
        assert.strictEqual(yield* keys.workload(rule, "ada"), id)
        const { key } = yield* keys.admit(id)
        assert.deepInclude(key, { id, name: "ada", team: "ci", createdAt: NOW })
        assert.deepInclude(key.holder, { kind: "workload", rule: "x/a", subject: "ada" })
        assert.notStrictEqual(yield* keys.workload({ ...rule, name: "x/b" }, "ada"), id)
        yield* keys.workload({ ...rule, key: { ...settings, models: ["m"], budgets: [budget(1)] } }, "ada")
        assert.deepInclude((yield* keys.admit(id)).key, { models: ["m"], budgets: [budget(1)] })
        yield* keys.workload(rule, "bob")
        assert.deepInclude(yield* Effect.flip(keys.workload(rule, "eve")), { code: "too_many_jwt_subjects" })
        yield* keys.revoke(id)
        assert.strictEqual(yield* keys.workload(rule, "ada"), id)
        assert.deepInclude(yield* Effect.flip(keys.admit(id)), { code: "revoked_api_key" })
        assert.deepInclude(yield* Effect.flip(keys.admit("key_none")), { code: "invalid_api_key" })
      }).pipe(Effect.provide(layer))
    )

    it.effect("calls unknown keys and wrong secrets invalid, whatever the key's status", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record } = yield* keys.create({})
        assert.strictEqual(yield* code(keys, Credential.generate().text), "invalid_api_key")
        assert.strictEqual(yield* code(keys, forged(record.id)), "invalid_api_key")
        yield* keys.update(record.id, { disabled: true })
        assert.strictEqual(yield* code(keys, forged(record.id)), "invalid_api_key")
        yield* keys.revoke(record.id)
        assert.strictEqual(yield* code(keys, forged(record.id)), "invalid_api_key")
      }).pipe(Effect.provide(layer))
    )

    it.effect("says disabled, expired or revoked to who has the secret", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record, secret } = yield* keys.create({ expiresAt: NOW + 1_000 })
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
      }).pipe(Effect.provide(layer))
    )

    it.effect("lets an old secret work until its grace ends, and then no longer", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const first = yield* keys.create({})
        const second = yield* keys.rotate(first.record.id, 60)
        assert.strictEqual(second.record.id, first.record.id)
        yield* keys.authenticate(first.secret)
        yield* TestClock.adjust("59 seconds")
        yield* keys.authenticate(first.secret)
        yield* keys.authenticate(second.secret)
        yield* TestClock.adjust("1 seconds")
        assert.strictEqual(yield* code(keys, first.secret), "invalid_api_key")
        yield* keys.authenticate(second.secret)
      }).pipe(Effect.provide(layer))
    )

    it.effect("ends an old secret at once without grace, and never lengthens a grace", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const first = yield* keys.create({})
        const second = yield* keys.rotate(first.record.id, 10)
        const third = yield* keys.rotate(first.record.id, 3_600)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* code(keys, first.secret), "invalid_api_key")
        yield* keys.authenticate(second.secret)
        const fourth = yield* keys.rotate(first.record.id, 0)
        assert.strictEqual(yield* code(keys, second.secret), "invalid_api_key")
        assert.strictEqual(yield* code(keys, third.secret), "invalid_api_key")
        yield* keys.authenticate(fourth.secret)
      }).pipe(Effect.provide(layer))
    )

    it.effect("revokes at once, for good, and as often as one likes", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record, secret } = yield* keys.create({})
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
      }).pipe(Effect.provide(layer))
    )

    it.effect("does not know keys that do not exist", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        assert.strictEqual((yield* Effect.flip(keys.get("key_x")))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(keys.update("key_x", {})))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(keys.revoke("key_x")))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(keys.rotate("key_x", 0)))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(keys.team("nobody")))._tag, "NotFound")
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps what a change does not name", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const limits = { ...noLimits, rpm: 5 }
        const { record, secret } = yield* keys.create({ name: "a", limits, budgets: [budget(5)], tags: ["t"] })
        assert.strictEqual(record.onUnknownPrice, "default")
        yield* TestClock.adjust("1 minutes")
        const changed = yield* keys.update(record.id, { name: "b", tags: undefined! })
        assert.deepStrictEqual(changed, { ...record, name: "b", updatedAt: NOW + 60_000 })
        assert.deepStrictEqual((yield* keys.authenticate(secret)).key.budgets, record.budgets)
      }).pipe(Effect.provide(layer))
    )

    it.effect("remembers when a key was last used, also when the key changes afterwards", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record, secret } = yield* keys.create({})
        yield* keys.authenticate(secret)
        assert.strictEqual((yield* keys.get(record.id)).lastUsedAt, NOW)
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* keys.update(record.id, { name: "b" })).lastUsedAt, NOW)
        assert.strictEqual((yield* keys.revoke(record.id)).lastUsedAt, NOW)
        assert.strictEqual((yield* keys.revoke(record.id)).lastUsedAt, NOW)
      }).pipe(Effect.provide(layer))
    )

    it.effect("shows a change of a team to its keys at once, and a change of team too", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record, secret } = yield* keys.create({ team: "red" })
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
      }).pipe(Effect.provide(layer))
    )

    it.effect("pages through keys, newest first, without repeats when new ones come in between", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const made: Array<string> = []
        for (let i = 0; i < 5; i++) {
          made.unshift((yield* keys.create({ name: `key ${i}` })).record.id)
          if (i % 2 === 0) yield* TestClock.adjust("1 seconds")
        }
        const first = yield* keys.list({ visibility: "all", ...filter, limit: 2 })
        assert.deepStrictEqual(
          first.keys.map((key) => key.id),
          made.slice(0, 2)
        )
        assert.isTrue(first.hasMore)
        yield* keys.create({})
        const second = yield* keys.list({ visibility: "all", ...filter, limit: 3, after: made[1] })
        assert.deepStrictEqual(
          second.keys.map((key) => key.id),
          made.slice(2)
        )
        assert.isFalse(second.hasMore)
        const wrong = yield* Effect.flip(keys.list({ visibility: "all", ...filter, after: "key_x" }))
        assert.isTrue(wrong._tag === "InvalidField" && wrong.param === "after")
      }).pipe(Effect.provide(layer))
    )

    it.effect("lists keys by status as of now", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const expiring = yield* keys.create({ expiresAt: NOW + 1_000 })
        const disabled = yield* keys.create({})
        yield* keys.update(disabled.record.id, { disabled: true })
        yield* TestClock.adjust(1_000)
        const of = (status: "active" | "disabled" | "expired" | "revoked") =>
          Effect.map(keys.list({ visibility: "all", ...filter, status }), (page) => page.keys.map((key) => key.id))
        assert.deepStrictEqual(yield* of("expired"), [expiring.record.id])
        assert.deepStrictEqual(yield* of("disabled"), [disabled.record.id])
        assert.deepStrictEqual(yield* of("active"), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("many changes at once all hold", () =>
      Effect.gen(function* () {
        const keys = yield* KeyStore
        const { record } = yield* keys.create({})
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
      }).pipe(Effect.provide(layer))
    )
  })
}
