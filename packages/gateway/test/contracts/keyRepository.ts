/** What every KeyRepository keeps to. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { type KeyFilter, KeyRepository } from "../../src/core/keys/KeyRepository.ts"
import { key, NOW } from "../storage/Support.ts"

const all: KeyFilter = {
  visibility: "all",
  limit: 100,
  after: undefined,
  team: undefined,
  status: undefined,
  search: undefined,
  now: NOW
}

const idsOf = Effect.fnUntraced(function* (filter: Partial<KeyFilter> = {}) {
  const keys = yield* KeyRepository
  const page = Option.getOrThrow(yield* keys.list({ ...all, ...filter }))
  return { ids: page.keys.map((found) => found.id), hasMore: page.hasMore }
})

const full = key({
  id: "key_full",
  name: "Straße 北",
  team: "red",
  models: ["openai/*", "auto"],
  limits: { rpm: 60, tpm: undefined, maxParallel: 2 },
  budgets: [{ limit: 9_000_000_000_000_000, window: "month", timeZone: "Europe/Berlin" }],
  tags: ["a", "b"],
  metadata: JSON.parse('{"__proto__": {"admin": true}, "n": [1, null]}'),
  onUnknownPrice: "deny",
  disabled: true,
  expiresAt: NOW + 1,
  revokedAt: NOW + 2,
  lastUsedAt: NOW + 3,
  secrets: [
    { hash: "ff", validUntil: null },
    { hash: "ee", validUntil: NOW }
  ]
})

export const keyRepositoryContract = <E>(name: string, layer: Layer.Layer<KeyRepository, E>) => {
  describe(`KeyRepository · ${name}`, () => {
    it.effect("a key comes back as it was, hostile names in its metadata included", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.insert(full)
        const found = Option.getOrThrow(yield* keys.find("key_full"))
        assert.deepStrictEqual(found, full)
        assert.strictEqual(JSON.stringify(found.metadata), JSON.stringify(full.metadata))
        assert.isTrue(Option.isNone(yield* keys.find("key_ful")))
      }).pipe(Effect.provide(layer))
    )

    it.effect("names keys of any status by their ids, and nothing that is no key", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.insert(full)
        yield* keys.insert(key({ id: "key_nameless", name: null }))
        const found = yield* keys.names(["key_nameless", "key_full", "key_gone", "a\0b"])
        assert.deepStrictEqual(
          [...found].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
          [
            { id: "key_full", name: "Straße 北" },
            { id: "key_nameless", name: null }
          ]
        )
        assert.deepStrictEqual(yield* keys.names([]), [])
      }).pipe(Effect.provide(layer))
    )

    it.effect("an update overwrites all but id, creation and last use", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.insert(key({ id: "key_full" }))
        yield* keys.touch("key_full", NOW + 50)
        yield* keys.touch("key_full", NOW + 40)
        yield* keys.update({ ...full, createdAt: 1, lastUsedAt: 2 })
        const found = Option.getOrThrow(yield* keys.find("key_full"))
        assert.deepStrictEqual(found, { ...full, createdAt: NOW, lastUsedAt: NOW + 50 })
      }).pipe(Effect.provide(layer))
    )

    it.effect("lists newest first, page by page, whatever is inserted meanwhile", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        // All in the same millisecond, but one that the clock put before them.
        for (const id of ["k3", "k1", "k2"]) yield* keys.insert(key({ id }))
        yield* keys.insert(key({ id: "k0", createdAt: NOW - 1 }))
        assert.deepStrictEqual(yield* idsOf({ limit: 2 }), { ids: ["k2", "k1"], hasMore: true })
        yield* keys.insert(key({ id: "k9" }))
        assert.deepStrictEqual(yield* idsOf({ limit: 2, after: "k1" }), { ids: ["k3", "k0"], hasMore: false })
        assert.deepStrictEqual(yield* idsOf({ limit: 1 }), { ids: ["k9"], hasMore: true })
        assert.isTrue(Option.isNone(yield* keys.list({ ...all, after: "nobody" })))
      }).pipe(Effect.provide(layer))
    )

    it.effect("filters by status as of a time, team and part of a name", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        yield* keys.insert(key({ id: "key_active", name: "ÄRGER 100%", team: "red", expiresAt: NOW + 1 }))
        yield* keys.insert(key({ id: "key_disabled", disabled: true }))
        yield* keys.insert(key({ id: "key_expired", expiresAt: NOW, disabled: true }))
        yield* keys.insert(key({ id: "key_revoked", expiresAt: NOW, revokedAt: NOW }))
        for (const status of ["active", "disabled", "expired", "revoked"] as const) {
          assert.deepStrictEqual((yield* idsOf({ status })).ids, [`key_${status}`])
        }
        assert.deepStrictEqual((yield* idsOf({ status: "active", now: NOW + 1 })).ids, [])
        assert.deepStrictEqual((yield* idsOf({ team: "red" })).ids, ["key_active"])
        assert.deepStrictEqual((yield* idsOf({ search: "ärger 100%" })).ids, ["key_active"])
        assert.deepStrictEqual((yield* idsOf({ search: "KEY_E" })).ids, ["key_expired"])
        assert.deepStrictEqual((yield* idsOf({ search: "100_" })).ids, [])
        for (const odd of ['a"b" OR', "fuzz\0", "\0\0\0\0", "NEAR(a b)", "* - ^", "{a} : b", "\ud800abc"]) {
          assert.deepStrictEqual((yield* idsOf({ search: odd })).ids, [], JSON.stringify(odd))
        }
      }).pipe(Effect.provide(layer))
    )

    it.effect("keeps a team's limits and budgets", () =>
      Effect.gen(function* () {
        const keys = yield* KeyRepository
        assert.isTrue(Option.isNone(yield* keys.findTeam("red")))
        const team = { name: "red", limits: full.limits, budgets: full.budgets, rules: undefined, updatedAt: NOW }
        yield* keys.putTeam(team)
        assert.deepStrictEqual(Option.getOrThrow(yield* keys.findTeam("red")), team)
        yield* keys.putTeam({ ...team, budgets: [], updatedAt: NOW + 1 })
        assert.deepStrictEqual(Option.getOrThrow(yield* keys.findTeam("red")), {
          ...team,
          budgets: [],
          updatedAt: NOW + 1
        })
      }).pipe(Effect.provide(layer))
    )
  })
}
