/** What every KeyImports keeps to, and what keys that came from LiteLLM are to a KeyStore. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { AuditRepository } from "../../src/core/domain/AuditRepository.ts"
import * as Credential from "../../src/core/keys/Credential.ts"
import { type ImportedKey, type ImportedTeam, KeyImports } from "../../../import-litellm/src/store/KeyImports.ts"
import { KeyRepository, type StoredKey } from "../../src/core/keys/KeyRepository.ts"
import { KeyStore } from "../../src/core/keys/KeyStore.ts"
import { SpendLedger } from "../../src/core/ledger/SpendLedger.ts"
import { budget } from "../core/call/Support.ts"
import { key, NOW } from "../storage/Support.ts"

const SECRET = "sk-9f3kQ2mZ7aLx1Tq8Vn4W"

const entryOf = (target: string): ImportedKey["entry"] => ({
  at: NOW,
  actor: { kind: "command_line", id: "command_line", address: "" },
  action: "keys.import",
  target,
  before: null,
  after: { name: "imported" }
})

const imported = (id: string, more: Partial<StoredKey> = {}, spent = 0): ImportedKey => ({
  key: key({ id, ...more }),
  spent,
  entry: entryOf(id)
})

const team = (name: string, spent: number): ImportedTeam => ({
  team: {
    name,
    limits: { rpm: 5, tpm: undefined, maxParallel: undefined },
    budgets: [budget(10)],
    rules: undefined,
    updatedAt: NOW
  },
  spent,
  entry: entryOf(name)
})

/** A key of LiteLLM's as the import makes it. */
const withSecret = Effect.fnUntraced(function* (secret: string, more: Partial<StoredKey> = {}, spent = 0) {
  const pepper = yield* Effect.flatMap(KeyRepository, ({ pepper }) => pepper)
  const digest = Credential.litellmDigest(secret)
  const hash = Credential.hash(pepper, digest)
  const id = Credential.idOfLitellm(pepper, digest)
  const one = imported(id, { secrets: [{ hash, validUntil: null, from: "litellm" }], ...more }, spent)
  yield* Effect.flatMap(KeyImports, ({ add }) => add({ keys: [one], teams: [] }, NOW))
  return { id, digest, hash }
})

const code = (credential: string) =>
  Effect.flatMap(KeyStore, ({ authenticate }) =>
    Effect.map(Effect.flip(authenticate(credential)), (error) =>
      error._tag === "Unauthorized" ? error.code : error._tag
    )
  )

const listed = Effect.flatMap(AuditRepository, ({ list }) =>
  list({
    visibility: "all",
    limit: 100,
    after: undefined,
    actor: undefined,
    action: "keys.import",
    target: undefined,
    from: undefined,
    to: undefined
  })
).pipe(Effect.map(({ entries }) => entries.map(({ target }) => target)))

type Services = KeyImports | KeyRepository | AuditRepository

export const keyImportsContract = <E>(
  name: string,
  store: Layer.Layer<Services | Layer.Services<typeof SpendLedger.layer>, E>
) => {
  const layer = Layer.unwrap(Effect.as(TestClock.setTime(NOW), SpendLedger.layer.pipe(Layer.provideMerge(store))))

  describe(`KeyImports · ${name}`, () => {
    it.effect("adds what is not there, and leaves a key alone that is", () =>
      Effect.gen(function* () {
        const imports = yield* KeyImports
        const repository = yield* KeyRepository
        const add = (...keys: ReadonlyArray<ImportedKey>) =>
          Effect.map(imports.add({ keys, teams: [] }, NOW), (added) => [...added.keys])
        assert.deepStrictEqual(yield* add(imported("key_a", { name: "first" })), ["key_a"])
        const again = [imported("key_a", { name: "second" }, 5), imported("key_b", { tags: ["x"] })]
        assert.deepStrictEqual(yield* add(...again), ["key_b"])
        assert.deepStrictEqual(yield* add(...again), [])
        assert.strictEqual(Option.getOrThrow(yield* repository.find("key_a")).name, "first")
        assert.deepStrictEqual(Option.getOrThrow(yield* repository.find("key_b")), again[1]?.key)
        assert.deepStrictEqual(yield* listed, ["key_b", "key_a"])
      }).pipe(Effect.provide(layer))
    )

    it.effect("adds all of them or none", () =>
      Effect.gen(function* () {
        const imports = yield* KeyImports
        const repository = yield* KeyRepository
        // No JSON can be made of it.
        const unwritable = imported("key_z", { metadata: { n: 1n } })
        assert.isTrue(
          Exit.isFailure(
            yield* Effect.exit(
              imports.add({ keys: [imported("key_a", {}, 7), unwritable], teams: [team("red", 9)] }, NOW)
            )
          )
        )
        assert.isTrue(Option.isNone(yield* repository.find("key_a")))
        assert.isTrue(Option.isNone(yield* repository.findTeam("red")))
        assert.deepStrictEqual(yield* listed, [])
        yield* imports.add({ keys: [imported("key_a", { budgets: [budget(10)] }, 7)], teams: [] }, NOW)
        const ledger = yield* SpendLedger
        const [state] = yield* ledger.budgets("key:key_a", [budget(10)])
        assert.strictEqual(state?.spent, 7)
      }).pipe(Effect.provide(layer))
    )

    it.effect("books what was spent in every window that holds the present, and as no request", () =>
      Effect.gen(function* () {
        const budgets = (["hour", "month", "total"] as const).map((window) => ({
          limit: 900,
          window,
          timeZone: "UTC"
        }))
        const imports = yield* KeyImports
        const keys = [imported("key_a", { team: "red", budgets }, 600), imported("key_b", { budgets })]
        yield* imports.add({ keys, teams: [team("red", 40)] }, NOW)
        const ledger = yield* SpendLedger
        const spent = (scope: `key:${string}` | `team:${string}`) =>
          Effect.map(ledger.budgets(scope, budgets), (states) => states.map((state) => state.spent))
        assert.deepStrictEqual(yield* spent("key:key_a"), [600, 600, 600])
        assert.deepStrictEqual(yield* spent("team:red"), [640, 640, 640])
        assert.deepStrictEqual(yield* spent("key:key_b"), [0, 0, 0])
      }).pipe(Effect.provide(layer))
    )

    it.effect("adds teams that are not there, and leaves one alone that is, with what is spent of it", () =>
      Effect.gen(function* () {
        const imports = yield* KeyImports
        const repository = yield* KeyRepository
        const put = { ...team("red", 0).team, limits: { rpm: 1, tpm: undefined, maxParallel: undefined } }
        yield* repository.putTeam(put)
        const teams = [team("red", 5), team("blue", 7)]
        assert.deepStrictEqual([...(yield* imports.add({ keys: [], teams }, NOW)).teams], ["blue"])
        assert.deepStrictEqual([...(yield* imports.add({ keys: [], teams }, NOW)).teams], [])
        assert.deepStrictEqual(Option.getOrThrow(yield* repository.findTeam("red")), put)
        assert.deepStrictEqual(Option.getOrThrow(yield* repository.findTeam("blue")), teams[1]?.team)
        const ledger = yield* SpendLedger
        const spent = (scope: `team:${string}`) =>
          Effect.map(ledger.budgets(scope, [budget(10)]), ([state]) => state?.spent)
        assert.deepStrictEqual([yield* spent("team:red"), yield* spent("team:blue")], [0, 7])
        const { teams: found } = yield* repository.teams({
          visibility: "all",
          limit: 10,
          after: undefined,
          search: "LU"
        })
        assert.deepStrictEqual(
          found.map((one) => one.team.name),
          ["blue"]
        )
        assert.deepStrictEqual(yield* listed, ["blue"])
      }).pipe(Effect.provide(layer))
    )
  })

  /** The keys are there when the store is opened. */
  const opened = <A, F>(
    keys: Effect.Effect<A, F, Services>,
    use: (made: A) => Effect.Effect<void, unknown, KeyStore>
  ) => Effect.flatMap(keys, (made) => Effect.provide(use(made), KeyStore.layer)).pipe(Effect.provide(layer))

  describe(`a key from LiteLLM in a KeyStore · ${name}`, () => {
    it.effect("is opened by the secret that its callers have, and the record says so", () =>
      opened(withSecret(SECRET, { name: "app" }), ({ id }) =>
        Effect.gen(function* () {
          const keys = yield* KeyStore
          const caller = yield* keys.authenticate(SECRET)
          assert.strictEqual(caller.key.id, id)
          assert.deepStrictEqual(caller.key.importedSecret, { from: "litellm", validUntil: null })
          assert.strictEqual((yield* keys.authenticate(SECRET)).key, caller.key)
          assert.isUndefined((yield* keys.create({})).record.importedSecret)
        })
      )
    )

    it.effect("is not opened by what the table of LiteLLM or this store holds, nor by another key of its form", () =>
      opened(withSecret(SECRET), ({ digest, hash, id }) =>
        Effect.gen(function* () {
          const known = [digest, `sk-${digest}`, hash, `sk-${hash}`, id, `sk-${id}`, Credential.generateFor(id)]
          const slips = [`${SECRET} `, SECRET.slice(0, -1), SECRET.toUpperCase(), SECRET.slice(3), "sk-", "", "sk-\0"]
          for (const wrong of [...known, ...slips]) assert.strictEqual(yield* code(wrong), "invalid_api_key", wrong)
        })
      )
    )

    it.effect("is of no use in a store that has no such key", () =>
      opened(Effect.void, () =>
        Effect.gen(function* () {
          assert.strictEqual(yield* code(SECRET), "invalid_api_key")
          const keys = yield* KeyStore
          const { secret } = yield* keys.create({})
          yield* keys.authenticate(secret)
          assert.strictEqual(yield* code(SECRET), "invalid_api_key")
        })
      )
    )

    it.effect("gets a secret of this gateway by rotation, and the old one ends with its grace", () =>
      opened(withSecret(SECRET), ({ id }) =>
        Effect.gen(function* () {
          const keys = yield* KeyStore
          yield* keys.authenticate(SECRET)
          const { record, secret } = yield* keys.rotate(id, 60)
          assert.deepStrictEqual(record.importedSecret, { from: "litellm", validUntil: NOW + 60_000 })
          assert.strictEqual((yield* keys.authenticate(SECRET)).key.id, id)
          assert.strictEqual((yield* keys.authenticate(secret)).key.id, id)
          yield* TestClock.adjust(60_000)
          assert.strictEqual(yield* code(SECRET), "invalid_api_key")
          assert.strictEqual((yield* keys.authenticate(secret)).key.id, id)
          assert.isUndefined((yield* keys.rotate(id, 0)).record.importedSecret)
        })
      )
    )

    it.effect("is disabled, expires and is revoked like any other", () =>
      opened(withSecret(SECRET, { expiresAt: NOW + 1_000, disabled: true }), ({ id }) =>
        Effect.gen(function* () {
          const keys = yield* KeyStore
          assert.strictEqual(yield* code(SECRET), "disabled_api_key")
          yield* keys.update(id, { disabled: false })
          yield* keys.authenticate(SECRET)
          yield* TestClock.adjust(1_000)
          assert.strictEqual(yield* code(SECRET), "expired_api_key")
          yield* keys.revoke(id)
          assert.strictEqual(yield* code(SECRET), "revoked_api_key")
        })
      )
    )
  })
}
